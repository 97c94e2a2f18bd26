package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// RepairJSONL makes the file at path end at a line boundary, so that what is appended next starts a line of
// its own. Lines at the end that are not JSON were torn when their writer was killed, and are cut off; a whole
// object that lacks only its line end gets one. Lines before the last good one are not looked at. A file that
// does not exist is left so. It returns the size of the file afterwards.
func RepairJSONL(path string) (int64, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	good, ended := goodPrefix(data)
	if good == len(data) && ended {
		return int64(good), nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := f.Truncate(int64(good)); err != nil {
		return 0, err
	}
	if !ended {
		if _, err := f.WriteAt([]byte{'\n'}, int64(good)); err != nil {
			return 0, err
		}
		good++
	}
	return int64(good), f.Sync()
}

// goodPrefix returns the length of data without torn lines at its end, and whether that ends a line.
func goodPrefix(data []byte) (length int, ended bool) {
	length = len(data)
	for length > 0 {
		ended = data[length-1] == '\n'
		body := data[:length]
		if ended {
			body = body[:length-1]
		}
		start := bytes.LastIndexByte(body, '\n') + 1
		line := body[start:]
		// Only an object shows by itself that it is whole: 12 may be the beginning of 123.
		whole := ended || bytes.HasPrefix(line, []byte{'{'})
		if whole && json.Valid(line) {
			return length, ended
		}
		length = start
	}
	return 0, true
}

package lab

import (
	"errors"
	"os"
)

// ReplaceFile puts content in the place of a file, which is never seen half written and is on disk when it returns.
func ReplaceFile(path string, content []byte) error {
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

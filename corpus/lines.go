package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// maxLine bounds what is held of one line; a longer line counts as damaged.
const maxLine = 1 << 30

var byteOrderMark = []byte("\ufeff")

// line is one line of a file. Its data is valid until the next line is read.
type line struct {
	// data is the line without its LF.
	data []byte
	// offset is where the line starts in the file, in bytes.
	offset int64
	// number counts from 1.
	number int
	// cut says that the line is longer than maxLine; data then holds its beginning.
	cut bool
}

// end is the offset of the first byte after the line's data.
func (l line) end() int64 { return l.offset + int64(len(l.data)) }

// damaged reports whether the line cannot be read as text.
func (l line) damaged() bool { return l.cut || !utf8.Valid(l.data) }

// text returns the line without byte order mark and without the CR of a CRLF.
func (l line) text() []byte {
	return bytes.TrimSuffix(bytes.TrimPrefix(l.data, byteOrderMark), []byte("\r"))
}

// eachLine calls visit for every line of r. Only LF ends a line; the last line needs none.
func eachLine(r io.Reader, visit func(line)) error {
	in := bufio.NewReaderSize(r, 1<<18)
	var l line
	var read int64
	for {
		part, err := in.ReadSlice('\n')
		read += int64(len(part))
		if room := maxLine - len(l.data); len(part) > room {
			l.cut, part = true, part[:room]
		}
		l.data = append(l.data, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		if read > l.offset {
			l.number++
			l.data = bytes.TrimSuffix(l.data, []byte("\n"))
			visit(l)
		}
		if err == io.EOF {
			return nil
		}
		l = line{data: l.data[:0], offset: read, number: l.number}
	}
}

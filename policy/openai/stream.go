package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 4 << 20

// readStream reads a completion that is sent as server-sent events. An event that holds an error fails it, whatever
// the status was; so does a stream that ends before the reply has.
func readStream(r io.Reader, asked asked) (*Completion, *Fault) {
	c, t, calls := &Completion{}, &tokens{}, &callBuilder{}
	fail := func(f *Fault) (*Completion, *Fault) {
		f.Partial = c.Text
		return nil, f
	}
	err := events(r, func(data []byte) *Fault {
		if string(data) == "[DONE]" {
			return nil
		}
		a, err := decodeAnswer(data)
		if err != nil {
			return broken(Malformed, "an event of the stream is not JSON")
		}
		if f := a.fault(200); f != nil {
			return f
		}
		c.take(a, t, calls, func(ch *choice) *message { return &ch.Delta })
		return nil
	})
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		return fail(fault)
	case errors.Is(err, bufio.ErrTooLong):
		return fail(broken(Malformed, "an event of the stream is too long"))
	case c.Finish == "": // [DONE] alone does not say that the reply is whole
		return fail(broken(Cut, "the stream ended before the reply did"))
	}
	c.conclude(t, calls, asked)
	return c, nil
}

// events calls on with the data of every event, up to and including [DONE]; an error that it returns ends the reading.
func events(r io.Reader, on func(data []byte) *Fault) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxEvent)
	var data []byte
	send := func() error {
		defer func() { data = data[:0] }()
		if len(data) == 0 {
			return nil
		}
		if f := on(data); f != nil {
			return f
		}
		if string(data) == "[DONE]" {
			return io.EOF
		}
		return nil
	}
	for lines.Scan() {
		line := bytes.TrimRight(lines.Bytes(), "\r")
		if len(line) == 0 {
			if err := send(); err != nil {
				return ended(err)
			}
			continue
		}
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(rest, []byte(" "))...)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return ended(send())
}

func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

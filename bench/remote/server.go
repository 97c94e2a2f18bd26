package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Serve is a server of chat completions on the loopback interface that gives the same answer to every request, delay
// after it came. It writes its address to out and obeys lines of in: hold keeps all answers back, release lets them go.
// It ends with in.
//
// It reads and writes connections itself, since what a server costs is not what is measured: net/http's server takes
// twice as much of the processors, which a model's server elsewhere would not take at all.
func Serve(in io.Reader, out io.Writer, delay time.Duration) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve answers: %w", err)
	}
	defer listener.Close()
	s := &answers{delay: delay, reply: response()}
	go s.accept(listener)
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch lines.Text() {
		case "hold":
			s.held.Lock()
		case "release":
			s.held.Unlock()
		}
	}
	return nil
}

// answers is the server's side of all connections.
type answers struct {
	delay time.Duration
	reply []byte
	// held is locked while answers are kept back.
	held sync.RWMutex
}

const notFound = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

func response() []byte {
	body, err := json.Marshal(map[string]any{"object": "chat.completion", "model": "fixed",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": `I add it: \boxed{7}`}}},
		"usage":   map[string]int{"prompt_tokens": 20, "completion_tokens": 8}})
	if err != nil {
		panic(err) // it is a constant
	}
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func (s *answers) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go s.serve(conn)
	}
}

// serve answers the requests of a connection until that ends.
func (s *answers) serve(conn net.Conn) {
	defer conn.Close()
	requests := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		reply := []byte(notFound)
		if request.URL.Path == "/v1/chat/completions" {
			time.Sleep(s.delay)
			s.pass()
			reply = s.reply
		}
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}

// pass waits while answers are kept back. Those that were are let go one after the other within the time of an answer, as
// they would have come: a wave of all of them would be the doing of this server alone.
func (s *answers) pass() {
	if !s.held.TryRLock() {
		s.held.RLock()
		defer time.Sleep(rand.N(s.delay))
	}
	s.held.RUnlock()
}

// server is a process that runs Serve.
type server struct {
	url     string
	command *exec.Cmd
	in      io.WriteCloser
}

func startServer(ctx context.Context, line []string, delay time.Duration) (*server, error) {
	command := exec.CommandContext(ctx, line[0], append(line[1:], "--delay", delay.String())...)
	in, out, err := begin(command)
	if err != nil {
		return nil, fmt.Errorf("start a model server: %w", err)
	}
	s := &server{command: command, in: in}
	if s.url, err = out.ReadString('\n'); err != nil {
		s.stop()
		return nil, fmt.Errorf("start a model server: %w", err)
	}
	s.url = strings.TrimSpace(s.url)
	return s, nil
}

// begin starts a command that is talked to in lines.
func begin(command *exec.Cmd) (io.WriteCloser, *bufio.Reader, error) {
	in, err := command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return in, bufio.NewReader(out), command.Start()
}

func (s *server) hold()    { io.WriteString(s.in, "hold\n") }
func (s *server) release() { io.WriteString(s.in, "release\n") }
func (s *server) pid() int { return s.command.Process.Pid }

func (s *server) stop() {
	s.in.Close()
	s.command.Wait()
}

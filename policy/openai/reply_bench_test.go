package openai

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"spade"
	"spade/policy"
)

// BenchmarkReply is a turn of conversations of 25 turns against a server that answers at once.
func BenchmarkReply(b *testing.B) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answerAll(conn)
		}
	}()
	p, err := Connect(b.Context(), Address{Base: "http://" + listener.Addr().String() + "/v1", Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	var s policy.Session
	message := spade.Message{Speaker: spade.User, Content: "The sum is 120. Add 45"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%25 == 0 {
			s, err = p.Open(b.Context(), policy.Spec{Rand: spade.Stream(1, 0, i, "bench"), Temperature: 1, MaxTokens: 64})
			if err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Reply(b.Context(), message); err != nil {
			b.Fatal(err)
		}
	}
}

func answerAll(conn net.Conn) {
	defer conn.Close()
	const body = `{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"I add it: \\boxed{7}"}}],"usage":{"prompt_tokens":20,"completion_tokens":8}}`
	reply := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	requests := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		io.Copy(io.Discard, r.Body)
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}

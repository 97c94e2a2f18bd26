package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"spade"
	"spade/corpus"
	"spade/learn"
	"spade/policy/openai"
	"spade/reply"
	"spade/reward"
	"spade/sandbox/python"
)

type explainCommand struct {
	Reply      explainReply      `cmd:"" help:"How a model's reply is read."`
	Reward     explainReward     `cmd:"" help:"How the plays of environments are rewarded."`
	Corpus     explainCorpus     `cmd:"" help:"What is read of a corpus file, and what is skipped."`
	Advantages explainAdvantages `cmd:"" help:"How returns become advantages, and losses one number."`
}

type explainReply struct {
	File         string `arg:"" help:"Text of the reply; for --kind answer a JSON list of pairs; for --kind server what a server of chat completions sent: a JSON body, a stream of events, or {\"status\",\"headers\",\"body\"} or a list of these."`
	Kind         string `help:"What to read: boxed, tool_calls, answer, code or server." enum:"boxed,tool_calls,answer,code,server" default:"boxed"`
	Request      string `help:"For --kind server: the body of the request. Default: request.json beside FILE, where there is one." placeholder:"F"`
	FinishReason string `help:"Why the server says that the reply ended, for example length." placeholder:"R"`
	JSON         bool   `name:"json" help:"Print one line of JSON."`
}

func (c *explainReply) Run(ctx context.Context, con console) error {
	text, err := readInput(c.File)
	if err != nil {
		return err
	}
	if c.Kind == "server" {
		return c.server(con, text)
	}
	read, err := reply.Explain(c.Kind, string(text), c.FinishReason)
	if err != nil {
		return inputError(c.File, err)
	}
	if source, ok := read.(reply.Source); ok && source.Code != nil {
		source.Compiles = compiles(ctx, *source.Code)
		read = source
	}
	return printObject(con, read, c.JSON)
}

// server reads what a server sent.
func (c *explainReply) server(con console, sent []byte) error {
	request := c.Request
	if beside := filepath.Join(filepath.Dir(c.File), "request.json"); request == "" {
		if _, err := os.Stat(beside); err == nil {
			request = beside
		}
	}
	var asked []byte
	if request != "" {
		var err error
		if asked, err = readInput(request); err != nil {
			return err
		}
	}
	read, err := openai.Explain(sent, asked, time.Now())
	if err != nil {
		return inputError(c.File, err)
	}
	return printObject(con, read, c.JSON)
}

// compiles asks Python whether a source is syntactically right; nil where there is no Python to ask. The source
// is only parsed, never run.
func compiles(ctx context.Context, code string) *bool {
	interpreter, err := python.Find(ctx, "")
	if err != nil {
		return nil
	}
	cmd := exec.CommandContext(ctx, interpreter.Executable, "-I", "-c", "import ast,sys; ast.parse(sys.stdin.read())")
	cmd.Stdin = strings.NewReader(code)
	ok := cmd.Run() == nil
	return &ok
}

type explainReward struct {
	File string `arg:"" help:"JSON: {\"config\": …, \"environments\": [{\"id\", \"skill\", \"hinted_mean\", \"plays_by_step\"}]}."`
	JSON bool   `name:"json" help:"Print one line of JSON."`
}

func (c *explainReward) Run(con console) error {
	input, err := readInput(c.File)
	if err != nil {
		return err
	}
	out, err := reward.Explain(input)
	if err != nil {
		return inputError(c.File, err)
	}
	return printObject(con, json.RawMessage(out), c.JSON)
}

type explainCorpus struct {
	File string `arg:"" help:"Corpus file or folder."`
	JSON bool   `name:"json" help:"Print one line of JSON."`
}

func (c *explainCorpus) Run(con console) error {
	report, err := corpus.Explain(c.File)
	if err != nil {
		return err
	}
	return printObject(con, report, c.JSON)
}

type explainAdvantages struct {
	File string `arg:"" help:"JSON with groups, rewards, rows, token_loss or turns."`
	JSON bool   `name:"json" help:"Print one line of JSON."`
}

func (c *explainAdvantages) Run(con console) error {
	input, err := readInput(c.File)
	if err != nil {
		return err
	}
	var form map[string]json.RawMessage
	if err := json.Unmarshal(input, &form); err != nil {
		return inputError(c.File, err)
	}
	explain := reward.ExplainAdvantages
	if _, turns := form["turns"]; turns {
		explain = learn.ExplainTokens
	}
	out, err := explain(input)
	if err != nil {
		return inputError(c.File, err)
	}
	return printObject(con, json.RawMessage(out), c.JSON)
}

func readInput(file string) ([]byte, error) {
	data, err := readFile(file, maxTextFile)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "name a file that exists and can be read", "explain: %w", err)
	}
	return data, nil
}

func inputError(file string, err error) error {
	return spade.Errorf(spade.ByUser, "correct the file; spade explain --help says what is expected", "explain %s: %w", file, err)
}

// printObject prints v as JSON: on one line, or indented for people.
func printObject(con console, v any, line bool) error {
	if line {
		return printJSON(con, v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = fmt.Fprintf(con.out, "%s\n", b.Bytes())
	return err
}

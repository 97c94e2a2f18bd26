package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spade/web"
)

// get asks the dashboard and decodes what it answers.
func get(t *testing.T, method, address, body string, into any) {
	t.Helper()
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s, %v", method, address, response.Status, data, err)
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v in %s", address, err, data)
		}
	}
}

// TestDashboardOfARun makes a run, opens its dashboard, asks for everything that the pages show, and plays an
// environment to a win in the jail.
func TestDashboardOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	if out, err := exec.Command("spade", runOf(t, measuredConfig, 1, dir)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command("spade", "ui", dir, "--addr", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	lines := bufio.NewReader(said)
	line, err := lines.ReadString('\n')
	found := regexp.MustCompile(`the dashboard is at (http://127\.0\.0\.1:\d+/)\n`).FindStringSubmatch(line)
	if err != nil || found == nil {
		t.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, lines)
	base := found[1] + "api/v1/runs/r"
	var environments struct {
		ID []string `json:"id"`
	}
	get(t, "GET", base+"/environments", "", &environments)
	if len(environments.ID) == 0 {
		t.Fatal("the run has no environments")
	}
	id := environments.ID[0]
	for _, path := range []string{"", "/cycles", "/environments/" + id, "/episodes/1/" + id + "/0?tokens=1", "/designs/1/0", "/passages", "/jail", "/memory", "/map"} {
		get(t, "GET", base+path, "", nil)
	}
	var pair struct {
		Episodes []struct {
			Turns []struct {
				Tokens struct {
					ID   []int32  `json:"id"`
					Text []string `json:"text"`
				} `json:"tokens"`
			} `json:"turns"`
		} `json:"episodes"`
	}
	get(t, "GET", base+"/episodes/1/"+id+"/0?tokens=1", "", &pair)
	if tokens := pair.Episodes[0].Turns[0].Tokens; len(tokens.ID) == 0 || len(tokens.Text) != len(tokens.ID) {
		t.Errorf("the tokens of a turn: %+v", tokens)
	}
	playToAWin(t, found[1], base, dir, id)
	get(t, "GET", found[1]+"metrics", "", nil)
}

func playToAWin(t *testing.T, site, base, dir, id string) {
	var game struct {
		Game string `json:"game"`
	}
	get(t, "POST", base+"/play", `{"env":"`+id+`","seed":"41"}`, &game)
	script := filepath.Join(t.TempDir(), "actions")
	if err := os.WriteFile(script, []byte("@solution\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("spade", "play", filepath.Join(dir, "environments", id+".py"), "--seed", "41", "--actions", script, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var solved played
	if err := json.Unmarshal(out, &solved); err != nil {
		t.Fatal(err)
	}
	var state web.GameState
	for _, turn := range solved.Turns {
		body, err := json.Marshal(map[string]string{"action": turn.Action})
		if err != nil {
			t.Fatal(err)
		}
		get(t, "POST", site+"api/v1/play/"+game.Game+"/step", string(body), &state)
		if state.Observation != turn.Observation {
			t.Errorf("the jail said %q, and %q in the terminal", state.Observation, turn.Observation)
		}
	}
	if state.Status != "won" || state.Return != 1 {
		t.Errorf("played to the end: %+v", state)
	}
}

// TestHTMLReport writes a report of a run.
func TestHTMLReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	if out, err := exec.Command("spade", tinyRun(t, 1, dir)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if out, err := exec.Command("spade", "show", dir, "--html", file).CombinedOutput(); err != nil || !strings.Contains(string(out), file) {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte(`"runs/r/cycles"`)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if out, err := exec.Command("spade", "show", dir, "--html", filepath.Join(dir, "none", "x.html")).CombinedOutput(); err == nil || !strings.Contains(string(out), "next: ") {
		t.Errorf("a file in a folder that is not there: %v\n%s", err, out)
	}
}

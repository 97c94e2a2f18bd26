package admission

import (
	"os"
	"testing"

	"spade/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

// TestRun measures once: every figure is there, and none says nothing.
func TestRun(t *testing.T) {
	figures, err := Run(t.Context(), 1, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, f := range figures {
		if f.Name == "" || f.Unit == "" || f.Value < 0 || f.Target == "" != (f.Against == "" || f.Against == "small_ms") {
			t.Errorf("figure %+v", f)
		}
		if f.Target != "" {
			judged++
		}
	}
	if judged != 2+len(clean) {
		t.Errorf("%d figures have a target", judged)
	}
}

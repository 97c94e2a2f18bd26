package library

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// reasoningFile holds tasks of reasoning-gym 0.1.25 (Apache-2.0), drawn and put into the library's words by
// heldout/reasoning.py.
//
//go:embed heldout/reasoning.json
var reasoningFile []byte

// foreignTask is a kind of question that others made, with questions and answers.
type foreignTask struct {
	Dataset   string      `json:"dataset"`
	Questions [][2]string `json:"questions"`
}

// foreign adds environments that ask some of the questions of one kind, shuffled by the seed.
func (s *suiteMaker) foreign() {
	var tasks []foreignTask
	if err := json.Unmarshal(reasoningFile, &tasks); err != nil {
		panic(fmt.Sprintf("library: the tasks of reasoning-gym: %v", err))
	}
	for _, task := range tasks {
		for horizon := 1; horizon <= 4; horizon++ {
			s.add(FamilyForeign, func() Item {
				it := Item{Theme: drawTheme(s.r, ""), Horizon: horizon, Lives: 1, Hint: Plain, Twist: Plain}
				var asked []string
				for _, i := range s.r.Perm(len(task.Questions))[:2*horizon+4] {
					asked = append(asked, task.Questions[i][0]+","+task.Questions[i][1])
				}
				word := it.Theme.Words[s.r.IntN(len(it.Theme.Words))]
				it.Source = it.inShell("  s.v=\""+strings.Join(asked, ";")+"\".split(\";\");r.shuffle(s.v)\n",
					`"`+it.Theme.Object+" "+word+`"`, "  o,s.c=s.v[s.t].split(\",\")\n  return \" \"+o\n")
				return it
			})
		}
	}
}

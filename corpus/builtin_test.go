package corpus

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// topics holds, for every topic of the built-in corpus, its object and its five actions.
var topics = map[string]string{
	"physics":   "piston scan heat cool press read",
	"chemistry": "beaker pour stir boil filter weigh",
	"genetics":  "genome splice copy mark fold trim",
	"signals":   "antenna tune sample fade boost clip",
	"law":       "docket call swear plead argue rule",
	"orbits":    "probe burn coast dock turn vent",
	"logistics": "crane hoist swing lower lash tow",
	"markets":   "ledger bid price pack sell hedge",
	"files":     "folder open move zip sync lock",
	"apis":      "gateway fetch post retry cache route",
	"farming":   "pump plow sow water reap store",
	"kitchen":   "oven chop bake salt serve glaze",
	"mining":    "drill dig haul wash crush sift",
	"clinic":    "monitor test dose bind rest treat",
	"theatre":   "lamp cue dim raise spin bow",
	"aviation":  "radar taxi climb land hold bank",
	"foundry":   "kiln melt cast quench forge grind",
	"astronomy": "mirror aim focus track record close",
	"garage":    "engine jack bolt oil tighten crank",
	"rail":      "switch couple brake shunt halt load",
	"power":     "turbine start shed charge ground stop",
	"weather":   "balloon launch rise sink warn plot",
	"ecology":   "pond net tag feed drain seed",
	"music":     "organ tap mute hum strike drone",
}

// heldOut are the words of the themes that only the held-out suites use.
const heldOut = "school bell teach write draw grade sing brewery vat mash steep hop chill rack " +
	"weaving loom warp weft dye knot comb forest trap fell clear plant stack limb"

// cues say by which words a passage names its mechanic.
var cues = map[string]*regexp.Regexp{
	"table": regexp.MustCompile(`\b(table|chart|list)\b`),
	"next":  regexp.MustCompile(`\b(ring|circle)\b`),
	"sum":   regexp.MustCompile(`\brunning (total|sum)\b`),
	"rank": regexp.MustCompile(`\bthree\b.*\b(largest|biggest|greatest)\b` +
		`|\b(largest|biggest|greatest)\b.*\bthree\b`),
	"stack":  regexp.MustCompile(`\blast\b.*\bfirst\b`),
	"alt":    regexp.MustCompile(`\b(larger|bigger)\b.*\bsmaller\b`),
	"walk":   regexp.MustCompile(`\b(left or right|right or left)\b.*\bgoal\b`),
	"lag":    regexp.MustCompile(`\bprevious\b`),
	"tune":   regexp.MustCompile(`\bdial\b`),
	"tank":   regexp.MustCompile(`\bempty\b.*\bfull\b|\bfull\b.*\bempty\b`),
	"face":   regexp.MustCompile(`\bcompass\b`),
	"cell":   regexp.MustCompile(`\blatest\b`),
	"bounce": regexp.MustCompile(`\bback and forth\b`),
	"duel":   regexp.MustCompile(`\bbeats\b`),
	"wheel":  regexp.MustCompile(`\bforward or back\b`),
	"gap":    regexp.MustCompile(`\bdifference\b`),
}

var wordPattern = regexp.MustCompile(`[A-Za-z0-9']+`)

func TestBuiltin(t *testing.T) {
	c := Builtin()
	if c.Len() != 408 || c.Files()[0].Skipped != 0 {
		t.Fatalf("%d passages, %+v", c.Len(), c.Files())
	}
	themeOf := map[string]string{}
	for topic, words := range topics {
		for w := range strings.FieldsSeq(words) {
			themeOf[w] = topic
		}
	}
	perTopic, perPair, seen := map[string]int{}, map[[2]string]int{}, map[string]bool{}
	for i := range c.Len() {
		p, err := c.Passage(i)
		if err != nil {
			t.Fatal(err)
		}
		topic, skill := p.Meta["topic"].(string), p.Skill()
		perTopic[topic]++
		perPair[[2]string{topic, skill}]++
		if seen[p.Text] {
			t.Errorf("twice: %s", p.Text)
		}
		seen[p.Text] = true
		if n := len(strings.Fields(p.Text)); n < 18 || n > 30 {
			t.Errorf("%d words: %s", n, p.Text)
		}
		words := wordPattern.FindAllString(p.Text, -1)
		for w := range strings.FieldsSeq(topics[topic]) {
			if !slices.Contains(words, w) {
				t.Errorf("%s without %q: %s", topic, w, p.Text)
			}
		}
		for _, w := range words {
			w = strings.ToLower(w)
			if slices.Contains(strings.Fields(heldOut), w) || themeOf[w] != "" && themeOf[w] != topic {
				t.Errorf("%s with the word %q of another theme: %s", topic, w, p.Text)
			}
		}
		for mechanic, cue := range cues {
			if cue.MatchString(p.Text) != (mechanic == skill) {
				t.Errorf("%s passage, cue of %s wrong: %s", skill, mechanic, p.Text)
			}
		}
	}
	for topic := range topics {
		if perTopic[topic] != 17 {
			t.Errorf("%d passages on %s", perTopic[topic], topic)
		}
		for skill := range cues {
			if perPair[[2]string{topic, skill}] == 0 {
				t.Errorf("no passage on %s for %s", topic, skill)
			}
		}
	}
}

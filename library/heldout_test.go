package library

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spade"
)

// The suite is frozen: a change of this number makes all earlier measurements incomparable.
const suiteSHA256 = "add30f157961e34fcd12c860d14af3059ab408f644097b8bea12b47a18a8f999"

func TestSuiteIsFrozen(t *testing.T) {
	sum := sha256.Sum256(suiteFile)
	if got := hex.EncodeToString(sum[:]); got != suiteSHA256 {
		t.Errorf("the suite's SHA-256 is %s, want %s", got, suiteSHA256)
	}
}

func TestSuiteIsWhatTheGeneratorMakes(t *testing.T) {
	if !reflect.DeepEqual(HeldOut(), MakeHeldOut()) {
		t.Error("the library makes another suite now: measurements made with this one could not be repeated from its source")
	}
}

func TestSuiteHoldsWhatItPromises(t *testing.T) {
	families := map[string]int{}
	ids := map[string]bool{}
	seeds := map[int64]bool{}
	for _, item := range HeldOut() {
		family, length, _ := strings.Cut(item.Family, "-")
		families[family]++
		if ids[item.ID] || item.ID != spade.ContentID(item.Source) {
			t.Errorf("id %s is taken or not that of the source", item.ID)
		}
		ids[item.ID] = true
		for _, seed := range item.Seeds {
			if seed < spade.TrainingSeeds || seeds[seed] {
				t.Errorf("%s: seed %d is one of training or of another environment", item.ID, seed)
			}
			seeds[seed] = true
		}
		traits, known := Inspect(item.Source)
		if family == FamilyForeign {
			continue
		}
		theme, _ := ThemeOf(traits.Topic)
		if !known || !Fair(traits.Horizon, traits.Lives, traits.Twisted) || traits.Mute || traits.Decoy {
			t.Fatalf("%+v, %v of\n%s", traits, known, item.Source)
		}
		held := map[string]bool{
			FamilyHorizon: length == fmt.Sprintf("%02d", traits.Horizon) && reserved(item.Source),
			FamilyTheme:   theme.HeldOut,
			FamilyRule:    slices.Contains(Twists(traits.Mechanic, true), item.Hint),
			FamilyCompose: strings.Contains(item.Source, "if s.r.randrange(2):"),
		}
		for family, is := range held {
			if is != strings.HasPrefix(item.Family, family) {
				t.Errorf("%s of family %s: held out by %s is %v", item.ID, item.Family, family, is)
			}
		}
	}
	episodes := len(seeds)
	if episodes < 1200 || len(families) != 9 {
		t.Errorf("%d episodes, families %v", episodes, families)
	}
	for family, n := range families {
		if n < 18 {
			t.Errorf("%d environments of family %s", n, family)
		}
	}
}

func TestWarmStartNeverShowsTheSuite(t *testing.T) {
	suite := map[string]bool{}
	for _, item := range HeldOut() {
		suite[item.Source] = true
	}
	passages := builtin(t)
	heldOutWord := map[string]bool{}
	for _, theme := range themesFor(true) {
		for _, w := range append([]string{theme.Object, theme.stem()}, theme.Words[:]...) {
			heldOutWord[w] = true
		}
	}
	longest := 0
	for i := range warmDocuments {
		d := Documents(1, i, passages)
		if d.Role != spade.Designer {
			longest = max(longest, (len(d.Messages)+1)/2)
			continue
		}
		remembered, written, hint := sources(t, d)
		for _, source := range append(remembered, written) {
			traits, ok := Inspect(source)
			theme, _ := ThemeOf(traits.Topic)
			if !ok || suite[source] || reserved(source) || theme.HeldOut || strings.Contains(source, "if s.r.randrange(2):") {
				t.Fatalf("document %d shows what is held out:\n%s", i, source)
			}
			for _, w := range strings.FieldsFunc(source, func(c rune) bool { return c < 'A' || c > 'z' }) {
				if heldOutWord[strings.TrimSuffix(w, "Env")] {
					t.Fatalf("document %d says %q", i, w)
				}
			}
			for _, rule := range mechanicNamed(traits.Mechanic).rules {
				if rule.heldOut && rule.out != "" && regexp.MustCompile(`s\.c=str\([^;\n]*`+regexp.QuoteMeta(rule.out)+`\)`).MatchString(source) {
					t.Fatalf("document %d uses %q, which is held out, in\n%s", i, rule.name, source)
				}
			}
		}
		if traits, _ := Inspect(written); slices.Contains(Twists(traits.Mechanic, true), hint) {
			t.Fatalf("document %d hints at %q", i, hint)
		}
	}
	if longest > MaxDrawn+1 {
		t.Errorf("a demonstration of play has %d turns", longest)
	}
}

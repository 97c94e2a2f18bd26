package library

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"spade"
)

// The suite is frozen: a change of this number makes all earlier measurements incomparable.
const suiteSHA256 = "df004c67d880b3527f67b0dc5e7842a9586d85c8f77d0af92117310a9da79c9b"

func TestSuiteIsFrozen(t *testing.T) {
	sum := sha256.Sum256(suiteFile)
	if got := hex.EncodeToString(sum[:]); got != suiteSHA256 {
		t.Errorf("the suite's SHA-256 is %s, want %s", got, suiteSHA256)
	}
}

func TestSuiteHoldsWhatItPromises(t *testing.T) {
	families := map[string]int{}
	ids := map[string]bool{}
	horizons := map[int]int{}
	for _, item := range HeldOut() {
		families[item.Family]++
		if ids[item.ID] || item.ID != spade.ContentID(item.Source) {
			t.Errorf("id %s is taken or not that of the source", item.ID)
		}
		ids[item.ID] = true
		if len(item.Seeds) < 3 || len(slices.Compact(slices.Sorted(slices.Values(item.Seeds)))) != len(item.Seeds) {
			t.Errorf("%s: seeds %v", item.ID, item.Seeds)
		}
		traits, ok := Inspect(item.Source)
		if !ok || !Fair(traits.Horizon, traits.Lives, traits.Twisted) {
			t.Fatalf("%+v, %v of\n%s", traits, ok, item.Source)
		}
		theme, _ := ThemeOf(traits.Topic)
		held := map[string]bool{
			FamilyHorizon: traits.Horizon > MaxHorizon,
			FamilyTheme:   theme.HeldOut,
			FamilyRule:    slices.Contains(Twists(traits.Mechanic, true), item.Hint),
			FamilyCompose: strings.Contains(item.Source, "if s.r.randrange(2):"),
		}
		for family, is := range held {
			if is != (family == item.Family) {
				t.Errorf("%s of family %s: held out by %s is %v", item.ID, item.Family, family, is)
			}
		}
		if item.Family == FamilyHorizon {
			horizons[traits.Horizon]++
		}
	}
	if n := len(ids); n < 95 || 100*families[FamilyHorizon] < 53*n || len(families) != 4 {
		t.Errorf("%d environments, families %v", n, families)
	}
	if len(horizons) != 4 || horizons[14] == 0 || horizons[16] == 0 || horizons[18] == 0 || horizons[20] == 0 {
		t.Errorf("horizons %v", horizons)
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
	heldOutRule := map[string]bool{}
	for _, m := range mechanics {
		for _, rule := range m.rules {
			if rule.heldOut {
				heldOutRule[m.name+" "+rule.name] = true
				heldOutRule[m.name+" "+rule.python] = true
			}
		}
	}
	for i := range warmDocuments {
		d := Documents(1, i, passages)
		if d.Role != spade.Designer {
			continue
		}
		remembered, written, hint := sources(t, d)
		for _, source := range append(remembered, written) {
			traits, ok := Inspect(source)
			theme, _ := ThemeOf(traits.Topic)
			if !ok || suite[source] || traits.Horizon > MaxHorizon || theme.HeldOut || strings.Contains(source, "if s.r.randrange(2):") {
				t.Fatalf("document %d shows what is held out:\n%s", i, source)
			}
			for _, w := range strings.FieldsFunc(source, func(c rune) bool { return c < 'A' || c > 'z' }) {
				if heldOutWord[strings.TrimSuffix(w, "Env")] {
					t.Fatalf("document %d says %q", i, w)
				}
			}
			for held := range heldOutRule {
				mechanic, rule, _ := strings.Cut(held, " ")
				if traits.Mechanic == mechanic && (strings.Contains(source, "="+rule) || strings.Contains(source, "("+rule+")")) {
					t.Fatalf("document %d uses %q in\n%s", i, rule, source)
				}
			}
		}
		if traits, _ := Inspect(written); heldOutRule[traits.Mechanic+" "+hint] {
			t.Fatalf("document %d hints at %q", i, hint)
		}
	}
}

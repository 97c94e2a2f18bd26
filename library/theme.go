package library

import (
	"slices"
	"strings"
	"unicode"
)

// Theme is what an environment is about: it lends it the name and the words.
type Theme struct {
	// Topic is the topic of the built-in corpus that the theme belongs to.
	Topic string
	// Object names the environment: "crane" gives the class CraneEnv.
	Object string
	// Words are the five verbs of the theme in base form.
	Words [5]string
	// HeldOut themes occur in the held-out suite and, as words only, in a few demonstrations of play. They
	// never occur in a design.
	HeldOut bool
}

var themes = []Theme{
	{Topic: "physics", Object: "piston", Words: [5]string{"scan", "heat", "cool", "press", "read"}},
	{Topic: "chemistry", Object: "beaker", Words: [5]string{"pour", "stir", "boil", "filter", "weigh"}},
	{Topic: "genetics", Object: "genome", Words: [5]string{"splice", "copy", "mark", "fold", "trim"}},
	{Topic: "signals", Object: "antenna", Words: [5]string{"tune", "sample", "fade", "boost", "clip"}},
	{Topic: "law", Object: "docket", Words: [5]string{"call", "swear", "plead", "argue", "rule"}},
	{Topic: "orbits", Object: "probe", Words: [5]string{"burn", "coast", "dock", "turn", "vent"}},
	{Topic: "logistics", Object: "crane", Words: [5]string{"hoist", "swing", "lower", "lash", "tow"}},
	{Topic: "markets", Object: "ledger", Words: [5]string{"bid", "price", "pack", "sell", "hedge"}},
	{Topic: "files", Object: "folder", Words: [5]string{"open", "move", "zip", "sync", "lock"}},
	{Topic: "apis", Object: "gateway", Words: [5]string{"fetch", "post", "retry", "cache", "route"}},
	{Topic: "farming", Object: "pump", Words: [5]string{"plow", "sow", "water", "reap", "store"}},
	{Topic: "kitchen", Object: "oven", Words: [5]string{"chop", "bake", "salt", "serve", "glaze"}},
	{Topic: "mining", Object: "drill", Words: [5]string{"dig", "haul", "wash", "crush", "sift"}},
	{Topic: "clinic", Object: "monitor", Words: [5]string{"test", "dose", "bind", "rest", "treat"}},
	{Topic: "theatre", Object: "lamp", Words: [5]string{"cue", "dim", "raise", "spin", "bow"}},
	{Topic: "aviation", Object: "radar", Words: [5]string{"taxi", "climb", "land", "hold", "bank"}},
	{Topic: "foundry", Object: "kiln", Words: [5]string{"melt", "cast", "quench", "forge", "grind"}},
	{Topic: "astronomy", Object: "mirror", Words: [5]string{"aim", "focus", "track", "record", "close"}},
	{Topic: "garage", Object: "engine", Words: [5]string{"jack", "bolt", "oil", "tighten", "crank"}},
	{Topic: "rail", Object: "switch", Words: [5]string{"couple", "brake", "shunt", "halt", "load"}},
	{Topic: "power", Object: "turbine", Words: [5]string{"start", "shed", "charge", "ground", "stop"}},
	{Topic: "weather", Object: "balloon", Words: [5]string{"launch", "rise", "sink", "warn", "plot"}},
	{Topic: "ecology", Object: "pond", Words: [5]string{"net", "tag", "feed", "drain", "seed"}},
	{Topic: "music", Object: "organ", Words: [5]string{"tap", "mute", "hum", "strike", "drone"}},
	{Topic: "school", Object: "bell", Words: [5]string{"teach", "write", "draw", "grade", "sing"}, HeldOut: true},
	{Topic: "brewery", Object: "vat", Words: [5]string{"mash", "steep", "hop", "chill", "rack"}, HeldOut: true},
	{Topic: "weaving", Object: "loom", Words: [5]string{"warp", "weft", "dye", "knot", "comb"}, HeldOut: true},
	{Topic: "forest", Object: "trap", Words: [5]string{"fell", "clear", "plant", "stack", "limb"}, HeldOut: true},
}

// Themes returns the themes, the held-out ones last.
func Themes() []Theme { return slices.Clone(themes) }

// ThemeOf returns the theme of a topic.
func ThemeOf(topic string) (Theme, bool) {
	return themeWhere(func(t Theme) bool { return t.Topic == topic })
}

func themeWhere(is func(Theme) bool) (Theme, bool) {
	i := slices.IndexFunc(themes, is)
	if i < 0 {
		return Theme{}, false
	}
	return themes[i], true
}

// themesFor returns the themes that are held out, or those that are not.
func themesFor(heldOut bool) []Theme {
	return slices.DeleteFunc(Themes(), func(t Theme) bool { return t.HeldOut != heldOut })
}

// stem is the theme's object as it stands in the name of a class.
func (t Theme) stem() string {
	first, rest := t.Object[:1], t.Object[1:]
	return string(unicode.ToUpper(rune(first[0]))) + rest
}

// sentence joins words as they stand in the source: each behind a space.
func sentence(words []string) string { return " " + strings.Join(words, " ") }

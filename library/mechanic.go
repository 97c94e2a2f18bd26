package library

import (
	"math/rand/v2"
	"slices"
)

// Plain is the hint of an environment without a twist.
const Plain = "plain"

// rule is one way in which a mechanic can want its answer.
type rule struct {
	name string
	// python is the expression or call that stands for it in the source.
	python string
	// heldOut rules occur in the held-out suite only.
	heldOut bool
}

// mechanic is one kind of environment. Its texts are Python with four places to fill: <name>, <words>, <size>
// and <rule>. Its simulation says the same things in Go.
type mechanic struct {
	name string
	// rules[0] is the plain rule, the others are twists.
	rules []rule
	// sizes are the values that the mechanic's literal can take; twistSizes, if any, those under a twist.
	sizes, twistSizes []int
	// minWords and maxWords bound how many words of the theme it uses. A mechanic of one word only names it, so
	// that every environment shows what it is about.
	minWords, maxWords int
	// opcode is the word of the first observation that names the mechanic.
	opcode string
	// setup is what reset does after seeding; opening is the expression that follows name and opcode in the
	// first observation, "" if nothing does; ask is the body of the method that asks the next question.
	setup, opening, ask string
	// begin starts an episode: it returns what follows name and opcode in the first observation, and the
	// function that asks the question of a turn (0, 1, …) and gives the right answer under every rule, in the
	// order of rules.
	begin func(it *Item, r *rand.Rand) (opening string, ask func(turn int) (question string, answers []string))
}

var mechanics = []mechanic{
	{
		name: "table", opcode: "table", sizes: []int{0}, minWords: 2, maxWords: 5,
		rules:   []rule{{name: Plain, python: "s.v[i]"}},
		setup:   "  s.v=\"<words>\".split();r.shuffle(s.v)\n",
		opening: `" ".join(f"{i} {y}" for i,y in enumerate(s.v))`,
		ask:     "  i=s.r.randrange(len(s.v));s.c=<rule>\n  return f\" ask {i}\"\n",
		begin:   beginTable,
	},
	{
		name: "next", opcode: "ring", sizes: []int{3, 4, 5, 6}, minWords: 1, maxWords: 1,
		rules:   []rule{{name: Plain, python: "s.p[i+1]"}},
		setup:   "  s.p=r.sample(range(20),<size>);s.p+=s.p[:1]\n",
		opening: `" ".join(map(str,s.p))`,
		ask:     "  i=s.r.randrange(len(s.p)-1);s.c=str(<rule>)\n  return f\" after {s.p[i]}\"\n",
		begin:   beginNext,
	},
	{
		name: "sum", opcode: "mod", sizes: []int{5, 6, 8, 10}, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "s.y+x"}, {name: "minus", python: "s.y-x"}, {name: "twice", python: "s.y+x+x"}},
		setup: "  s.m=<size>;s.y=r.randrange(s.m)\n", opening: `f"{s.m} at {s.y}"`,
		ask:   "  x=s.r.randrange(1,4);s.y=(<rule>)%s.m;s.c=str(s.y)\n  return f\" add {x}\"\n",
		begin: beginSum,
	},
	{
		name: "rank", opcode: "rank", sizes: []int{6, 8, 10}, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "max(x,y,z)"}, {name: "small", python: "min(x,y,z)"},
			{name: "middle", python: "sorted((x,y,z))[1]", heldOut: true}},
		ask:   "  x,y,z=s.r.sample(range(<size>),3);s.c=str(<rule>)\n  return f\" {x} {y} {z}\"\n",
		begin: beginRank,
	},
	{
		name: "stack", opcode: "pile", sizes: []int{1, 2, 2, 3}, twistSizes: []int{2, 3}, minWords: 3, maxWords: 5,
		rules: []rule{{name: Plain, python: "pop()"}, {name: "queue", python: "pop(0)"}},
		setup: "  s.w=\"<words>\".split();s.k=[]\n",
		ask: "  if len(s.k)>s.r.randrange(<size>):s.c=s.k.<rule>;return \" pull\"\n" +
			"  s.c=s.r.choice(s.w);s.k.append(s.c)\n  return \" push \"+s.c\n",
		begin: beginStack,
	},
	{
		name: "alt", opcode: "flip", sizes: []int{6, 8, 10}, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "max,min"}, {name: "swap", python: "min,max"},
			{name: "small", python: "min,min", heldOut: true}},
		ask:   "  x,y=s.r.sample(range(<size>),2);s.c=str((<rule>)[s.t%2](x,y))\n  return f\" {x} {y}\"\n",
		begin: beginAlt,
	},
	{
		name: "walk", opcode: "track", sizes: []int{6, 8, 10}, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "s.g>s.x"}, {name: "swap", python: "s.g<s.x"}, {name: "parity", python: "s.x%2"}},
		setup: "  s.n=<size>;s.x=s.g=r.randrange(s.n)\n",
		ask: "  while s.x==s.g:s.g=s.r.randrange(s.n)\n" +
			"  s.c=(\"west\",\"east\")[<rule>];o=f\" at {s.x} goal {s.g}\"\n" +
			"  s.x+=1 if s.g>s.x else -1\n  return o\n",
		begin: beginWalk,
	},
	{
		name: "lag", opcode: "lag", sizes: []int{0}, minWords: 3, maxWords: 5,
		rules: []rule{{name: Plain, python: "s.h[-2]"}, {name: "late", python: "s.h[-3]"},
			{name: "now", python: "s.h[-1]", heldOut: true}},
		setup: "  s.w=\"<words>\".split();s.h=r.sample(s.w,2)\n", opening: `" ".join(s.h)`,
		ask:   "  s.h.append(s.r.choice(s.w));s.c=<rule>\n  return \" see \"+s.h[-1]\n",
		begin: beginLag,
	},
	{
		name: "tune", opcode: "dial", sizes: []int{8, 12, 16}, minWords: 1, maxWords: 1,
		rules: []rule{{name: Plain, python: "x+d"}, {name: "minus", python: "x-d"}, {name: "twice", python: "x+d+d"}},
		ask:   "  x=s.r.randrange(4,<size>);d=s.r.randrange(1,4);s.c=str(<rule>)\n  return f\" {x} off {d}\"\n",
		begin: beginTune,
	},
}

// Mechanics returns the names of the nine mechanics. They are the skills of the embedded model.
func Mechanics() []string {
	names := make([]string, len(mechanics))
	for i, m := range mechanics {
		names[i] = m.name
	}
	return names
}

// Twists returns the names of a mechanic's twists, either those that are held out or those that are not.
func Twists(mechanic string, heldOut bool) []string {
	m := mechanicNamed(mechanic)
	if m == nil {
		return nil
	}
	var names []string
	for _, r := range m.rules[1:] {
		if r.heldOut == heldOut {
			names = append(names, r.name)
		}
	}
	return names
}

func mechanicNamed(name string) *mechanic {
	i := slices.IndexFunc(mechanics, func(m mechanic) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &mechanics[i]
}

// ruleNamed returns the index of a rule, or -1.
func (m *mechanic) ruleNamed(name string) int {
	return slices.IndexFunc(m.rules, func(r rule) bool { return r.name == name })
}

package library

import (
	"fmt"
	"strings"
)

// The shell that all environments share: class, life and horizon, and the step that judges. An action is right
// if it is exactly the boxed answer, so nothing else needs handling; after the end lives stay used up or turns
// exceed the horizon, so nothing pays again. It is written tersely because its length is paid in tokens.
const shell = `import random
class %sEnv:
 def reset(s,seed=None):
  r=s.r=random.Random(seed);s.t=0;s.L=%d;s.b=%d
%s  return %s+s.q(),{}
 def q(s):
%s def solution(s):return s.c
 def step(s,a):
  c=s.c;w=a=="\\boxed{"+c+"}";s.t+=1;s.b-=not w
  if s.b<1 or s.t>s.L:return "lost",0.,True,False,{}
  if s.t==s.L:return "won",1.,True,False,{}
  return (%s)%s+s.q(),0.,False,False,{}`

// What a step says of the answer, and of nothing, before the next question.
const (
	fullVerdict = `"ok" if w else "no "+c`
	muteVerdict = `"ok" if w else "no"`
	decoy       = `+f" near {s.r.randrange(9)}"`
	decoys      = 9 // a decoy is below this
)

func (it *Item) inShell(setup, opening, ask string) string {
	said, aside := fullVerdict, ""
	if it.Mute {
		said = muteVerdict
	}
	if it.Decoy {
		aside = decoy
	}
	return fmt.Sprintf(shell, it.Theme.stem(), it.Horizon, it.Lives, setup, opening, ask, said, aside)
}

func (it *Item) mechanic() *mechanic { return mechanicNamed(it.Mechanic) }

// source writes the environment.
func (it *Item) source() string {
	m := it.mechanic()
	return it.inShell(it.fill(m.setup), it.opening(), it.fill(m.ask))
}

// fill puts the item's own literals into a text of its mechanic.
func (it *Item) fill(text string) string {
	m := it.mechanic()
	rule := m.rules[m.ruleNamed(it.Twist)]
	return strings.NewReplacer("<words>", sentence(it.Words), "<size>", number(it.Size),
		"<rule>", rule.python, "<out>", rule.out).Replace(text)
}

// name is how the first observation begins: the object, a word of the theme where the mechanic deals with
// none, the mark of a twist, the mechanic's word.
func (it *Item) name() string {
	name, m := it.Theme.Object, it.mechanic()
	if m.maxWords == 1 {
		name += " " + it.Words[0]
	}
	if it.Twist != Plain {
		name += " odd"
	}
	return name + " " + m.opcode
}

// opening is the Python expression of the first observation up to the first question.
func (it *Item) opening() string { return it.sayOpening(it.name()) }

func (it *Item) sayOpening(name string) string {
	m := it.mechanic()
	if m.opening == "" {
		return `"` + name + `"`
	}
	if rest, ok := strings.CutPrefix(m.opening, `f"`); ok {
		return `f"` + name + " " + rest
	}
	return `"` + name + ` "+` + m.opening
}

// indent puts one more space before every line.
func indent(lines string) string {
	return " " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n ") + "\n"
}

package admit

import (
	"fmt"
	"slices"
	"strings"

	"spade"
)

// namedEnv reports whether a class is named as the contract of environments asks: other programs know an environment by
// such a name.
func namedEnv(class string) bool { return strings.HasSuffix(class, "Env") }

// misnamed is the reason that refuses an environment by the name of its class.
//
// Catches: sources in which no class with reset and step has a name that ends in Env. Costs: nothing. Cannot see: nothing
// else.
func misnamed(class string) spade.Reason {
	return spade.Reason{
		Code:     spade.Contract,
		Detail:   fmt.Sprintf("the class with reset and step is named %s: its name must end in Env", class),
		Evidence: spade.Evidence{Literal: class},
	}
}

// otherClasses is the warning for sources in which another class could have been meant.
//
// Catches: top-level classes whose names end in Env with reset and step, of their own or from a class in the same source,
// besides the one that the sandbox chose (the last of them) and those that it derives from. Costs: one pass over the
// source. Cannot see: classes that are made at run time.
func otherClasses(tokens []token, chosen string) []spade.Warning {
	classes := topClasses(tokens)
	var others []string
	for _, c := range classes {
		parents := ancestors(classes, chosen)
		if c.name == chosen || slices.Contains(parents, c.name) || !namedEnv(c.name) || slices.Contains(others, c.name) {
			continue
		}
		if has(classes, c.name, "reset") && has(classes, c.name, "step") {
			others = append(others, c.name)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []spade.Warning{{
		Code: "other_classes",
		Detail: fmt.Sprintf("%s was judged; %s could be the environment too: the last class named …Env with reset and step is taken",
			chosen, strings.Join(others, ", ")),
	}}
}

// class is a class statement at the top of a source.
type class struct {
	name           string
	bases, methods []string
}

// topClasses returns the classes of a source in its order.
func topClasses(tokens []token) []*class {
	var classes []*class
	lines := logicalLines(tokens)
	for i, line := range lines {
		if line[0].indent > 0 || len(line) < 2 || line[0].text != "class" || line[0].kind != nameToken {
			continue
		}
		c := &class{name: line[1].text}
		for _, t := range line[2:] {
			if t.kind == nameToken {
				c.bases = append(c.bases, t.text)
			}
		}
		body := block(lines[i+1:], line[0].indent)
		for _, inner := range body {
			if inner[0].indent == body[0][0].indent && len(inner) > 1 && inner[0].text == "def" {
				c.methods = append(c.methods, inner[1].text)
			}
		}
		classes = append(classes, c)
	}
	return classes
}

// ancestors returns the names of the classes that the one called name derives from, near ones first.
func ancestors(classes []*class, name string) []string {
	var found []string
	open := []string{name}
	for len(open) > 0 {
		for _, c := range classes {
			if c.name != open[0] {
				continue
			}
			for _, base := range c.bases {
				if !slices.Contains(found, base) {
					found, open = append(found, base), append(open, base)
				}
			}
		}
		open = open[1:]
	}
	return found
}

// has reports whether the class called name has a method, perhaps from a class it derives from. The base class of tool
// use has both reset and step.
func has(classes []*class, name, method string) bool {
	names := append(ancestors(classes, name), name)
	return slices.Contains(names, "ToolUseBaseEnv") || slices.ContainsFunc(classes, func(c *class) bool {
		return slices.Contains(names, c.name) && slices.Contains(c.methods, method)
	})
}

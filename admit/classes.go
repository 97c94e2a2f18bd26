package admit

import (
	"fmt"
	"slices"
	"strings"

	"spade"
)

// otherClasses is the warning for sources in which another class could have been meant.
//
// Catches: top-level classes with reset and step, of their own or from a class in the same source, besides the one that
// the sandbox chose (the last whose name ends in Env, else the last) and those that it derives from; where a name ends in Env, only
// others that do. Costs: one pass over the source. Cannot see: classes that are made at run time.
func otherClasses(tokens []token, chosen string) []spade.Warning {
	classes := topClasses(tokens)
	meant := func(c *class) bool { return strings.HasSuffix(c.name, "Env") || !strings.HasSuffix(chosen, "Env") }
	var others []string
	for _, c := range classes {
		parents := ancestors(classes, chosen)
		if c.name == chosen || slices.Contains(parents, c.name) || !meant(c) || slices.Contains(others, c.name) {
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
		Detail: fmt.Sprintf("%s was judged; %s could be the environment too: the last class with reset and step is taken, those named …Env before others",
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

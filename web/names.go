package web

import (
	"regexp"
	"slices"
)

var assigned = regexp.MustCompile(`\b(?:self|s)\.(\w+)[ \t]*=`)

// variables are the names of what the methods of a source keep on their object, in the order in which they are set:
// what an agent has to infer where the observations do not say it. They are never nil.
func variables(source string) []string {
	names := []string{}
	for _, m := range assigned.FindAllStringSubmatchIndex(source, -1) {
		start, end := m[0], m[1]
		compared := end < len(source) && source[end] == '='
		if name := source[m[2]:m[3]]; !compared && (start == 0 || source[start-1] != '.') && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// readNames reads the sources of the environments that were added since the last time, for their names. It returns at
// once if somebody else is doing so.
func (x *index) readNames() {
	x.mu.Lock()
	unread := slices.Clone(x.envs[x.read:])
	if x.reading || len(unread) == 0 {
		x.mu.Unlock()
		return
	}
	x.reading = true
	x.mu.Unlock()
	names := make([][]string, len(unread))
	for i, e := range unread {
		env, _ := x.run.Environment(e.env.ID) // the names of what cannot be read are not known
		names[i] = variables(env.Source)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, e := range unread {
		e.names = names[i]
	}
	x.read += len(unread)
	x.reading = false
}

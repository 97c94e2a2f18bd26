package admit

import (
	"fmt"
	"slices"
	"strings"

	"spade"
)

// forbiddenModules reach the network, other processes, native memory or the interpreter itself. A package in this
// list stands for all of its modules.
var forbiddenModules = wordSet(`subprocess multiprocessing concurrent.futures threading _thread socket socketserver
	ssl select selectors ftplib smtplib telnetlib poplib imaplib xmlrpc http.client http.server urllib.request
	requests httpx aiohttp websockets ctypes cffi _ctypes mmap fcntl pty signal resource importlib.util gc inspect
	webbrowser`)

// fileModules hold nothing but access to files.
var fileModules = wordSet("tempfile shutil fileinput sqlite3 shelve dbm")

// osCalls are the members of os that touch files or the machine's settings.
var osCalls = wordSet(`open fdopen getlogin uname listdir scandir walk remove unlink rename replace mkdir makedirs
	rmdir stat access environ getenv putenv getpid chdir getcwd`)

// processCalls are the members of os that start or end other processes.
var processCalls = wordSet("system popen fork kill killpg execv execve execl execvp spawnl spawnv posix_spawn _exit abort")

// fileOpeners are functions of other modules that open files.
var fileOpeners = wordSet(`io.open codecs.open gzip.open bz2.open lzma.open tarfile.open zipfile.ZipFile logging.FileHandler
	np.save np.savez np.savetxt np.load np.loadtxt np.fromfile np.memmap numpy.save numpy.savez numpy.savetxt numpy.load
	numpy.loadtxt numpy.fromfile numpy.memmap`)

// importers are functions that import the module that they are given by name.
var importers = wordSet("__import__ import_module")

// fileMethods are the members of pathlib paths that read or write.
var fileMethods = wordSet("read_text write_text read_bytes write_bytes")

// importReasons finds imports and calls by which an environment would reach outside its episode.
//
// Catches: modules and file access named in the source, whether or not they run. Costs: one pass over the
// tokens. Cannot see: what is reached through getattr, exec or __import__ of a computed name; the jail does.
func importReasons(tokens []token) []spade.Reason {
	var reasons []spade.Reason
	var seen []string
	add := func(code spade.Code, literal, detail string) {
		within := func(known string) bool { return known == literal || strings.HasPrefix(literal, known+".") }
		if !slices.ContainsFunc(seen, within) {
			seen = append(seen, literal)
			evidence := spade.Evidence{Literal: literal}
			reasons = append(reasons, spade.Reason{Code: code, Detail: detail, Evidence: evidence})
		}
	}
	for _, line := range logicalLines(tokens) {
		for _, module := range append(imported(line), importedByName(line)...) {
			switch {
			case listed(forbiddenModules, module):
				add(spade.ForbiddenImport, module, fmt.Sprintf("it imports %s, which environments may not use", module))
			case listed(fileModules, module):
				add(spade.HiddenIO, module, fmt.Sprintf("it imports %s, which keeps state in files", module))
			}
		}
		for i := range line {
			if line[i].text == "os" && neighbour(line, i+1) == "." && processCalls[neighbour(line, i+2)] {
				call := "os." + neighbour(line, i+2)
				add(spade.ForbiddenImport, call, fmt.Sprintf("it uses %s, which reaches other processes", call))
			}
			if call := fileAccess(line, i); call != "" {
				add(spade.HiddenIO, call, fmt.Sprintf("it uses %s: an environment keeps all state in itself", call))
			}
		}
	}
	return reasons
}

// imported returns the modules that a logical line imports; `from a import b` gives both a and a.b.
func imported(line []token) []string {
	if !isImport(line) {
		return nil
	}
	var names []string
	var name strings.Builder
	flush := func() {
		if name.Len() > 0 {
			names = append(names, name.String())
			name.Reset()
		}
	}
	alias := false
	for _, t := range line[1:] {
		switch {
		case t.text == "as":
			alias = true
		case t.text == "import" || t.text == ",":
			flush()
			alias = false
		case t.text != "(" && t.text != ")" && !alias:
			name.WriteString(t.text)
		}
	}
	flush()
	if line[0].text == "from" && len(names) > 0 {
		for i := range names[1:] {
			names[i+1] = names[0] + "." + names[i+1]
		}
	}
	return names
}

// importedByName returns the modules that line imports by a call with their literal name.
func importedByName(line []token) []string {
	var names []string
	for i := 0; i+2 < len(line); i++ {
		if importers[line[i].text] && line[i+1].text == "(" && line[i+2].kind == stringToken {
			names = append(names, line[i+2].text)
		}
	}
	return names
}

// listed reports whether module or a package that holds it is in set.
func listed(set map[string]bool, module string) bool {
	for {
		if set[module] {
			return true
		}
		dot := strings.LastIndexByte(module, '.')
		if dot < 0 {
			return false
		}
		module = module[:dot]
	}
}

// fileAccess returns the file or system access that begins at token i of line, or "".
func fileAccess(line []token, i int) string {
	t := line[i]
	if t.kind != nameToken {
		return ""
	}
	before, after := neighbour(line, i-1), neighbour(line, i+1)
	switch {
	case t.text == "open" && after == "(" && before != "." && before != "def":
		return "open()"
	case t.text == "os" && after == "." && before != "." && osCalls[neighbour(line, i+2)]:
		return "os." + neighbour(line, i+2)
	case before != "." && after == "." && fileOpeners[t.text+"."+neighbour(line, i+2)]:
		return t.text + "." + neighbour(line, i+2)
	case before == "." && after == "(" && fileMethods[t.text]:
		return t.text + "()"
	}
	return ""
}

// neighbour returns the text of token i of line, or "" beyond its ends and for string literals.
func neighbour(line []token, i int) string {
	if i < 0 || i >= len(line) || line[i].kind == stringToken {
		return ""
	}
	return line[i].text
}

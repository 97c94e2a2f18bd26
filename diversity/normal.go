package diversity

import "strings"

// pythonNames are the words that keep their meaning under renaming: keywords, built-in functions and types, and the
// methods and modules of the standard library that environments commonly use. Every other name is its author's choice.
var pythonNames = words(`
	False None True and as assert async await break case class continue def del elif else except finally for from
	global if import in is lambda match nonlocal not or pass raise return try while with yield
	abs all any bin bool bytes chr dict divmod enumerate filter float frozenset getattr hasattr hash hex id int
	isinstance iter len list map max min next object oct ord pow print range repr reversed round set setattr slice
	sorted str sum super tuple type zip Exception ValueError KeyError IndexError
	add append capitalize clear copy count discard endswith extend find format get index insert isalpha isdigit items
	join keys lower lstrip pop popleft remove replace reverse rstrip setdefault sort split splitlines startswith strip
	title translate update upper union intersection difference values zfill
	random Random choice choices randint randrange sample shuffle uniform gauss getrandbits
	math sqrt floor ceil gcd lcm log exp sin cos pi hypot comb factorial prod inf
	re match search fullmatch findall sub compile group groups
	itertools product permutations combinations accumulate chain cycle collections deque Counter defaultdict
	functools reduce lru_cache heapq heappush heappop json dumps loads string ascii_uppercase ascii_lowercase digits
	numpy np array zeros statistics mean median operator
	reset step solution close action seed max_turns __init__ ToolUseBaseEnv
`)

// contractNames are the names of the environments' contract: no source chooses them.
var contractNames = words("reset step solution close action seed max_turns __init__")

func words(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// Normalised returns source with layout, comments, docstrings, imports, names and literals folded: a logical line on each
// line, with what follows a colon, and a space after each token; each name that is its author's choice is n, each number 0, each string s, and a
// list of equal literals is as long as one. Copies of an environment under another theme, with other names, numbers and
// texts, are equal.
func Normalised(source string) string {
	text := strings.Join(normalTokens(lex(source)), " ")
	return strings.ReplaceAll(text, "\n ", "\n")
}

// normalTokens folds the tokens of a source; "\n" ends a line.
func normalTokens(tokens []token) []string {
	own := ownNames(tokens)
	var folded []string
	for len(tokens) > 0 {
		end := 0
		for end < len(tokens) && tokens[end].kind != lineToken {
			end++
		}
		line := tokens[:end]
		if !isImport(line) && !isText(line) {
			for _, t := range line {
				folded = appendFolded(folded, t, own)
			}
			if folded[len(folded)-1] != ":" { // a block may begin on its head's line
				folded = append(folded, "\n")
			}
		}
		tokens = tokens[min(end+1, len(tokens)):]
	}
	return folded
}

// ownNames are the names that a source gives itself: what it defines, and what it assigns to.
func ownNames(tokens []token) map[string]bool {
	own := make(map[string]bool)
	for i, t := range tokens {
		defined := i > 0 && (tokens[i-1].text == "def" || tokens[i-1].text == "class")
		assigned := i+2 < len(tokens) && tokens[i+1].text == "=" && tokens[i+2].text != "="
		if t.kind == nameToken && (defined || assigned) && !contractNames[t.text] {
			own[t.text] = true
		}
	}
	return own
}

// appendFolded appends the folded form of t, which may swallow the last ones: of "s , s" the first is enough.
func appendFolded(folded []string, t token, own map[string]bool) []string {
	word := t.text
	switch {
	case t.kind == numberToken:
		word = "0"
	case t.kind == textToken:
		word = "s"
	case t.kind == nameToken && (own[word] || !pythonNames[word]):
		word = "n"
	}
	if n := len(folded); (word == "0" || word == "s") && n > 0 {
		if folded[n-1] == word { // texts that stand side by side are one
			return folded
		}
		if n > 1 && folded[n-1] == "," && folded[n-2] == word {
			return folded[:n-1]
		}
	}
	return append(folded, word)
}

func isImport(line []token) bool {
	return len(line) > 0 && line[0].kind == nameToken && (line[0].text == "import" || line[0].text == "from")
}

// isText reports whether a line is nothing but text: a docstring.
func isText(line []token) bool {
	for _, t := range line {
		if t.kind != textToken {
			return false
		}
	}
	return true
}

package glob

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error says what is wrong with a pattern.
type Error struct{ Pattern, Reason string }

// Error tells pattern and reason.
func (e *Error) Error() string { return fmt.Sprintf("pattern %q: %s", e.Pattern, e.Reason) }

// parse reads a pattern without alternatives.
func parse(p string) (way, error) {
	var w way
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '*':
			n := 1
			for i+n < len(p) && p[i+n] == '*' {
				n++
			}
			w.tokens, i = stars(w.tokens, p, i, n)
		case '?':
			w.tokens = append(w.tokens, token{kind: one})
			i++
		case '[':
			set, n, err := parseClass(p[i:])
			if err != nil {
				return way{}, err
			}
			w.tokens = append(w.tokens, token{kind: class, set: set})
			i += n
		default:
			if c == '\\' {
				if i++; i == len(p) {
					return way{}, errors.New(`it ends with a backslash; a backslash itself is written \\`)
				}
			}
			_, size := utf8.DecodeRuneInString(p[i:])
			w.tokens = append(w.tokens, token{kind: literal, text: p[i : i+size]})
			i += size
		}
	}
	w.finish()
	return w, nil
}

// stars reads n stars at p[i:] and returns where to go on. Two of them, or more,
// are special where they are a whole part of the path.
func stars(tokens []token, p string, i, n int) ([]token, int) {
	end := i + n
	front := i == 0 || p[i-1] == '/'
	switch {
	case n > 1 && front && end == len(p):
		return append(tokens, token{kind: rest}), end
	case n > 1 && front && p[end] == '/':
		if k := len(tokens); k == 0 || tokens[k-1].kind != folders {
			tokens = append(tokens, token{kind: folders})
		}
		return tokens, end + 1
	}
	if k := len(tokens); k == 0 || tokens[k-1].kind != run {
		tokens = append(tokens, token{kind: run})
	}
	return tokens, end
}

// finish finds the literal end, by which most paths are told apart.
func (w *way) finish() {
	i := len(w.tokens)
	for i > 0 && w.tokens[i-1].kind == literal {
		i--
	}
	var b strings.Builder
	for _, t := range w.tokens[i:] {
		b.WriteString(t.text)
	}
	w.suffix, w.plain = b.String(), i == 0
}

const maxWays = 256

// expand writes out the alternatives of a pattern.
func expand(p string) ([]string, error) {
	open, commas, end, err := braces(p)
	if err != nil {
		return nil, &Error{Pattern: p, Reason: err.Error()}
	}
	if open < 0 {
		return []string{p}, nil
	}
	var all []string
	from := open + 1
	for _, comma := range append(commas, end) {
		more, err := expand(p[:open] + p[from:comma] + p[end+1:])
		if err != nil {
			return nil, err
		}
		if all = append(all, more...); len(all) > maxWays {
			return nil, &Error{Pattern: p, Reason: fmt.Sprintf("its alternatives make more than %d patterns; ask for them one after the other", maxWays)}
		}
		from = comma + 1
	}
	return all, nil
}

// braces finds the first group of alternatives: -1 when there is none.
func braces(p string) (open int, commas []int, end int, err error) {
	open = -1
	depth := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			_, n, err := parseClass(p[i:])
			if err != nil {
				return 0, nil, 0, err
			}
			i += n - 1
		case '{':
			if depth == 0 {
				open = i
			}
			depth++
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		case '}':
			switch depth--; depth {
			case 0:
				return open, commas, i, nil
			case -1:
				return 0, nil, 0, errors.New(`a } has no {; a brace itself is written \}`)
			}
		}
	}
	if depth > 0 {
		return 0, nil, 0, errors.New(`a { has no }; a brace itself is written \{`)
	}
	return -1, nil, 0, nil
}

// A set is a class of characters.
type set struct {
	not    bool
	ranges []rune // pairs
	named  []func(rune) bool
}

func (s *set) has(r rune) bool {
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] <= r && r <= s.ranges[i+1] {
			return !s.not
		}
	}
	for _, f := range s.named {
		if f(r) {
			return !s.not
		}
	}
	return s.not
}

var names = map[string]func(rune) bool{
	"alpha":  unicode.IsLetter,
	"digit":  func(r rune) bool { return '0' <= r && r <= '9' },
	"alnum":  func(r rune) bool { return unicode.IsLetter(r) || '0' <= r && r <= '9' },
	"upper":  unicode.IsUpper,
	"lower":  unicode.IsLower,
	"space":  unicode.IsSpace,
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
	"punct":  func(r rune) bool { return '!' <= r && r <= '~' && !unicode.IsLetter(r) && !unicode.IsDigit(r) },
	"xdigit": func(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) },
}

// parseClass reads the class at the beginning of p and returns its length.
func parseClass(p string) (*set, int, error) {
	s := &set{}
	i := 1
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		s.not = true
		i++
	}
	for first := true; ; first = false {
		switch {
		case i >= len(p):
			return nil, 0, errors.New(`a [ has no ]; a bracket itself is written \[`)
		case p[i] == ']' && !first:
			return s, i + 1, nil
		case strings.HasPrefix(p[i:], "[:"):
			name, _, ok := strings.Cut(p[i+2:], ":]")
			if f := names[name]; ok && f != nil {
				s.named = append(s.named, f)
				i += len(name) + 4
				continue
			}
		}
		low, n, err := classRune(p[i:])
		if err != nil {
			return nil, 0, err
		}
		i += n
		high := low
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			if high, n, err = classRune(p[i+1:]); err != nil {
				return nil, 0, err
			}
			if i += 1 + n; high < low {
				return nil, 0, fmt.Errorf("the range %c-%c runs backwards", low, high)
			}
		}
		s.ranges = append(s.ranges, low, high)
	}
}

func classRune(p string) (rune, int, error) {
	skip := 0
	if p[0] == '\\' {
		skip = 1
	}
	r, n := utf8.DecodeRuneInString(p[skip:])
	if n == 0 {
		return 0, 0, errors.New(`a [ has no ]; a bracket itself is written \[`)
	}
	return r, skip + n, nil
}

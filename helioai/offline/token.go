package offline

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxQuestion is the longest question that is read, in bytes. What is longer
// holds more than a grammar of single sentences can follow.
const maxQuestion = 1500

type tokenKind uint8

const (
	wordToken tokenKind = iota
	numberToken
	symbolToken
	momentToken // a date, a clock time or both
	itemToken   // something already understood, see item
)

// A token is a piece of the question. Passes over the tokens replace what they
// understand by items; what no pass takes and is not a filler word is what the
// planner did not understand.
type token struct {
	kind   tokenKind
	text   string // lower case, without accents
	orig   string // as written
	number float64
	moment *moment
	item   *item
	start  int // in the folded question, in bytes
	end    int
}

// accents folds what questions in English and French hold onto ASCII. What is
// not listed stays as it is and makes a word that nothing knows.
var accents = strings.NewReplacer(
	"é", "e", "è", "e", "ê", "e", "ë", "e", "à", "a", "â", "a", "ä", "a", "î", "i", "ï", "i", "ô", "o", "ö", "o", "ù", "u", "û", "u", "ü", "u", "ç", "c",
	"É", "E", "È", "E", "Ê", "E", "À", "A", "Â", "A", "Ô", "O", "Ç", "C",
	"⁻", "-", "⁺", "+", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9",
	"−", "-", "–", "-", "—", " , ", "‐", "-", "‑", "-", "’", "'", "‘", "'", "ʼ", "'", "“", "\"", "”", "\"", "«", "\"", "»", "\"",
	"≤", "<=", "≥", ">=", "×", "*", "·", " ", "…", " ", "µ", "u", "μ", "u",
	"θ", "theta", "β", "beta", "λ", "lambda", "σ", "sigma", "ρ", "rho", "Δ", "delta", "°", " deg ", "‖", "|", "∥", "|", "¿", " ", "¡", " ",
	"\u00a0", " ", "\u202f", " ", "\u2009", " ", "\t", " ", "\n", " , ", "\r", " ",
)

// contractions are undone before the cut: "isn't", "what's", "l'intensite".
var contractions = []struct {
	form *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?i)n't\b`), " not"},
	{regexp.MustCompile(`(?i)'(?:s|re|ve|ll|m|d)\b`), " "},
	{regexp.MustCompile(`(?i)\bjusqu'`), "until "},
	{regexp.MustCompile(`(?i)\bn'`), "ne "},
	{regexp.MustCompile(`(?i)\b(?:l|d|qu|c|s|j|m|lorsqu)'`), " "},
}

var (
	numberForm  = regexp.MustCompile(`^(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+,\d{1,2}|\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?`)
	ordinalForm = regexp.MustCompile(`^(\d+)(?:st|nd|rd|th|er|eme)`)
	barsForm    = regexp.MustCompile(`^<?\|+ ?([a-z_]+) ?\|+>?`)
	wordForm    = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)
	symbolPairs = []string{"<=", ">=", "==", "!=", "+/-", "->", "..."}
)

// fold brings a question to plain ASCII where it can, with its capitals.
func fold(question string) string {
	text := accents.Replace(question)
	for _, c := range contractions {
		text = c.form.ReplaceAllString(text, c.by)
	}
	return text
}

// tokenize cuts a folded question into tokens. Every byte that is not a blank
// ends up in one of them.
func tokenize(text string) []token {
	lower := asciiLower(text)
	var tokens []token
	for i := 0; i < len(lower); {
		if lower[i] == ' ' {
			i++
			continue
		}
		t, n := nextToken(lower[i:], i == 0 || !isWordByte(lower[i-1]))
		t.orig, t.start, t.end = text[i:i+n], i, i+n
		if t.text == "" {
			t.text = lower[i : i+n]
		}
		tokens = append(tokens, t)
		i += n
	}
	return tokens
}

// nextToken reads the token that rest begins with and returns its length. At a
// boundary there is no letter or digit before it: only there can a time begin
// or a minus be a sign.
func nextToken(rest string, boundary bool) (token, int) {
	head := rest[:min(len(rest), longestMoment)]
	if boundary {
		if m, n := readMoment(rest); m != nil {
			return token{kind: momentToken, moment: m}, n
		}
	}
	if form := barsForm.FindStringSubmatch(head); form != nil {
		return token{kind: wordToken, text: "|" + form[1] + "|"}, len(form[0])
	}
	if form := ordinalForm.FindStringSubmatch(head); form != nil && (len(rest) == len(form[0]) || !isWordByte(rest[len(form[0])])) {
		value, _ := strconv.ParseFloat(form[1], 64)
		return token{kind: numberToken, number: value}, len(form[0])
	}
	sign, digits := 1.0, head
	if boundary && (rest[0] == '-' || rest[0] == '+') {
		digits = head[1:]
		if rest[0] == '-' {
			sign = -1
		}
	}
	if n := len(numberForm.FindString(digits)); n > 0 {
		return token{kind: numberToken, number: sign * parseNumber(digits[:n])}, n + len(head) - len(digits)
	}
	if n := len(wordForm.FindString(rest)); n > 0 {
		return token{kind: wordToken}, n
	}
	for _, pair := range symbolPairs {
		if strings.HasPrefix(rest, pair) {
			return token{kind: symbolToken}, len(pair)
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	return token{kind: symbolToken}, n
}

// parseNumber reads digits with a comma for thousands or for decimals.
func parseNumber(s string) float64 {
	if i := strings.IndexByte(s, ','); i >= 0 {
		if len(s)-i == 4 || strings.Count(s, ",") > 1 || strings.Contains(s, ".") {
			s = strings.ReplaceAll(s, ",", "")
		} else {
			s = strings.Replace(s, ",", ".", 1)
		}
	}
	value, _ := strconv.ParseFloat(s, 64)
	return value
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

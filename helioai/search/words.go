package search

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed synonyms.tsv
var synonymTable string

// A group is a set of phrases that stand for each other.
type group [][]string

var loadSynonyms = sync.OnceValue(func() []group {
	var groups []group
	for line := range strings.Lines(synonymTable) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		quantity, rest, _ := strings.Cut(line, "\t")
		var g group
		for _, phrase := range append([]string{quantity}, strings.Split(rest, ",")...) {
			if words := tokens(phrase); len(words) > 0 {
				g = append(g, words)
			}
		}
		groups = append(groups, g)
	}
	return groups
})

// expand returns the words of a query with their share: 1 for its own, less
// for those that stand for a phrase of it.
func (x *Index) expand(query string) map[string]float64 {
	own := tokens(strings.ReplaceAll(strings.ToLower(query), "solar wind", "solarwind"))
	words := map[string]float64{}
	for _, w := range own {
		words[w] = 1
	}
	if strings.Contains(query, "|B|") || strings.Contains(query, "|b|") {
		own = append(own, "field", "magnitude")
	}
	for _, g := range x.synonyms {
		if !g.in(own) {
			continue
		}
		for _, phrase := range g {
			for _, w := range phrase {
				words[w] = max(words[w], synonymShare)
			}
		}
	}
	return words
}

// in reports whether one of the group's phrases occurs in the words.
func (g group) in(words []string) bool {
	for _, phrase := range g {
		if containsRun(words, phrase) {
			return true
		}
	}
	return false
}

func containsRun(words, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		same := true
		for j, w := range phrase {
			same = same && words[i+j] == w
		}
		if same {
			return true
		}
	}
	return false
}

// tokens splits a text into lower-case runs of letters and digits. A word with
// underscores, hyphens or a change from lower to upper case, as in ABS_B or
// SymH, also counts whole, and BGSEc also as the frame that it holds.
func tokens(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}) {
		parts := strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '-' })
		for _, part := range parts {
			lower := strings.ToLower(part)
			out = append(out, lower)
			out = append(out, frameInside(part, lower)...)
		}
		if len(parts) > 1 {
			out = append(out, strings.ToLower(strings.Join(parts, "")))
		}
	}
	return out
}

// frameInside finds a frame and what stands before it in a name like BGSM.
func frameInside(part, lower string) []string {
	if part == lower || len(lower) < 4 || len(lower) > 7 {
		return nil
	}
	for _, frame := range []string{"gse", "gsm", "rtn"} {
		if i := strings.Index(lower, frame); i > 0 {
			return []string{lower[:i], frame}
		}
	}
	return nil
}

// unitToken writes a unit as one word: km/s as kms, cm^-3 as cm3.
func unitToken(units string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(units) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// missionWords are the words that name a mission. Words that also mean
// something else in a question are left out.
func missionWords(mission string) map[string]bool {
	words := map[string]bool{}
	for _, w := range tokens(mission) {
		if len(w) > 1 && w != "the" && w != "solar" && w != "space" && w != "synthetic" && w != "demo" {
			words[w] = true
		}
	}
	return words
}

package check

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	fenceRE = regexp.MustCompile("(?m)^[ \\t]*(```+|~~~+)[ \\t]*(\\w*)[^\\n]*$")
	spanRE  = regexp.MustCompile("`[^`\\n]+`")
	urlRE   = regexp.MustCompile(`(?i)\b(?:https?://|doi:\s?|www\.|arxiv:\s?)[^\s)\]>"']+|\b10\.\d{4,9}/[^\s)\]>"']+`)
	linkRE  = regexp.MustCompile(`\]\([^)\n]*\)`)
	listNum = regexp.MustCompile(`(?m)^[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+)?(?:\*\*|__)?(\d{1,3})[.)](?:[ \t*_]|$)`)
	heading = regexp.MustCompile(`(?m)^[ \t]*#{1,6}[ \t]+(\d+(?:\.\d+)*[.)]?)[ \t]`)
	citeRE  = regexp.MustCompile(`[\w.)\]][ ]?(\[\d{1,2}(?:[,–-]\d{1,2})*\])`)
	itemRE  = regexp.MustCompile(`\((\d{1,2})\)\s+[A-Za-z]`)
	// "Schwartz (1998)", "Smith et al., 2001", "(Shue, 1998)".
	paperRE = regexp.MustCompile(`\p{Lu}[\pL'-]+(?:\s+et\s+al\.?,?\s+\(?((?:19|20)\d{2})|(?:\s+(?:&|and)\s+\p{Lu}[\pL'-]+)?\s+\(((?:19|20)\d{2})[a-z]?\)|(?:\s+(?:&|and)\s+\p{Lu}[\pL'-]+)?,\s+((?:19|20)\d{2})[a-z]?[);])`)
	dottedN = regexp.MustCompile(`\bv?\d+(?:\.\d+){2,}\w*`)
	uuidRE  = regexp.MustCompile(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`)
	entity  = regexp.MustCompile(`&#x?[0-9A-Fa-f]+;`)
	localID = regexp.MustCompile(`\blocal/[^\s,;=]+`) // of a file whose name may hold anything

	// A number after one of these words is a label: "Figure 2", "Cluster 4".
	labelRE = regexp.MustCompile(`(?i)\b(?:tables?|steps?|panels?|pages?|refs?\.?|reference|appendix|scripts?|attempts?|` +
		`cycle|active region|rotation|orbit|level|` +
		`cluster|helios|voyager|pioneer|goes|mms|explorer|imp|isee|themis|double star|dscovr|stereo|apollo|mars|venus|luna|igrf|shue|jel[ií]nek|tsyganenko|` +
		`no\.|nr\.)[ \t\x{a0}]?[-#]?(\d+)\b`)
	// These may have points: "version 3.9", "eq. 10.3".
	versionRE = regexp.MustCompile(`(?i)\b(?:figures?|figs?\.?|sections?|sect?\.|equations?|eqs?\.?|chapters?|ch\.|version|release|ver\.?|python|numpy|scipy|matplotlib|go|cdf|hapi)[ \t\x{a0}]?v?(\d+(?:\.\d+)*)\b`)
)

// programs are the fences whose content is code rather than a result.
var programs = map[string]bool{"python": true, "py": true, "ipython": true, "go": true, "bash": true, "sh": true, "shell": true,
	"console": true, "idl": true, "matlab": true, "julia": true, "r": true, "c": true, "cpp": true, "js": true, "javascript": true,
	"sql": true, "json": true, "yaml": true, "toml": true, "fortran": true}

func cover(mask []bool, start, end int) {
	for i := start; i < end; i++ {
		mask[i] = true
	}
}

// maskCode masks program text, links and the like.
func maskCode(text string, mask []bool) {
	fences := fenceRE.FindAllStringSubmatchIndex(text, -1)
	for i := 0; i < len(fences); i += 2 {
		end := len(text)
		if i+1 < len(fences) {
			end = fences[i+1][1]
		}
		cover(mask, fences[i][0], fences[i][1])
		if programs[strings.ToLower(text[fences[i][4]:fences[i][5]])] {
			cover(mask, fences[i][0], end)
		}
	}
	for _, re := range []*regexp.Regexp{urlRE, linkRE, uuidRE, entity, localID} {
		for _, at := range re.FindAllStringIndex(text, -1) {
			cover(mask, at[0], at[1])
		}
	}
	// In a span of code the arguments of calls and indices are no results.
	for _, at := range spanRE.FindAllStringIndex(text, -1) {
		for _, arg := range arguments.FindAllStringIndex(text[at[0]:at[1]], -1) {
			cover(mask, at[0]+arg[0], at[0]+arg[1])
		}
	}
}

var arguments = regexp.MustCompile(`[\pL\d_)\]](?:\([^()]*\)|\[[^\[\]]*\])`)

// maskNames masks words that are names although they hold digits: ids, paths,
// file names, hashes.
func maskNames(text string, mask []bool) {
	for i := 0; i < len(text); {
		end := chunkEnd(text, i)
		if end > i && isNameChunk(strings.TrimRight(text[i:end], ".:-/")) {
			cover(mask, i, end)
		}
		_, n := utf8.DecodeRuneInString(text[end:])
		i = end + n
	}
}

// chunkEnd returns where the run of characters of a name that begins at i ends.
func chunkEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !chunkRune(r) {
			break
		}
		i += n
	}
	return i
}

func chunkRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`_./-#%:~\@&+`, r)
}

var (
	extension = regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]{0,6}$`)
	hexRE     = regexp.MustCompile(`^[0-9a-f]{7,}$`)
	hasDigit  = regexp.MustCompile(`\d`)
)

// isNameChunk reports whether a run of characters without blanks is a name.
func isNameChunk(s string) bool {
	letters := strings.IndexFunc(s, unicode.IsLetter)
	if letters < 0 || !hasDigit.MatchString(s) {
		return false
	}
	switch {
	case strings.Contains(s, "@"), strings.Contains(s, "_") && !startsNumber(s), strings.Contains(s, `\`):
		return true
	case hexRE.MatchString(s) && strings.ContainsAny(s, "0123456789") && !exponentRE.MatchString(s):
		return true
	case extension.MatchString(s) && !startsNumber(s):
		return true
	case strings.Contains(s, "/"):
		return isPath(s)
	}
	return false
}

var (
	exponentRE = regexp.MustCompile(`^\d+e\d{1,3}$`)
	timesRE    = regexp.MustCompile(`^[\d:.TZ/+-]+$`)
	numberHead = regexp.MustCompile(`^[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?([^\d.].*)$`)
)

// startsNumber reports whether s is a number with a unit attached.
func startsNumber(s string) bool {
	m := numberHead.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	_, ok := proseUnit(m[1])
	return ok
}

// isPath reports whether s, which holds a slash, a letter and a digit, is a
// path or an id rather than a quotient or an interval of times.
func isPath(s string) bool {
	if timesRE.MatchString(s) || startsNumber(s) {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || !isDigit(part[0]) {
			continue
		}
		// A segment that begins with a digit: is it read as a number otherwise?
		if strings.IndexFunc(part, unicode.IsLetter) >= 0 && !startsNumber(part) {
			return true
		}
	}
	return strings.Count(s, "/") > 1 || unicode.IsLetter(rune(s[0])) || s[0] == '/' || s[0] == '.' || s[0] == '~'
}

// maskLabels masks numbers that only count or name: list numbers, citations,
// versions, "Figure 2". Dates have been taken before.
func maskLabels(text string, mask []bool) {
	inSequence(text, mask, listNum)
	inSequence(text, mask, itemRE)
	for _, re := range []*regexp.Regexp{heading, citeRE, paperRE} {
		for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
			for g := 2; g < len(at); g += 2 {
				cover(mask, max(at[g], 0), at[g+1])
			}
		}
	}
	for _, re := range []*regexp.Regexp{labelRE, versionRE} {
		for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
			// "level 5 nT" and "level 5.2" are no labels.
			_, unit, _ := unitAfter(text, at[3])
			if decimals := re == labelRE && fractionRE.MatchString(text[at[3]:]); unit == "" && !decimals {
				cover(mask, at[2], at[3])
			}
		}
	}
	for _, at := range dottedN.FindAllStringIndex(text, -1) {
		cover(mask, at[0], at[1])
	}
}

var fractionRE = regexp.MustCompile(`^[.,]\d`)

// inSequence masks numbers at the head of items, of which the first is 1 and
// each further one follows its predecessor: a lone "11." is no list.
func inSequence(text string, mask []bool, re *regexp.Regexp) {
	at := re.FindAllStringSubmatchIndex(text, -1)
	next := 1
	for i, m := range at {
		n, err := strconv.Atoi(text[m[2]:m[3]])
		if err == nil && n == 1 && (i+1 < len(at) || re == listNum) {
			next = 1
		}
		if err == nil && n == next {
			cover(mask, m[2], m[3])
			next++
		}
	}
}

package archive

import (
	"slices"
	"strings"
	"unicode"

	"github.com/helios-go/helios/helio/cdf"
)

// Coordinate frames that are recognised as a word, and those that are long and
// rare enough to be recognised inside a variable's name, as in "BGSEc".
var (
	frameWords = []string{"GSE", "GSM", "RTN", "SM", "GEO", "GEI", "GSEQ", "HGI", "HCI", "HEE", "HEEQ", "HAE", "LMN", "J2000", "DSL", "ISR2", "MSO", "VSO", "KSM", "KSO"}
	frameParts = []string{"GSEQ", "GSE", "GSM", "RTN", "HEEQ", "HCI", "HGI", "LMN", "J2000"}
)

// frame returns the coordinate frame of a variable: what COORDINATE_SYSTEM
// says, else the one frame that its name, its labels or its description
// mention, "" where they mention none or several.
func frame(v *cdf.Variable, labels []string) string {
	if said := strings.TrimSpace(v.AttributeString("COORDINATE_SYSTEM")); said != "" {
		said, _, _ = strings.Cut(said, ">")
		return strings.ToUpper(strings.TrimSpace(said))
	}
	return frameIn(v.Name, strings.Join(labels, " "), v.AttributeString("FIELDNAM"), v.AttributeString("CATDESC"), v.AttributeString("DICT_KEY"))
}

// frameIn looks through the texts in turn; the first that mentions a frame
// decides.
func frameIn(name string, texts ...string) string {
	found := words(name)
	if len(found) == 0 {
		upper := strings.ToUpper(name)
		for _, f := range frameParts {
			if strings.Contains(upper, f) {
				return f
			}
		}
	}
	for _, text := range texts {
		if len(found) > 0 {
			break
		}
		found = words(text)
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

// words returns the different frames that a text mentions as words.
func words(text string) []string {
	var found []string
	for _, word := range strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if slices.Contains(frameWords, word) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}

package units

import (
	"regexp"
	"strings"
)

// Markup and spellings that are replaced before a text is parsed.
var (
	idlRaised  = regexp.MustCompile(`!\s*[EeUu]([^!]*)(![Nn])?`)
	idlLowered = regexp.MustCompile(`!\s*[DdLlIi]([^!]*)(![Nn])?`)
	raised     = regexp.MustCompile(`[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
	magnitude  = regexp.MustCompile(`^<\|(.*)\|>$`)
	spacedWord = regexp.MustCompile(`(?i)\b(femto|pico|nano|micro|milli|centi|kilo|mega|giga|tera)[ -]+([a-z])`)
	cubic      = regexp.MustCompile(`(?i)\bcubic[ -]+([a-z]+)`)
	square     = regexp.MustCompile(`(?i)\bsquare[ -]+([a-z]+)`)
	per        = regexp.MustCompile(`(?i)(^|\s)per(\s+|$)`)
	root       = regexp.MustCompile(`(?i)\broot-([A-Za-z]+)`)
	deltaE     = regexp.MustCompile(`(?i)\bdelta-(ev)\b`)
	voltPerM   = regexp.MustCompile(`\b([munp]?V)/M\b`)
	kmPerS     = regexp.MustCompile(`^km_s$`)
	flux       = regexp.MustCompile(`(?i)^flux( per energy)?\s+\(`)
)

var plainSigns = strings.NewReplacer(
	"µ", "u", "μ", "u", "K", "K", "Å", "angstrom", "Å", "angstrom", "Ω", "ohm", "Ω", "ohm",
	"°C", "degC", "℃", "degC", "°", "deg",
	"×", "*", "·", "*", "⋅", "*", "∙", "*", "•", "*",
	"−", "-", "–", "-", "‐", "-", "‑", "-",
	"\u00a0", " ", "\u202f", " ", "\u2009", " ", "\t", " ", "\n", " ", "\r", " ",
	"R⊕", "R_E", "R☉", "R_sun", "R⊙", "R_sun", "√", "sqrt",
	"^{", "^(", "**", "^", `\mathrm`, "", `\rm`, "", `\cdot`, "*", `\,`, " ", "$", "",
)

var lowerSigns = strings.NewReplacer("⁺", "+", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
	"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// clean rewrites markup, typographic signs and words to the plain grammar of
// parse.go.
func clean(s string) string {
	s = idlRaised.ReplaceAllString(s, "^($1) ")
	s = idlLowered.ReplaceAllString(s, "_$1 ")
	s = raised.ReplaceAllStringFunc(s, func(m string) string { return "^(" + lowerSigns.Replace(m) + ")" })
	s = plainSigns.Replace(s)
	if strings.Contains(s, "^(") {
		s = closeBraces(s)
	}
	s = magnitude.ReplaceAllString(strings.TrimSpace(s), "$1")
	s = strings.TrimRight(strings.TrimSpace(s), ".")
	s = spacedWord.ReplaceAllString(s, "$1$2")
	s = cubic.ReplaceAllString(s, "$1^3")
	s = square.ReplaceAllString(s, "$1^2")
	s = flux.ReplaceAllString(s, "(")
	s = per.ReplaceAllString(s, " / ")
	s = root.ReplaceAllString(s, "sqrt($1)")
	s = deltaE.ReplaceAllString(s, "$1")
	s = kmPerS.ReplaceAllString(s, "km/s")
	s = voltPerM.ReplaceAllString(s, "$1/m")
	return strings.Join(strings.Fields(s), " ")
}

// closeBraces turns the brace that closes a LaTeX exponent into the
// parenthesis that "^{" has become.
func closeBraces(s string) string {
	var out strings.Builder
	open := 0
	for i := range len(s) {
		switch {
		case s[i] == '^' && i+1 < len(s) && s[i+1] == '(':
			open++
		case s[i] == '}' && open > 0:
			out.WriteByte(')')
			open--
			continue
		case s[i] == ')' && open > 0:
			open--
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// Words that may stand beside a unit without changing it: quality selections,
// frames, averaging times, how a value was obtained. Anything else in
// parentheses may be a factor ("(thousands)", "(log)") and is not dropped.
var (
	note    = `(?:all|good) q(?:'?s)?|all flags|>\s*\d+|\d+ ?(?:min|sec|hr)|from \w+|w/o [\w ]+|with [\w ]+|qual only if [\w=]+`
	trailer = regexp.MustCompile(`(?i)\s*\((?:` + note + `)\)$`)
	leader  = regexp.MustCompile(`(?i)^\((?:` + note + `)\)\s*`)
	frame   = regexp.MustCompile(`\s+(?:GSE|GSM|DSL|SSL|RTN|SM|GEO|GEI|GCI|MAG|HAE|HEE|HEEQ|HCI|MSO|VSO|KSM|KSO|ICRF|ENP|FAC|RMS)$`)
	// A description with its unit: "attitude change in degrees".
	described = regexp.MustCompile(`^([A-Za-z][A-Za-z -]*) in (\S.*)$`)
	quotedQ   = strings.NewReplacer("’", "'")
)

// unqualified drops such words from both ends.
func unqualified(s string) string {
	s = quotedQ.Replace(s)
	for {
		was := s
		s = trailer.ReplaceAllString(s, "")
		s = leader.ReplaceAllString(s, "")
		s = frame.ReplaceAllString(s, "")
		if s = strings.TrimSpace(s); s == was {
			return s
		}
	}
}

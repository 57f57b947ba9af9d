package units

import (
	"regexp"
	"strings"
)

// phrases are whole texts with a meaning of their own, without case, blanks,
// brackets and punctuation: see squeeze.
var phrases = map[string]struct {
	class Class
	unit  string // parsed in place of the text, for class Measured
}{
	"": {class: Unspecified}, "none": {class: Unspecified}, "null": {class: Unspecified},
	"nan": {class: Unspecified}, "tbd": {class: Unspecified}, "unknown": {class: Unspecified},
	"unspecified": {class: Unspecified}, "undefined": {class: Unspecified}, "notapplicable": {class: Unspecified},

	"unitless": {class: Dimensionless}, "dimensionless": {class: Dimensionless}, "unitlessscalars": {class: Dimensionless},
	"nounits": {class: Dimensionless}, "nounit": {class: Dimensionless}, "unitvector": {class: Dimensionless},
	"ratio": {class: Dimensionless}, "fraction": {class: Dimensionless}, "fractional": {class: Dimensionless},
	"fractionalerror": {class: Dimensionless}, "normalized": {class: Dimensionless}, "normalised": {class: Dimensionless},
	"index": {class: Dimensionless}, "indexvalue": {class: Dimensionless}, "number": {class: Dimensionless},
	"chargestate": {class: Dimensionless}, "ioniccharge": {class: Dimensionless}, "1": {class: Dimensionless},

	"flag": {class: Legend}, "flags": {class: Legend}, "binary": {class: Legend},
	"channel": {class: Legend}, "energychannel": {class: Legend}, "sector": {class: Legend},
	"utc": {class: Legend}, "tai": {class: Legend}, "mjd": {class: Legend},
	"iso8601": {class: Legend}, "yyyyddd": {class: Legend}, "yyyymmdd": {class: Legend}, "hhmm": {class: Legend}, "hhmmss": {class: Legend},

	"degc": {Measured, "degC"}, "degreec": {Measured, "degC"}, "degreesc": {Measured, "degC"}, "celsius": {Measured, "degC"},
	"celcius": {Measured, "degC"}, "degcelsius": {Measured, "degC"}, "degreescelsius": {Measured, "degC"}, "degreecelsius": {Measured, "degC"},
	"degk": {Measured, "K"}, "degkelvin": {Measured, "K"}, "degreesk": {Measured, "K"}, "degreeskelvin": {Measured, "K"}, "degreek": {Measured, "K"},
	"degn": {Measured, "deg"}, "dege": {Measured, "deg"}, "degw": {Measured, "deg"}, "degreesnorth": {Measured, "deg"},
	"degreeseast": {Measured, "deg"}, "degreeswest": {Measured, "deg"}, "degreessouth": {Measured, "deg"},
	"degreenorth": {Measured, "deg"}, "degreeeast": {Measured, "deg"},
	"earthradii": {Measured, "R_E"}, "earthradius": {Measured, "R_E"}, "solarradii": {Measured, "R_sun"}, "solarradius": {Measured, "R_sun"},
	"jovianradii": {Measured, "R_J"}, "jupiterradii": {Measured, "R_J"}, "astronomicalunit": {Measured, "AU"}, "astronomicalunits": {Measured, "AU"},
	"rawcounts": {Measured, "count"},
}

var squeezer = strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", "(", "", ")", "", "[", "", "]", "", "{", "", "}", "", "/", "", ":", "", ",", "", ";", "")

// squeeze reduces a text to what phrases is keyed by.
func squeeze(s string) string { return strings.ToLower(squeezer.Replace(s)) }

// short holds what would collide with units if case or punctuation were
// dropped: "nA" is no "n/a", "uT" no "UT".
var short = map[string]Class{
	"n/a": Unspecified, "N/A": Unspecified, "n.a.": Unspecified, "NA": Unspecified,
	"UT": Legend, "TT": Legend, "JD": Legend, "ID": Legend, "id": Legend,
}

// phrase looks a whole text up, for texts that are words and not products of
// units ("m/s" is never read as "ms").
func phrase(s string) (class Class, unit string, ok bool) {
	if class, ok := short[strings.Trim(s, "()[] ")]; ok {
		return class, "", true
	}
	p, ok := phrases[squeeze(s)]
	return p.class, p.unit, ok
}

var (
	percentOf = regexp.MustCompile(`^% of [\w +-]+$`)
	// A range of codes: "0-31", "(1-4)", "0, 1".
	codeRange = regexp.MustCompile(`^\(?\s*-?\d+\s*[-,]\s*\d+\s*\)?$`)
	// Codes with their meanings: "0-down,1-up", "1-slow mode,6-normal mode".
	codeList   = regexp.MustCompile(`^-?\d+(,\d+)*\s*-\s*[A-Za-z].*[,;].*\d`)
	comparison = regexp.MustCompile(`[<>]=?\s*-?\d|-?\d\s*[<>]`)
	flagged    = regexp.MustCompile(`(?i)\bflags?$`)
	since      = regexp.MustCompile(`(?i)\bsince\b`)
)

// isLegend reports whether a text explains values instead of naming a unit.
func isLegend(s string) bool {
	return strings.Contains(s, "=") || strings.Contains(strings.ToLower(s), " means ") || strings.Contains(s, ":") ||
		codeRange.MatchString(s) || codeList.MatchString(s) || comparison.MatchString(s) || flagged.MatchString(s) || since.MatchString(s)
}

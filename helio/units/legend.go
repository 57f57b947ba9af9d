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

	"arb": {class: Unspecified}, "arbitrary": {class: Unspecified}, "arbitraryunit": {class: Unspecified}, "arbitraryunits": {class: Unspecified},

	"unitless": {class: Dimensionless}, "dimensionless": {class: Dimensionless}, "unitlessscalars": {class: Dimensionless},
	"nounits": {class: Dimensionless}, "nounit": {class: Dimensionless}, "unitvector": {class: Dimensionless},
	"ratio": {class: Dimensionless}, "fraction": {class: Dimensionless}, "fractional": {class: Dimensionless},
	"fractionalerror": {class: Dimensionless}, "normalized": {class: Dimensionless}, "normalised": {class: Dimensionless},
	"index": {class: Dimensionless}, "indexvalue": {class: Dimensionless}, "number": {class: Dimensionless},
	"chargestate": {class: Dimensionless}, "ioniccharge": {class: Dimensionless}, "1": {class: Dimensionless},

	"sats": {class: Dimensionless}, "satellites": {class: Dimensionless}, "commands": {class: Dimensionless}, "resets": {class: Dimensionless},
	"calls": {class: Dimensionless}, "points": {class: Dimensionless}, "datapoints": {class: Dimensionless}, "bursts": {class: Dimensionless},

	"integer": {class: Legend}, "int": {class: Legend}, "integertable": {class: Legend},
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
	"astronomicalunit": {Measured, "AU"}, "astronomicalunits": {Measured, "AU"},
	"rawcounts": {Measured, "count"}, "rawpixelcnts": {Measured, "count"}, "houranddecimalhour": {Measured, "h"},
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
	if numberOf.MatchString(s) {
		return Dimensionless, "", true
	}
	key := squeeze(s)
	if r := byWord[key]; r != nil && (strings.HasSuffix(key, "radii") || strings.HasSuffix(key, "radius")) {
		return Measured, r.symbol, true
	}
	p, ok := phrases[key]
	return p.class, p.unit, ok
}

var (
	// How many of something: "num spins in sum".
	numberOf  = regexp.MustCompile(`^(?i:num|number of) [A-Za-z ]+$`)
	percentOf = regexp.MustCompile(`^% of [\w +-]+$`)
	// A range of codes: "0-31", "(1-4)", "0, 1".
	codeRange = regexp.MustCompile(`^\(?\s*-?\d+\s*[-,]\s*\d+\s*\)?$`)
	// Codes with their meanings: "0-down,1-up", "1-slow mode,6-normal mode".
	codeList   = regexp.MustCompile(`^-?\d+(,\d+)*\s*-\s*[A-Za-z].*[,;].*\d|^\d+[a-z]+-\d+[a-z]+$`)
	comparison = regexp.MustCompile(`[<>]=?\s*-?\d|-?\d\s*[<>]`)
	flagged    = regexp.MustCompile(`(?i)\bflags?$`)
	since      = regexp.MustCompile(`(?i)\bsince\b`)
)

// isLegend reports whether a text explains values instead of naming a unit.
func isLegend(s string) bool {
	return strings.Contains(s, "=") || strings.Contains(strings.ToLower(s), " means ") || strings.Contains(s, ":") ||
		codeRange.MatchString(s) || codeList.MatchString(s) || comparison.MatchString(s) || flagged.MatchString(s) || since.MatchString(s)
}

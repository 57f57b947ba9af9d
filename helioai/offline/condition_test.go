package offline

import (
	"strings"
	"testing"
)

func conditionText(c *condition) string {
	var parts []string
	for _, side := range []struct {
		b         *bound
		op, equal string
	}{{c.low, ">", ">="}, {c.high, "<", "<="}} {
		if side.b == nil {
			continue
		}
		op := side.op
		if side.b.inclusive {
			op = side.equal
		}
		parts = append(parts, op+" "+formatNumber(side.b.value, 6))
	}
	return strings.TrimSpace(strings.Join(parts, " ") + " " + c.unit)
}

func TestConditionsAreReadWithTheirUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"below -2 nT":                     "< -2 nT",
		"less than 300 km/s":              "< 300 km/s",
		"V > 500":                         "> 500",
		"at least 5 nT":                   ">= 5 nT",
		"no more than 10 nanotesla":       "<= 10 nT",
		"did it drop below 1 nT":          "< 1 nT",
		"faster than 500km/s":             "> 500 km/s",
		"between 10 and 20 nT":            ">= 10 <= 20 nT",
		"between 50,000 and 100,000 K":    ">= 50000 <= 100000 K",
		"in the range 10-20 nT":           ">= 10 <= 20 nT",
		"from 10 to 20 nT":                ">= 10 <= 20 nT",
		"above 5 and below 10 nT":         "> 5 < 10 nT",
		"500 km/s or more":                ">= 500 km/s",
		"above 20 per cc":                 "> 20 cm^-3",
		"above 20 cm⁻³":                   "> 20 cm^-3",
		"over 25 /cc":                     "> 25 cm^-3",
		"equal to 1":                      ">= 1 <= 1",
		"negative":                        "< 0",
		"northward":                       "> 0",
		"la densité dépasse-t-elle 10":    "> 10",
		"supérieure à 20 cm-3":            "> 20 cm^-3",
		"inférieur à 0,5 nT":              "< 0.5 nT",
		"reached 600 km/s":                ">= 600 km/s",
		"above 300 kilometers per second": "> 300 km/s",
		"hotter than 0.3 MK":              "> 0.3 MK",
		"below minus 3 nT":                "< -3 nT",
		"more than 5 times":               "",
		"greater than the mean":           "",
		"reached its maximum":             "",
	} {
		p := newParser(text, newCatalog(nil))
		p.readSpans()
		p.readConditions()
		got := ""
		for _, tok := range p.tokens {
			if tok.kind == itemToken && tok.item.kind == conditionItem {
				got += conditionText(tok.item.condition)
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTypingErrorsAreCorrectedAndTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"maxium feild magnitde": "maximum field magnitude",
		"averge speeed":         "average speed",
		"temprature":            "temperature",
		"12 septmber":           "12 september",
		"three days":            "three days",
		"the mead":              "the mead",
		"HP_P_AVGE":             "HP_P_AVGE",
	} {
		p := newParser(text, newCatalog(nil))
		if p.text != want {
			t.Errorf("%q: got %q, want %q", text, p.text, want)
		}
		if (len(p.notes) > 0) != (text != want) {
			t.Errorf("%q: notes %q", text, p.notes)
		}
	}
}

func TestNumbersAreWrittenForReaders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v      float64
		digits int
		want   string
	}{
		{3.670545, 5, "3.6705"}, {5.261000156402588, 7, "5.261"}, {28.399999618530273, 7, "28.4"}, {574620, 7, "574620"},
		{1425031.4, 5, "1425031"}, {1.4787e-10, 5, "1.4787e-10"}, {0, 5, "0"}, {-4.394000053405762, 7, "-4.394"}, {720, 6, "720"},
		{0.005261, 5, "0.005261"}, {12, 9, "12"}, {2.5e12, 3, "2.50e+12"},
	} {
		if got := formatNumber(test.v, test.digits); got != test.want {
			t.Errorf("%v to %d digits: got %s, want %s", test.v, test.digits, got, test.want)
		}
	}
}

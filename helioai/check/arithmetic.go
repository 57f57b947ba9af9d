package check

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helioai/ledger"
)

var (
	operatorRE = regexp.MustCompile(`^\s*([-−–+×·*/÷])\s*[(]?[-−]?\s*$`)
	equalsRE   = regexp.MustCompile(`^\s*[)]?\s*(?:=|≈|≃|~|\\approx)\s*[-−]?\s*$`)
)

// arithmetic looks whether token i is the result of a calculation that stands
// before it, "5.261 - 3.671 = 1.59", and repeats it. shown is false where there
// is none.
func (c *checker) arithmetic(i int) (note string, right, shown bool) {
	if i < 2 {
		return "", false, false
	}
	a, b, r := c.tokens[i-2], c.tokens[i-1], c.tokens[i]
	if a.isTime || b.isTime || a.end > b.start || b.end > r.start || !equalsRE.MatchString(c.text[b.end:r.start]) {
		return "", false, false
	}
	m := operatorRE.FindStringSubmatch(c.text[a.end:b.start])
	if m == nil {
		return "", false, false
	}
	var v float64
	switch m[1] {
	case "+":
		v = a.value + b.value
	case "×", "·", "*":
		v = a.value * b.value
	case "/", "÷":
		v = a.value / b.value
	default:
		v = a.value - b.value
	}
	expression := strings.Join(strings.Fields(c.text[a.start:b.end]), " ")
	if isPercent(r.unit) && !isPercent(a.unit) && !isPercent(b.unit) {
		v /= r.unit.Factor()
	}
	if r.near(v, false) {
		return oneLine(expression), true, true
	}
	return oneLine(fmt.Sprintf("%s gives %s", expression, strconv.FormatFloat(v, 'g', 6, 64))), false, true
}

// fromCounts looks whether a percentage or a whole number follows from two
// counts of the ledger: 11 of 720, or 720 less 11. It returns how, or "".
func (c *checker) fromCounts(t token) string {
	const most = 40
	var counts []float64
	for i := range c.entries {
		if k := &c.entries[i]; k.Kind == ledger.KindNumber && k.Integer && len(counts) < most {
			counts = append(counts, k.Value)
		}
	}
	half := 0.5*math.Pow(10, float64(t.place)) + 1e-9
	for _, a := range counts {
		for _, b := range counts {
			switch {
			case isPercent(t.unit):
				if b > 0 && a <= b && a > 0 && math.Abs(a/b/t.unit.Factor()-t.value) <= half {
					return fmt.Sprintf("%g of %g", a, b)
				}
				if b > 0 && a <= b && a > 0 && math.Abs((1-a/b)/t.unit.Factor()-t.value) <= half {
					return fmt.Sprintf("all but %g of %g", a, b)
				}
			case t.whole && t.value > 0 && a > b && b > 0 && a-b == t.value:
				return fmt.Sprintf("%g - %g", a, b)
			}
		}
	}
	return ""
}

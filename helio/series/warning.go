package series

import (
	"fmt"
	"time"
)

// Warnings returns what a reader should know before relying on the series, a
// sentence each; nil where there is nothing.
func (q Quality) Warnings() []string {
	var out []string
	warn := func(n int, format string, args ...any) {
		if n > 0 {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	if q.MissingPct > 5 {
		out = append(out, fmt.Sprintf("%.1f %% of the values are missing", q.MissingPct))
	}
	if q.NGaps > 0 {
		longest := q.Gaps[0]
		for _, g := range q.Gaps {
			if g.Duration > longest.Duration {
				longest = g
			}
		}
		out = append(out, fmt.Sprintf("%s, such as one of %v after %v", count(q.NGaps, "gap"), longest.Duration.Round(time.Millisecond), longest.Start))
	}
	warn(q.Outliers, "%s more than %d standard deviations from the mean, which may be real", count(q.Outliers, "value"), OutlierSigmas)
	warn(q.Backward, "%s back in time; put them in order with Sorted", count(q.Backward, "step"))
	warn(q.Duplicates, "%s at a time that another has as well", count(q.Duplicates, "record"))
	if q.NConstant > 0 {
		c := q.Constant[0]
		out = append(out, fmt.Sprintf("%s of %d records or more, such as %v from %v to %v", count(q.NConstant, "constant stretch"), ConstantRecords, c.Value, c.Start, c.Stop))
	}
	warn(q.OutOfRange, "%s outside the limits that the source declares as valid", count(q.OutOfRange, "value"))
	return out
}

// count writes a number with its noun.
func count(n int, noun string) string {
	switch {
	case n == 1:
	case noun[len(noun)-1] == 'h':
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

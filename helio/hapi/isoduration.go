package hapi

import (
	"errors"
	"math"
	"strconv"
	"time"
)

var errDuration = errors.New("not a duration")

// parseISODuration reads P1DT2H3M4.5S. A month is 30 days and a year 365.
func parseISODuration(s string) (time.Duration, error) {
	if len(s) < 3 || s[0] != 'P' {
		return 0, errDuration
	}
	day := 24 * time.Hour
	units := map[byte]time.Duration{'Y': 365 * day, 'M': 30 * day, 'W': 7 * day, 'D': day}
	var total float64
	for s = s[1:]; s != ""; {
		if s[0] == 'T' {
			units, s = map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second}, s[1:]
			continue
		}
		i := 0
		for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
			i++
		}
		if i == 0 || i == len(s) || units[s[i]] == 0 {
			return 0, errDuration
		}
		n, err := strconv.ParseFloat(s[:i], 64)
		if err != nil {
			return 0, errDuration
		}
		total += n * float64(units[s[i]])
		s = s[i+1:]
	}
	if total > math.MaxInt64/2 {
		return 0, errDuration
	}
	return time.Duration(math.Round(total)), nil
}

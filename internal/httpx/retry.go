package httpx

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter is how long a server asks to wait: Retry-After-Ms in milliseconds, or
// Retry-After in seconds (fractions too) or as the date of RFC 9110, section 10.2.3,
// rounded up to a millisecond. It is false without such a header, for what is
// neither, and for times that are not to come.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	text := h.Get("Retry-After")
	if d, ok := number(text, time.Second); ok {
		return d, true
	}
	at, err := http.ParseTime(text)
	if err != nil || !at.After(now) {
		return 0, false
	}
	return ceil(at.Sub(now)), true
}

func number(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n > 0) { // also false for a NaN
		return 0, false
	}
	if n *= float64(unit); n >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return ceil(time.Duration(math.Ceil(n))), true
}

// ceil rounds up to a millisecond.
func ceil(d time.Duration) time.Duration {
	if r := d % time.Millisecond; r > 0 && d < math.MaxInt64-time.Millisecond {
		return d - r + time.Millisecond
	}
	return d
}

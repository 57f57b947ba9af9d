package tt

import "fmt"

// String returns t in ISO 8601 with as many decimals as it needs and no more:
// 2023-01-02T03:41:01Z, 2016-12-31T23:59:60.5Z. Fill is "fill".
func (t Time) String() string {
	var b [len("2023-01-02T03:41:01.123456789Z")]byte
	return string(t.AppendFormat(b[:0], -1))
}

// Format returns t in ISO 8601 with that many decimals of the second, 0 to 9;
// what does not fit is cut off, not rounded, so that a time never shows as a
// later one. Fill is "fill".
func (t Time) Format(digits int) string {
	var b [len("2023-01-02T03:41:01.123456789Z")]byte
	return string(t.AppendFormat(b[:0], min(max(digits, 0), 9)))
}

// AppendFormat appends t to b as [Time.Format] writes it, or with digits below 0
// as [Time.String] does.
func (t Time) AppendFormat(b []byte, digits int) []byte {
	if t == Fill {
		return append(b, "fill"...)
	}
	year, month, dayOfMonth, hour, minute, sec, ns := t.Calendar()
	b = appendPair(appendPair(b, year/100), year%100)
	b = appendPair(append(b, '-'), month)
	b = appendPair(append(b, '-'), dayOfMonth)
	b = appendPair(append(b, 'T'), hour)
	b = appendPair(append(b, ':'), minute)
	b = appendPair(append(b, ':'), sec)
	if ns == 0 && digits <= 0 {
		return append(b, 'Z')
	}
	shortest := digits < 0
	if shortest {
		digits = 9
	}
	drop := 9 - min(digits, 9)
	for range drop {
		ns /= 10
	}
	digits = 9 - drop
	for shortest && digits > 0 && ns%10 == 0 {
		ns, digits = ns/10, digits-1
	}
	if digits > 0 {
		b = appendNumber(append(b, '.'), ns, digits)
	}
	return append(b, 'Z')
}

func appendPair(b []byte, n int) []byte {
	return append(b, byte('0'+n/10), byte('0'+n%10))
}

func appendNumber(b []byte, n, width int) []byte {
	for range width {
		b = append(b, '0')
	}
	for i := len(b) - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}

// MarshalText makes t readable in JSON, as [Time.String] writes it.
func (t Time) MarshalText() ([]byte, error) { return t.AppendFormat(nil, -1), nil }

// UnmarshalText reads whatever [Parse] reads, and "fill" or nothing as Fill.
func (t *Time) UnmarshalText(text []byte) error {
	if s := string(text); s == "" || s == "fill" {
		*t = Fill
		return nil
	}
	parsed, err := Parse(string(text))
	if err != nil {
		return fmt.Errorf("read a time: %w", err)
	}
	*t = parsed
	return nil
}

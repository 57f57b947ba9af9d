package tt_test

import (
	"errors"
	"testing"

	"github.com/helios-go/helios/helio/tt"
)

func TestHoursOfADay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, start, stop string }{
		{"2015-03-17 22-23 UT", "2015-03-17T22:00:00Z", "2015-03-17T23:00:00Z"},
		{"2015-03-17 22", "2015-03-17T22:00:00Z", "2015-03-17T23:00:00Z"},
		{"2015-03-17T22:00:00.000Z", "2015-03-17T22:00:00Z", "2015-03-17T23:00:00Z"},
		{"2015-076T22Z", "2015-03-17T22:00:00Z", "2015-03-17T23:00:00Z"},
		{"2015 076 22", "2015-03-17T22:00:00Z", "2015-03-17T23:00:00Z"},
		{"2015 076 22-23", "2015-03-17T22:00:00Z", "2015-03-17T23:00:00Z"},
		{"20150317 00-03 UTC", "2015-03-17T00:00:00Z", "2015-03-17T03:00:00Z"},
		{"17-Mar-2015 21-24UT", "2015-03-17T21:00:00Z", "2015-03-18T00:00:00Z"},
		{"17-OCT-2015 23-00", "2015-10-17T23:00:00Z", "2015-10-18T00:00:00Z"},
		{" 2016-12-31 23-24 ", "2016-12-31T23:00:00Z", "2017-01-01T00:00:00Z"},
		{"2015-03-17 24", "2015-03-18T00:00:00Z", "2015-03-18T01:00:00Z"},
	} {
		start, stop, err := tt.ParseHours(c.in)
		if err != nil || start.String() != c.start || stop.String() != c.stop {
			t.Errorf("ParseHours(%q) = %s, %s, %v, want %s, %s", c.in, start, stop, err, c.start, c.stop)
		}
	}
	for _, in := range []string{"", "UT", "2015-03-17", "2015 076", "17-OCT-2015", "2015-03-17 22:30", "2015-03-17 22-22", "2015-03-17 22-21",
		"2015-03-17 22-25", "2015-03-17 22-2x", "2015-03-17 22:00-23:00", "2015-03-17 24-25", "22-23 UT", "2015-03-17 2-3"} {
		if start, stop, err := tt.ParseHours(in); !errors.Is(err, tt.ErrSyntax) || start != tt.Fill || stop != tt.Fill {
			t.Errorf("ParseHours(%q) = %s, %s, %v, want ErrSyntax", in, start, stop, err)
		}
	}
	if _, _, err := tt.ParseHours("2292-04-11 11-12"); !errors.Is(err, tt.ErrRange) {
		t.Errorf("an hour that ends outside TT2000: %v, want ErrRange", err)
	}
}

func FuzzParseHours(f *testing.F) {
	for _, s := range []string{"2015-03-17 22-23 UT", "2015 076 22", "20150317T22Z", "17-OCT-2015 23-00", "2016-12-31 23", "2292-04-11 11"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		start, stop, err := tt.ParseHours(s)
		if err != nil {
			if start != tt.Fill || stop != tt.Fill {
				t.Fatalf("ParseHours(%q) = %s, %s beside %v", s, start, stop, err)
			}
			return
		}
		if start >= stop || stop.Format(9)[13:] != ":00:00.000000000Z" || start.Format(9)[13:] != ":00:00.000000000Z" {
			t.Fatalf("ParseHours(%q) = %s to %s", s, start, stop)
		}
	})
}

package tt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/tt"
)

func TestParseReadsTheFormsOfArchives(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		// ISO 8601 as HAPI has it, cut from the right.
		{"2016", "2016-01-01T00:00:00Z"},
		{"2016Z", "2016-01-01T00:00:00Z"},
		{"1999-01Z", "1999-01-01T00:00:00Z"},
		{"1999-12", "1999-12-01T00:00:00Z"},
		{"1999-001Z", "1999-01-01T00:00:00Z"},
		{"2015-076", "2015-03-17T00:00:00Z"},
		{"2016-366", "2016-12-31T00:00:00Z"},
		{"2015-07", "2015-07-01T00:00:00Z"},
		{"2016-02-29", "2016-02-29T00:00:00Z"},
		{"2016-01-15T23Z", "2016-01-15T23:00:00Z"},
		{"2016-01-15T23:05", "2016-01-15T23:05:00Z"},
		{"2016-01-15T23:05:06", "2016-01-15T23:05:06Z"},
		{"2016-015T23:05:06.5Z", "2016-01-15T23:05:06.5Z"},
		{"2016-01-15T23:05:06.1Z", "2016-01-15T23:05:06.1Z"},
		{"2016-01-15T23:05:06.123456789Z", "2016-01-15T23:05:06.123456789Z"},
		{"2016-01-15T23:05:06.123456789999Z", "2016-01-15T23:05:06.123456789Z"},
		{"2016-01-15 23:05:06.25", "2016-01-15T23:05:06.25Z"},
		{"  2016-01-15T23:05:06Z\r\n", "2016-01-15T23:05:06Z"},
		// The end of a day, and leap seconds.
		{"2016-01-15T24:00:00Z", "2016-01-16T00:00:00Z"},
		{"2016-01-15T24Z", "2016-01-16T00:00:00Z"},
		{"2016-12-31T24:00", "2017-01-01T00:00:00Z"},
		{"2016-12-31T23:59:60Z", "2016-12-31T23:59:60Z"},
		{"2016-366T23:59:60.999999999Z", "2016-12-31T23:59:60.999999999Z"},
		// Compact, as CDAS and SSC have it.
		{"20150317", "2015-03-17T00:00:00Z"},
		{"20150317T04Z", "2015-03-17T04:00:00Z"},
		{"20150317T0400", "2015-03-17T04:00:00Z"},
		{"20150317T040059Z", "2015-03-17T04:00:59Z"},
		{"20150317T040059.5Z", "2015-03-17T04:00:59.5Z"},
		{"2015076T0400", "2015-03-17T04:00:00Z"},
		{"2015076T040059.5Z", "2015-03-17T04:00:59.5Z"},
		{"20150317040059", "2015-03-17T04:00:59Z"},
		{"20150317040059.25Z", "2015-03-17T04:00:59.25Z"},
		// As SPEDAS has it.
		{"2015-03-17/04:00:59.123", "2015-03-17T04:00:59.123Z"},
		{"2015-076/04", "2015-03-17T04:00:00Z"},
		// Blanks between the parts.
		{"2015 076", "2015-03-17T00:00:00Z"},
		{"2015 076 04", "2015-03-17T04:00:00Z"},
		{"2015 076 04 00 59.25", "2015-03-17T04:00:59.25Z"},
		// As CDF tools print.
		{"17-Mar-2015", "2015-03-17T00:00:00Z"},
		{"17-Mar-2015 04:00:59.123", "2015-03-17T04:00:59.123Z"},
		{"01-dec-1999 00:00:00.000", "1999-12-01T00:00:00Z"},
	} {
		at, err := tt.Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		if got := at.String(); got != c.want {
			t.Errorf("Parse(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, reason string }{
		{"", "empty"},
		{"   ", "empty"},
		{"yesterday", "must begin with a year"},
		{"15-07-01", "must begin with a year"},
		{"201507", "must begin with a year"},
		{"2015076", "must begin with a year"},
		{"2015400T00", "no such day"},
		{"201503170400", "must begin with a year"},
		{"2015031704005", "must begin with a year"},
		{"20150317240001", "24:00:00"},
		{"20150317040059T", "does not belong"},
		{"2015-03/04", "does not belong"},
		{"2015-7-1", "two digits (month) or three"},
		{"2015-07-1", "two digits"},
		{"2015-0701", "two digits (month) or three"},
		{"2015-13-01", "01 to 12"},
		{"2015-00-01", "01 to 12"},
		{"2015-02-29", "no such day"},
		{"2015-04-31", "no such day"},
		{"2015-366", "no such day"},
		{"2015-000", "no such day"},
		{"2015-07-01T", "two digits"},
		{"2015-07-01T4", "two digits"},
		{"2015-07-01T25", "00 to 23"},
		{"2015-07-01T24:00:01", "24:00:00"},
		{"2015-07-01T12:60", "00 to 59"},
		{"2015-07-01T12:00:61", "00 to 59"},
		{"2015-07-01T23:59:60", "no leap second"},
		{"2015-06-30T22:59:60", "no leap second"},
		{"2015-06-30T12:00:60", "no leap second"},
		{"2015-07-01T12:00:00.", "1 to 12 digits"},
		{"2015-07-01T12:00:00.1234567890123", "1 to 12 digits"},
		{"2015-07-01T12:00:00+01:00", "local offset"},
		{"2015-07-01T12:00:00-0500", "local offset"},
		{"2015-07-01T12:00:00Zulu", "does not belong"},
		{"2015-07-01T12:00:00 extra", "does not belong"},
		{"20150317T04005", "two digits"},
		{"2015 76", "does not belong"},
		{"2015 07", "does not belong"},
		{"2015-07T04", "does not belong"},
		{"2015T04", "does not belong"},
		{"2015 076 4", "two digits"},
		{"17-Mrz-2015", "01 to 12"},
		{"17-March-2015", "must begin with a year"},
		{"17-Mar-15", "must begin with a year"},
	} {
		at, err := tt.Parse(c.in)
		switch {
		case err == nil:
			t.Errorf("Parse(%q) = %s, want an error", c.in, at)
		case !errors.Is(err, tt.ErrSyntax):
			t.Errorf("Parse(%q): %v does not wrap ErrSyntax", c.in, err)
		case !strings.Contains(err.Error(), c.reason):
			t.Errorf("Parse(%q): %v does not say %q", c.in, err, c.reason)
		case at != tt.Fill:
			t.Errorf("Parse(%q) = %d beside its error, want Fill", c.in, at)
		}
	}
}

func TestTimesOutsideTheRangeAreErrors(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"1707-09-22T12:12:10.961224192Z", "2292-04-11T11:46:07.670775808Z", "0001", "9999-12-31", "0000-01-01", "1700", "2300"} {
		if at, err := tt.Parse(s); !errors.Is(err, tt.ErrRange) {
			t.Errorf("Parse(%q) = %v, %v, want ErrRange", s, at, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.text)
	}
	for _, s := range []string{"2015-076T24:00", "20150317T040059.123Z", "2015 076 04 00 59.25", "2015076T04", "20150317040059.5", "2015-03-17/04:00", "17-Mar-2015 04:00:59.123", "1964-03-31T23:59:60.05", "1707-09-22T12:12:10.961224193Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := tt.Parse(s)
		if err != nil {
			if at != tt.Fill {
				t.Fatalf("Parse(%q) = %d beside %v", s, at, err)
			}
			return
		}
		back, err := tt.Parse(at.String())
		if err != nil {
			t.Fatalf("Parse(%q) = %s, which is no time: %v", s, at, err)
		}
		if d := back - at; d != 0 && !(drifting(at) && d >= -1 && d <= 1) {
			t.Fatalf("Parse(%q) = %d = %s = %d", s, at, at, back)
		}
	})
}

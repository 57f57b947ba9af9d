package offline

import (
	"strings"
	"testing"
	"time"
)

func mustTime(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// oneDay is like a file of one day, oneMonth like one of hourly means.
func oneDay(t testing.TB) coverage {
	return coverage{mustTime(t, "2023-01-02T00:00:13Z"), mustTime(t, "2023-01-02T23:59:57Z"), 16 * time.Second}
}

func oneMonth(t testing.TB) coverage {
	return coverage{mustTime(t, "2024-09-01T00:00:00Z"), mustTime(t, "2024-09-30T23:00:00Z"), time.Hour}
}

// spansIn reads the times of a text without any data in view.
func spansIn(text string) []*span {
	p := newParser(text, newCatalog(nil))
	p.readSpans()
	var spans []*span
	for _, t := range p.tokens {
		if t.kind == itemToken {
			spans = append(spans, t.item.span)
		}
	}
	return spans
}

func TestTimesAreReadAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ data, text, want string }{
		{"day", "mean field", "all records"},
		{"day", "between 03:00 and 05:30", "2023-01-02T03:00:00Z to 2023-01-02T05:30:00Z"},
		{"day", "from 10:00 to 14:00 UT", "2023-01-02T10:00:00Z to 2023-01-02T14:00:00Z"},
		{"day", "10:00-11:00", "2023-01-02T10:00:00Z to 2023-01-02T11:00:00Z"},
		{"day", "between 6 and 9 UT", "2023-01-02T06:00:00Z to 2023-01-02T09:00:00Z"},
		{"day", "entre 3h et 5h30", "2023-01-02T03:00:00Z to 2023-01-02T05:30:00Z"},
		{"day", "between 8pm and 10pm", "2023-01-02T20:00:00Z to 2023-01-02T22:00:00Z"},
		{"day", "after noon on 2023-002", "2023-01-02T12:00:00Z to 2023-01-03T00:00:00Z"},
		{"day", "after 18:00", "2023-01-02T18:00:00Z to 2023-01-03T00:00:00Z"},
		{"day", "before 06:00", "2023-01-02T00:00:00Z to 2023-01-02T06:00:00Z"},
		{"day", "after 10:00 and before 12:00", "2023-01-02T10:00:00Z to 2023-01-02T12:00:00Z"},
		{"day", "from noon to midnight", "2023-01-02T12:00:00Z to 2023-01-03T00:00:00Z"},
		{"day", "on 2 January 2023 between 03:00 and 05:30", "2023-01-02T03:00:00Z to 2023-01-02T05:30:00Z"},
		{"day", "03:00 to 05:30 on January 2nd", "2023-01-02T03:00:00Z to 2023-01-02T05:30:00Z"},
		{"day", "the first 90 minutes of the day", "2023-01-02T00:00:00Z to 2023-01-02T01:30:00Z"},
		{"day", "second half of 2023-002", "2023-01-02T12:00:00Z to 2023-01-03T00:00:00Z"},
		{"day", "30 minutes before 12:00", "2023-01-02T11:30:00Z to 2023-01-02T12:00:00Z"},
		{"day", "within 10 min of 03:41", "2023-01-02T03:31:00Z to 2023-01-02T03:51:00Z"},
		{"day", "at 12:00", "nearest to 2023-01-02T12:00:00Z"},
		{"day", "at 0341 UT", "nearest to 2023-01-02T03:41:00Z"},
		{"day", "on day 2 of 2023", "2023-01-02T00:00:00Z to 2023-01-03T00:00:00Z"},
		{"month", "on 12 September", "2024-09-12T00:00:00Z to 2024-09-13T00:00:00Z"},
		{"month", "on the 12th", "2024-09-12T00:00:00Z to 2024-09-13T00:00:00Z"},
		{"month", "le 12 septembre 2024", "2024-09-12T00:00:00Z to 2024-09-13T00:00:00Z"},
		{"month", "12.09.2024", "2024-09-12T00:00:00Z to 2024-09-13T00:00:00Z"},
		{"month", "on 13/09/2024", "2024-09-13T00:00:00Z to 2024-09-14T00:00:00Z"},
		{"month", "day 256 of 2024", "2024-09-12T00:00:00Z to 2024-09-13T00:00:00Z"},
		{"month", "DOY 256", "2024-09-12T00:00:00Z to 2024-09-13T00:00:00Z"},
		{"month", "from 2024-09-10 to 2024-09-15", "2024-09-10T00:00:00Z to 2024-09-16T00:00:00Z"},
		{"month", "2024-09-01/2024-09-05", "2024-09-01T00:00:00Z to 2024-09-06T00:00:00Z"},
		{"month", "10-15 September", "2024-09-10T00:00:00Z to 2024-09-16T00:00:00Z"},
		{"month", "between September 12 and 14, 2024", "2024-09-12T00:00:00Z to 2024-09-15T00:00:00Z"},
		{"month", "du 10 au 12 septembre", "2024-09-10T00:00:00Z to 2024-09-13T00:00:00Z"},
		{"month", "entre le 10 et le 15 septembre", "2024-09-10T00:00:00Z to 2024-09-16T00:00:00Z"},
		{"month", "between 2024-09-12T06 and 2024-09-12T18", "2024-09-12T06:00:00Z to 2024-09-12T18:00:00Z"},
		{"month", "in September 2024", "2024-09-01T00:00:00Z to 2024-10-01T00:00:00Z"},
		{"month", "during the first half of September", "2024-09-01T00:00:00Z to 2024-09-16T00:00:00Z"},
		{"month", "the first three days", "2024-09-01T00:00:00Z to 2024-09-04T00:00:00Z"},
		{"month", "in the last 24 hours", "2024-09-30T00:00:00Z to 2024-10-01T00:00:00Z"},
		{"month", "since 20 September", "from 2024-09-20T00:00:00Z"},
		{"month", "after 20 September", "from 2024-09-21T00:00:00Z"},
		{"month", "until 10 September", "before 2024-09-11T00:00:00Z"},
		{"month", "before 10 September", "before 2024-09-10T00:00:00Z"},
		{"month", "in 2024", "2024-01-01T00:00:00Z to 2025-01-01T00:00:00Z"},
		{"month", "from September 1 through September 5", "2024-09-01T00:00:00Z to 2024-09-06T00:00:00Z"},
		{"month", "on 12 September and on 13 September", "2024-09-12T00:00:00Z to 2024-09-13T00:00:00Z; 2024-09-13T00:00:00Z to 2024-09-14T00:00:00Z"},
	} {
		c := oneDay(t)
		if test.data == "month" {
			c = oneMonth(t)
		}
		windows, problem := resolve(spansIn(test.text), c)
		var got []string
		for _, w := range windows {
			got = append(got, w.String())
		}
		if problem != nil {
			got = append(got, "problem: "+problem.reason)
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s, %q:\ngot  %s\nwant %s", test.data, test.text, text, test.want)
		}
	}
}

func TestTimesThatCannotBePlacedAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, want string
		bad        bool
	}{
		{"between 06:00 and 12:00", "a time of day needs its date", false},
		{"from 20 September to 10 September", "not later", true},
		{"from 05:30 to 03:00 on 12 September", "not later", true},
		{"on 12/09/2024", "two ways", true},
		{"on 31 September", "no calendar", true},
		{"at 25:00", "no calendar", true},
		{"at 14:00 pm", "am or pm", true},
		{"on day 366 of 2023", "no calendar", true},
		{"on September 12 and 14", "two separate days", true},
		{"the last 40 days of September", "longer than", true},
		{"12 September and 14 September after 10:00", "not clear", false},
	} {
		_, problem := resolve(spansIn(test.text), oneMonth(t))
		if problem == nil {
			t.Errorf("%q: it is placed, want a problem that says %q", test.text, test.want)
			continue
		}
		if !strings.Contains(problem.reason, test.want) || problem.bad != test.bad {
			t.Errorf("%q:\ngot  %q (bad: %t)\nwant %q (bad: %t)", test.text, problem.reason, problem.bad, test.want, test.bad)
		}
	}
}

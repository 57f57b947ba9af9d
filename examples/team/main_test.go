package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestHelpersWorkSideBySideAndCountForTheLead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // the model's seconds take no time here
		var out strings.Builder
		start := time.Now()
		if err := run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), 4*time.Second; got != want {
			t.Errorf("took %v, want %v: a turn of the lead, two of both helpers at once, another of the lead", got, want)
		}
		got := out.String()
		if want := "6300 tokens, $0.0225\n"; !strings.HasSuffix(got, want) {
			t.Errorf("got:\n%s\nwant the sum of all six turns, %q", got, want)
		}
		for _, name := range []string{"historian", "physicist"} {
			started := strings.Index(got, "lead: "+name+" {")
			searched := strings.Index(got, name+": search {")
			ended := strings.Index(got, name+": done, $0.0075\n")
			if started < 0 || searched < started || ended < searched || ended > strings.Index(got, "lead: done") {
				t.Errorf("got:\n%s\nwant %s to be asked, to search, and to be done before the lead", got, name)
			}
		}
	})
}

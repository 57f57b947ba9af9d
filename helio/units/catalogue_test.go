package units_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/units"
	"github.com/helios-go/helios/internal/testdata"
)

// reviewed is what every distinct unit text of CDAWeb's HAPI catalogue was
// judged to be, read line by line: quoted text, class, canonical spelling.
func reviewed(t *testing.T) map[string][2]string {
	t.Helper()
	f, err := os.Open("testdata/catalogue.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string][2]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.Split(lines.Text(), "\t")
		text, err := strconv.Unquote(part[0])
		if err != nil || len(part) != 3 {
			t.Fatalf("testdata/catalogue.tsv: cannot read line %q", lines.Text())
		}
		want[text] = [2]string{part[1], part[2]}
	}
	return want
}

func TestEveryReviewedTextKeepsItsReading(t *testing.T) {
	t.Parallel()
	for text, want := range reviewed(t) {
		u := units.Parse(text)
		if got := u.Class().String(); got != want[0] {
			t.Errorf("Parse(%q).Class() = %s, want %s (%s)", text, got, want[0], u.Reason())
		}
		if u.Convertible() && u.String() != want[1] {
			t.Errorf("Parse(%q) = %q, want %q", text, u.String(), want[1])
		}
	}
}

// TestTheCatalogueIsMostlyRecognised counts the classes over the real
// catalogue and holds floors, so that a change that loses units is seen.
func TestTheCatalogueIsMostlyRecognised(t *testing.T) {
	t.Parallel()
	uses := catalogue(t)
	known := reviewed(t)
	texts, parameters := map[units.Class]int{}, map[units.Class]int{}
	total := 0
	for text, n := range uses {
		c := units.Parse(text).Class()
		texts[c]++
		parameters[c] += n
		total += n
		if _, ok := known[text]; !ok {
			t.Logf("not in testdata/catalogue.tsv: %q is %s", text, c)
		}
	}
	for _, c := range []units.Class{units.Measured, units.Dimensionless, units.Unspecified, units.Legend, units.Unknown} {
		t.Logf("%-13s %4d of %d texts, %6d of %d parameters", c, texts[c], len(uses), parameters[c], total)
	}
	for _, floor := range []struct {
		class units.Class
		texts int
	}{{units.Measured, 540}, {units.Dimensionless, 34}, {units.Legend, 100}, {units.Unspecified, 8}} {
		if texts[floor.class] < floor.texts {
			t.Errorf("%d texts are %s, want at least %d", texts[floor.class], floor.class, floor.texts)
		}
	}
	if got, most := parameters[units.Unknown], total*6/100; got > most {
		t.Errorf("%d of %d parameters have an unknown unit, want at most %d", got, total, most)
	}
}

// catalogue returns the distinct unit texts of the real catalogue with the
// number of parameters that carry each.
func catalogue(t *testing.T) map[string]int {
	t.Helper()
	f, err := os.Open(testdata.File(t, "data/cdaweb-catalogue.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]int{}
	for dec := json.NewDecoder(z); dec.More(); {
		var dataset struct {
			Parameters []struct{ Units any }
		}
		if err := dec.Decode(&dataset); err != nil {
			t.Fatal(err)
		}
		for _, p := range dataset.Parameters {
			switch u := p.Units.(type) {
			case string:
				uses[u]++
			case []any:
				for _, one := range u {
					if s, ok := one.(string); ok {
						uses[s]++
					}
				}
			}
		}
	}
	return uses
}

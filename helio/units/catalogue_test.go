package units_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/units"
	"github.com/helios-go/helios/internal/testdata"
)

// A reading is what a unit text was judged to be by people who read the descriptions
// of the parameters that carry it.
type reading struct {
	class string
	canon string // of what can be converted
	meant bool   // as a unit, even where it is not understood
}

// reviewed is every distinct unit text of an archive, read one by one. A line holds
// the quoted text, its class, and its canonical spelling; of an unknown text, instead,
// whether it is meant as a "unit" (that we fail to understand) or is "no unit" but a
// quantity, a formula or a name.
func reviewed(t *testing.T, file string) map[string]reading {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]reading{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.Split(lines.Text(), "\t")
		text, err := strconv.Unquote(part[0])
		if err != nil || len(part) != 3 {
			t.Fatalf("testdata/%s: cannot read line %q", file, lines.Text())
		}
		r := reading{class: part[1]}
		switch r.class {
		case "unit", "dimensionless":
			r.canon, r.meant = part[2], true
		case "unknown":
			r.meant = part[2] == "unit"
			if part[2] != "unit" && part[2] != "no unit" {
				t.Fatalf("testdata/%s: line %q does not say what is meant", file, lines.Text())
			}
		}
		want[text] = r
	}
	return want
}

func TestEveryReviewedTextKeepsItsReading(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"catalogue.tsv", "amda.tsv"} {
		for text, want := range reviewed(t, file) {
			u := units.Parse(text)
			if got := u.Class().String(); got != want.class {
				t.Errorf("Parse(%q).Class() = %s, want %s (%s)", text, got, want.class, u.Reason())
			}
			if u.Convertible() && u.String() != want.canon {
				t.Errorf("Parse(%q) = %q, want %q", text, u.String(), want.canon)
			}
		}
	}
}

// TestWhatIsMeantAsAUnitIsUnderstood counts by use. An unknown text that nobody has
// read counts as meant.
func TestWhatIsMeantAsAUnitIsUnderstood(t *testing.T) {
	t.Parallel()
	all, data := catalogue(t)
	for _, c := range []struct {
		archive, file string
		uses          map[string]int
		texts, total  int     // of uses
		floor         float64 // of what is understood of what is meant as a unit
		strict        float64 // the same if every unknown text was meant as one
	}{
		{"CDAWeb, all parameters", "catalogue.tsv", all, 798, 64855, 0.99, 0.975},
		{"CDAWeb, data parameters", "catalogue.tsv", data, 798, 62316, 0.99, 0.975},
		{"AMDA", "amda.tsv", amda(t), 158, 5007, 0.98, 0.98},
	} {
		known := reviewed(t, c.file)
		total, understood, missed, unknown := 0, 0, 0, 0
		var misses []string
		for text, n := range c.uses {
			total += n
			u := units.Parse(text)
			judged, ok := known[text]
			switch {
			case !ok:
				t.Errorf("%s: %q is not in testdata/%s", c.archive, text, c.file)
			case u.Convertible():
				understood += n
			case u.Class() == units.Unknown && judged.meant:
				missed += n
				misses = append(misses, text)
				fallthrough
			case u.Class() == units.Unknown:
				unknown += n
			}
		}
		if total != c.total || len(c.uses) > c.texts {
			t.Errorf("%s has %d uses of %d texts, want %d of %d", c.archive, total, len(c.uses), c.total, c.texts)
		}
		figure := float64(understood) / float64(understood+missed)
		strict := float64(understood) / float64(understood+unknown)
		t.Logf("%s: %d uses of %d texts; %d meant as units, %d understood: %.2f %% (%.2f %% of these and all unknown ones)",
			c.archive, total, len(c.uses), understood+missed, understood, 100*figure, 100*strict)
		slices.SortFunc(misses, func(a, b string) int { return cmp.Or(c.uses[b]-c.uses[a], strings.Compare(a, b)) })
		for _, text := range misses[:min(8, len(misses))] {
			t.Logf("    missed %4d times: %q: %s", c.uses[text], text, units.Parse(text).Reason())
		}
		if figure < c.floor || strict < c.strict {
			t.Errorf("%s: understood %.4f and %.4f, want at least %v and %v", c.archive, figure, strict, c.floor, c.strict)
		}
	}
}

// catalogue returns the distinct unit texts of the real catalogue of CDAWeb with the
// number of parameters that carry each, with and without the time of each dataset.
func catalogue(t *testing.T) (all, data map[string]int) {
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
	all, data = map[string]int{}, map[string]int{}
	for dec := json.NewDecoder(z); dec.More(); {
		var dataset struct {
			Parameters []struct{ Units *string }
		}
		if err := dec.Decode(&dataset); err != nil {
			t.Fatal(err)
		}
		for i, p := range dataset.Parameters {
			if p.Units == nil {
				continue
			}
			all[*p.Units]++
			if i > 0 {
				data[*p.Units]++
			}
		}
	}
	return all, data
}

// amda returns the same for the parameters of AMDA's inventory.
func amda(t *testing.T) map[string]int {
	t.Helper()
	f, err := os.Open(testdata.File(t, "data/amda_obsdatatree.xml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	uses := map[string]int{}
	for dec := xml.NewDecoder(f); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return uses
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "parameter" {
			continue
		}
		for _, a := range start.Attr {
			if a.Name.Local == "units" {
				uses[a.Value]++
			}
		}
	}
}

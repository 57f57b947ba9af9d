package catalog_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/catalog"
	"github.com/helios-go/helios/helio/tt"
)

func windows(t *rapid.T, label string) []catalog.Window {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) catalog.Window {
		a := tt.Time(rapid.IntRange(0, 30).Draw(t, "start"))
		return catalog.Window{Start: a, Stop: a + tt.Time(rapid.IntRange(-1, 8).Draw(t, "length"))}
	}), 0, 8).Draw(t, label)
}

func inAny(ws []catalog.Window, x tt.Time) bool {
	return slices.ContainsFunc(ws, func(w catalog.Window) bool { return w.Start <= x && x < w.Stop })
}

// Every operation on sets against what it means for each single time.
func TestSetsAgreeWithTheirTimes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wa, wb := windows(t, "a"), windows(t, "b")
		a, b := catalog.NewSet(wa...), catalog.NewSet(wb...)
		for name, test := range map[string]struct {
			set  catalog.Set
			want func(bool, bool) bool
		}{
			"a":         {a, func(a, _ bool) bool { return a }},
			"union":     {a.Union(b), func(a, b bool) bool { return a || b }},
			"intersect": {a.Intersect(b), func(a, b bool) bool { return a && b }},
			"minus":     {a.Minus(b), func(a, b bool) bool { return a && !b }},
		} {
			var length int64
			for x := tt.Time(-2); x < 45; x++ {
				want := test.want(inAny(wa, x), inAny(wb, x))
				if got := test.set.Contains(x); got != want {
					t.Fatalf("%s: %d inside is %v, want %v", name, x, got, want)
				}
				if want {
					length++
				}
			}
			if got := int64(test.set.Duration()); got != length || test.set.Empty() != (length == 0) {
				t.Fatalf("%s: lasts %d, want %d", name, got, length)
			}
			ws := test.set.Windows()
			for i, w := range ws {
				if w.Start >= w.Stop || i > 0 && ws[i-1].Stop >= w.Start {
					t.Fatalf("%s: windows %v", name, ws)
				}
			}
		}
		if a.Contains(tt.Fill) {
			t.Fatal("no time is inside")
		}
	})
}

func catalogue(t *rapid.T, label string) *catalog.Catalog {
	c := &catalog.Catalog{Columns: []catalog.Column{{Name: label}, {Name: "both"}}}
	for _, w := range windows(t, label) {
		w.Stop = max(w.Stop, w.Start)
		c.Events = append(c.Events, catalog.Event{Start: w.Start, Stop: w.Stop, Values: []string{rapid.SampledFrom([]string{"", "x"}).Draw(t, "value"), "y"}})
	}
	return c
}

func TestCataloguesPutTogether(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := catalogue(t, "a"), catalogue(t, "b")
		m := catalog.Merge(a, b)
		if len(m.Columns) != 3 {
			t.Fatalf("columns %v", m.Columns)
		}
		for i, e := range m.Events {
			if i > 0 && m.Events[i-1].Start > e.Start {
				t.Fatal("not in order")
			}
			for _, o := range m.Events[:i] {
				if o.Start == e.Start && o.Stop == e.Stop && slices.Equal(o.Values, e.Values) {
					t.Fatal("an event is there twice")
				}
			}
		}
		for k, c := range []*catalog.Catalog{a, b} {
			for _, e := range c.Events {
				want := []string{e.Values[0], e.Values[1], ""}
				if k == 1 {
					want = []string{"", e.Values[1], e.Values[0]}
				}
				if !slices.ContainsFunc(m.Events, func(o catalog.Event) bool {
					return o.Start == e.Start && o.Stop == e.Stop && slices.Equal(o.Values, want)
				}) {
					t.Fatalf("%+v is lost", e)
				}
			}
		}
	})
}

func TestEventsThatOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := catalogue(t, "a"), catalogue(t, "b")
		over, apart := a.Overlapping(b.Cover()), a.Apart(b.Cover())
		if len(over.Events)+len(apart.Events) != len(a.Events) {
			t.Fatal("events are lost or double")
		}
		for _, e := range over.Events {
			if !meets(e, b.Events) {
				t.Fatalf("%+v overlaps nothing", e)
			}
		}
		for _, e := range apart.Events {
			if meets(e, b.Events) {
				t.Fatalf("%+v overlaps", e)
			}
		}
		for x := range tt.Time(40) {
			for _, i := range a.At(x) {
				if e := a.Events[i]; e.Start > x || e.Stop <= x && e.Start != e.Stop {
					t.Fatalf("%+v does not hold %d", e, x)
				}
			}
			if a.Cover().Contains(x) && len(a.At(x)) == 0 {
				t.Fatalf("nothing holds %d", x)
			}
		}
	})
}

func meets(e catalog.Event, others []catalog.Event) bool {
	for x := e.Start; x < max(e.Stop, e.Start+1); x++ {
		if slices.ContainsFunc(others, func(o catalog.Event) bool { return o.Start <= x && x < o.Stop }) {
			return true
		}
	}
	return false
}

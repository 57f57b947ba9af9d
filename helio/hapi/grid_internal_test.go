package hapi

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

func TestCellsAreAPartitionOfEveryWindow(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	from, _ := tt.FromCalendar(1965, 1, 1, 0, 0, 0, 0)
	to, _ := tt.FromCalendar(2060, 1, 1, 0, 0, 0, 0)
	all := steps()
	for range 3000 {
		c := all[random.IntN(len(all))]
		b := all[random.IntN(len(all))]
		if b.long() < c.long() || c.name == "P7D" && b.months > 0 {
			continue
		}
		g := grid{cell: c, block: b}
		start := from + tt.Time(random.Int64N(int64(to-from)))
		stop := start + tt.Time(random.Int64N(int64(min(c.long(), 365*oneDay))*30))
		pos := start
		n := 0
		for at := b.before(start); at < stop; at = b.after(at) {
			for _, cell := range g.cells(at, start, stop) {
				n++
				if cell.start != pos || cell.stop <= cell.start || cell.line > cell.start {
					t.Fatalf("%s in %s from %v: cell %v to %v of line %v after %v", c.name, b.name, start, cell.start, cell.stop, cell.line, pos)
				}
				if c.before(cell.start) != cell.line || c.before(cell.stop-1) != cell.line {
					t.Fatalf("%s: %v to %v is not within one line", c.name, cell.start, cell.stop)
				}
				pos = cell.stop
			}
		}
		if pos != stop {
			t.Fatalf("%s in %s: the cells of %v to %v end at %v", c.name, b.name, start, stop, pos)
		}
		if counted, err := g.count(start, stop); err != nil || counted != n {
			t.Fatalf("%s: %d cells are counted, %v, and there are %d", c.name, counted, err, n)
		}
	}
}

func TestLinesOfTheGrid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ step, at, before, after string }{
		{"PT1S", "2016-12-31T23:59:60.5Z", "2016-12-31T23:59:59Z", "2017-01-01T00:00:00Z"},
		{"PT1M", "2016-12-31T23:59:60.5Z", "2016-12-31T23:59:00Z", "2017-01-01T00:00:00Z"},
		{"PT6H", "1969-12-31T17:00:00Z", "1969-12-31T12:00:00Z", "1969-12-31T18:00:00Z"},
		{"P1D", "2023-01-02T00:00:00Z", "2023-01-02T00:00:00Z", "2023-01-03T00:00:00Z"},
		{"P7D", "2023-01-08T23:00:00Z", "2023-01-02T00:00:00Z", "2023-01-09T00:00:00Z"},
		{"P1M", "2024-02-29T10:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"P1Y", "1999-12-31T23:59:59.999999999Z", "1999-01-01T00:00:00Z", "2000-01-01T00:00:00Z"},
		{"P10Y", "1999-12-31T23:59:59Z", "1990-01-01T00:00:00Z", "2000-01-01T00:00:00Z"},
	} {
		list := steps()
		s := list[slices.IndexFunc(list, func(s step) bool { return s.name == c.step })]
		at, err := tt.Parse(c.at)
		if err != nil {
			t.Fatal(err)
		}
		if s.before(at).String() != c.before || s.after(at).String() != c.after {
			t.Errorf("%s at %s: %v and %v, want %s and %s", c.step, c.at, s.before(at), s.after(at), c.before, c.after)
		}
	}
	for _, s := range steps() {
		if s.before(tt.Min) > tt.Min+tt.Time(s.long()) || s.after(tt.Max) != tt.Max && s.after(tt.Max) < tt.Max-tt.Time(40*365*oneDay) {
			t.Errorf("%s at the ends of time: %v, %v", s.name, s.before(tt.Min), s.after(tt.Max))
		}
	}
}

func TestTheGridFollowsTheDataset(t *testing.T) {
	t.Parallel()
	wide := func(n int) []Parameter {
		return []Parameter{{Name: "Time", Type: IsoTime, Length: 24}, {Name: "x", Type: Double, Size: []int{n}}}
	}
	for _, c := range []struct {
		name        string
		info        Info
		cell, block string
	}{
		{"1 min", Info{Cadence: time.Minute, Parameters: wide(3)}, "P1M", "P1Y"},
		{"16 s", Info{Cadence: 16 * time.Second, Parameters: wide(3)}, "P1D", "P1M"},
		{"1 s", Info{Cadence: time.Second, Parameters: wide(1)}, "PT6H", "P7D"},
		{"1 ms", Info{Cadence: time.Millisecond, Parameters: wide(3)}, "PT10S", "PT10M"},
		{"1 h", Info{Cadence: time.Hour, Parameters: wide(1)}, "P1Y", "P10Y"},
		{"1 day", Info{Cadence: oneDay, Parameters: wide(1)}, "P10Y", "P10Y"},
		{"no cadence", Info{Parameters: wide(3)}, "P1D", "P7D"},
		{"limit of the server", Info{Cadence: time.Minute, MaxRequestDuration: oneDay, Parameters: wide(3)}, "P1D", "P1D"},
		{"short limit", Info{MaxRequestDuration: 90 * time.Second, Parameters: wide(3)}, "PT1M", "PT1M"},
		{"many parameters", Info{Cadence: time.Minute, Parameters: append(wide(1), make([]Parameter, 500)...)}, "P1D", "P1D"},
		{"wide records", Info{Cadence: time.Minute, Parameters: wide(10000)}, "PT1H", "PT6H"},
	} {
		g := cut(&c.info, &c.info, MaxRecords)
		if g.cell.name != c.cell || g.block.name != c.block {
			t.Errorf("%s: cells of %s in blocks of %s, want %s in %s", c.name, g.cell.name, g.block.name, c.cell, c.block)
		}
	}
}

func FuzzStatus(f *testing.F) {
	f.Add("404 HAPI error 1406: unknown dataset", []byte(`{"status":{"code":1406,"message":"x"}}`))
	f.Add("200 OK", []byte(`{"status":{"code":"1201"}}`))
	f.Add("400 1408 too\x00much", []byte(`{"status":[]}`))
	f.Fuzz(func(t *testing.T, reason string, body []byte) {
		a, found := reasonStatus(reason)
		b, inBody := bodyStatus(body)
		for _, s := range []Status{a, b} {
			if strings.ContainsAny(s.Message, "\n\r") || len(s.Message) > 1300 {
				t.Errorf("%q is not one short line", s.Message)
			}
		}
		if found && (a.Code < 1200 || a.Code > 1599) || inBody && b.Code == 0 {
			t.Errorf("codes %d and %d", a.Code, b.Code)
		}
	})
}

func FuzzPiece(f *testing.F) {
	numbers := &Parameter{Name: "x", Type: Double, Size: []int{2}}
	texts := &Parameter{Name: "s", Type: String}
	f.Add(encodePiece([]tt.Time{1, 2}, &Column{Float: []float64{1, 2, 3, 4}}), byte(0))
	f.Add(encodePiece([]tt.Time{1, 2}, &Column{Text: []string{"a", ""}}), byte(1))
	f.Add(encodePiece([]tt.Time{1, 2}, nil), byte(2))
	f.Fuzz(func(t *testing.T, b []byte, kind byte) {
		p := []*Parameter{numbers, texts, texts}[kind%3]
		times, column, err := decodePiece(b, p, kind%3 == 2)
		if err != nil {
			return
		}
		if len(column.Float) != 0 && len(column.Float) != 2*len(times) || column.Text != nil && len(column.Text) != len(times) {
			t.Fatalf("%d times, %d numbers, %d texts", len(times), len(column.Float), len(column.Text))
		}
		again := &column
		if kind%3 == 2 {
			again = nil
		}
		if string(encodePiece(times, again)) != string(b) {
			t.Fatal("it comes out as something else")
		}
	})
}

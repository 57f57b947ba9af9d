package hapi

import (
	"fmt"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// A step is a length of chunks that calendars agree on: every chunk of one step lies
// in one chunk of each longer step, so that what was fetched for one window serves
// another.
type step struct {
	name   string // as ISO 8601 has it
	fixed  time.Duration
	months int // of calendar steps
}

// steps are all of them, short ones first.
func steps() []step {
	return []step{
		{"PT1S", time.Second, 0}, {"PT10S", 10 * time.Second, 0}, {"PT1M", time.Minute, 0}, {"PT10M", 10 * time.Minute, 0},
		{"PT1H", time.Hour, 0}, {"PT6H", 6 * time.Hour, 0}, {"P1D", oneDay, 0}, {"P7D", 7 * oneDay, 0},
		{"P1M", 0, 1}, {"P1Y", 0, 12}, {"P10Y", 0, 120},
	}
}

const oneDay = 24 * time.Hour

// long is the longest chunk of a step.
func (s step) long() time.Duration {
	if s.months > 0 {
		return time.Duration(s.months)*31*oneDay - time.Duration(s.months/12)*6*oneDay
	}
	return s.fixed
}

// before is the last line of the grid at or before t.
func (s step) before(t tt.Time) tt.Time {
	if s.months == 0 {
		ns := t.UnixNanoUTC()
		n := ns - mondays
		rest := n % int64(s.fixed)
		if rest < 0 {
			rest += int64(s.fixed)
		}
		return line(tt.FromUnixNano(ns - rest))(tt.Min)
	}
	n := monthOf(t)
	n -= n % s.months
	return line(tt.FromCalendar(n/12, n%12+1, 1, 0, 0, 0, 0))(tt.Min)
}

// after is the first line of the grid after t.
func (s step) after(t tt.Time) tt.Time {
	if s.months == 0 {
		return line(tt.FromUnixNano(s.before(t).UnixNanoUTC() + int64(s.fixed)))(tt.Max)
	}
	n := monthOf(t)
	n += s.months - n%s.months
	return line(tt.FromCalendar(n/12, n%12+1, 1, 0, 0, 0, 0))(tt.Max)
}

// monthOf is the number of a month since the year 0.
func monthOf(t tt.Time) int {
	year, month, _, _, _, _, _ := t.Calendar() //nolint:dogsled // the rest does not matter
	return year*12 + month - 1
}

// mondays is 1970-01-05, a Monday, where weeks begin.
const mondays = 4 * int64(oneDay)

// line is t, or where the calendar ends its edge.
func line(t tt.Time, err error) func(edge tt.Time) tt.Time {
	return func(edge tt.Time) tt.Time {
		if err != nil {
			return edge
		}
		return t
	}
}

// A grid says how a dataset is cut: into cells, which are kept each by itself, and
// blocks of cells, which are asked for at once if nothing of them is there.
type grid struct{ cell, block step }

const (
	cellRecords = 50_000
	cellBytes   = 16 << 20 // of one parameter
	wholeBytes  = 64 << 20 // of all parameters of a cell
	blockBytes  = 32 << 20 // of all that are asked for
	unknownStep = 7 * oneDay
)

// cut chooses the grid: of the cells by what the dataset is, so that it is the same
// for every request, and of the blocks by what is asked of it.
func cut(whole, asked *Info, maxRecords int) grid {
	widest := 1
	for i := range whole.Parameters {
		widest = max(widest, whole.Parameters[i].Width())
	}
	records := min(cellRecords, cellBytes/(8*widest), wholeBytes/(8*whole.Width()))
	g := grid{cell: fitting(whole, records, oneDay, "P7D")}
	g.block = fitting(asked, min(maxRecords, blockBytes/(8*asked.Width())), unknownStep, "")
	if g.block.long() < g.cell.long() {
		g.block = g.cell
	}
	return g
}

// fitting is the longest step of at most so many records that the server takes at
// once; most is the limit where the cadence is unknown.
func fitting(info *Info, records int, most time.Duration, not string) step {
	if info.Cadence > 0 {
		most = spanOf(records, info.Cadence)
	}
	if limit := info.MaxRequestDuration; limit > 0 {
		most = min(most, limit)
	}
	list := steps()
	best := list[0]
	for _, s := range list {
		if s.name != not && s.long() <= most {
			best = s
		}
	}
	return best
}

// spanOf is how long so many records last, at least one of them.
func spanOf(records int, cadence time.Duration) time.Duration {
	n := int64(max(records, 1))
	if int64(cadence) > 1<<62/n {
		return 1 << 62
	}
	return time.Duration(n * int64(cadence))
}

// A cell is a chunk on the grid, and the part of it that is asked for.
type cell struct {
	line        tt.Time // where it begins on the grid
	start, stop tt.Time // clipped to what the dataset has
}

func (g grid) key(c cell) string { return c.line.String() + "/" + g.cell.name }

// cells are those of the block that begins at or before at, within [from, to).
func (g grid) cells(at, from, to tt.Time) []cell {
	var list []cell
	end := min(g.block.after(at), to)
	for l := g.cell.before(max(at, from)); l < end; {
		next := g.cell.after(l)
		if c := (cell{l, max(l, from), min(next, to)}); c.start < c.stop {
			list = append(list, c)
		}
		if next <= l {
			break
		}
		l = next
	}
	return list
}

// maxCells is how many chunks a window may have.
const maxCells = 1_000_000

// count is the number of cells of a window.
func (g grid) count(from, to tt.Time) (int, error) {
	n := 0
	for l := g.cell.before(from); l < to; n++ {
		next := g.cell.after(l)
		if next <= l {
			return n + 1, nil
		}
		if n >= maxCells {
			return 0, fmt.Errorf("the window has more than %d chunks of %s; ask for a shorter one", maxCells, g.cell.name)
		}
		l = next
	}
	return n, nil
}

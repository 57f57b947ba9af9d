package hapi

import (
	"fmt"
	"slices"

	"github.com/helios-go/helios/helio/tt"
)

// A cutter takes records in time order and hands them on cell by cell. What lies
// before pos is whole.
type cutter struct {
	cells []cell
	done  func(k int, r *Records) error

	k   int     // the cell that comes in
	pos tt.Time // up to which it is whole
	cur *Records
	n   int // records of cur that are whole, or looked at
}

// An orderError says that records are not in time order, over more than one cell:
// what was handed on may not be all.
type orderError struct{ before, back tt.Time }

func (e *orderError) Error() string {
	return fmt.Sprintf("its records are not in time order: after some at or after %v there is one of %v", e.before, e.back)
}

func newCutter(info *Info, cells []cell, room int, done func(int, *Records) error) *cutter {
	return &cutter{cells: cells, done: done, pos: cells[0].start, cur: empty(info, room)}
}

func (c *cutter) ended() bool { return c.k == len(c.cells) }

// taken looks at what a decoder has appended to cur of an answer to [start, stop):
// what lies outside is dropped, and cells that are past are handed on.
func (c *cutter) taken(start, stop tt.Time) error {
	fresh := c.cur.Time[c.n:]
	inside := true
	for _, t := range fresh {
		if t < start || t >= stop {
			inside = false
		} else if t < c.pos {
			return &orderError{before: c.pos, back: t}
		}
	}
	if !inside {
		c.keep(func(t tt.Time) bool { return t >= start && t < stop })
	}
	if !slices.IsSorted(c.cur.Time[max(c.n-1, 0):]) {
		c.cur = c.cur.ordered()
	}
	c.n = c.cur.Len()
	for c.n > 0 && !c.ended() && c.cur.Time[c.n-1] >= c.cells[c.k].stop {
		if err := c.hand(); err != nil {
			return err
		}
	}
	return nil
}

func (c *cutter) keep(wanted func(tt.Time) bool) {
	var numbers []int
	for i, t := range c.cur.Time {
		if i < c.n || wanted(t) {
			numbers = append(numbers, i)
		}
	}
	c.cur = c.cur.pick(numbers)
}

// hand hands on the current cell; what is left belongs to the following ones.
func (c *cutter) hand() error {
	at := c.cur.before(c.cells[c.k].stop)
	whole := c.cur.slice(0, at)
	rest := empty(c.cur.Info, min(2*at, cap(c.cur.Time)))
	rest.append(c.cur.slice(at, c.cur.Len()))
	c.cur, c.n = rest, rest.Len()
	c.pos = c.cells[c.k].stop
	c.k++
	return c.done(c.k-1, whole)
}

// advance says that all records before t have come.
func (c *cutter) advance(t tt.Time) error {
	for !c.ended() && c.cells[c.k].stop <= t {
		if err := c.hand(); err != nil {
			return err
		}
	}
	c.pos = max(c.pos, t)
	return nil
}

// reset forgets what came after pos: it may not be all.
func (c *cutter) reset() {
	c.cur.truncate(c.cur.before(c.pos))
	c.n = c.cur.Len()
}

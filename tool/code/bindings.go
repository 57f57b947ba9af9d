package code

import (
	"regexp"
	"strconv"

	"github.com/helios-go/helios/sandbox/repl"
)

// An interpreter shortens the text of a value before the host sees it, so that
// half of a secret may be left at its end. So it is asked for more than will be
// shown, and the end of what it has cut is left out as far as there is doubt.

const (
	spareValue = 4 << 10   // bytes of a value beyond those that are shown
	spareTotal = 512 << 10 // bytes of all, which have to fit into a frame
)

func (c *Code) bindingLimits() *repl.BindingLimits {
	limits := c.opts.Bindings
	if longest := min(c.redactor().Longest(), spareValue); longest > 0 {
		limits.Value += longest
		limits.Total = max(limits.Total, spareTotal)
	}
	return &limits
}

// cutMark is how an interpreter says that it has cut a value.
var cutMark = regexp.MustCompile(`\.\.\. \(len=([0-9]+)\)$`)

// bindings are the variables as the listener gets them; the report learns their names.
func (c *Code) bindings(raw []repl.Binding, r *Report) []repl.Binding {
	asked := c.bindingLimits().Value
	snapshot := repl.Snapshot{Limits: c.opts.Bindings}
	for _, b := range raw {
		if b.Name == repl.Truncated {
			snapshot.Cut()
			break
		}
		b.Name = c.clean(b.Name, false, r)
		b.Type = c.clean(b.Type, false, r)
		length := len(b.Value)
		if at := cutMark.FindStringSubmatchIndex(b.Value); at != nil {
			if n, err := strconv.Atoi(b.Value[at[2]:at[3]]); err == nil && n > at[0] && at[0] > asked-4 {
				b.Value = c.clean(b.Value[:at[0]], true, r)
				length = n
			}
		}
		if length == len(b.Value) {
			b.Value = c.clean(b.Value, false, r)
			length = len(b.Value)
		}
		if length > c.opts.Bindings.Value {
			b.Value = cutAt(b.Value, c.opts.Bindings.Value) + "... (len=" + strconv.Itoa(length) + ")"
		}
		if !addWhole(&snapshot, b) {
			break
		}
	}
	list := snapshot.Bindings()
	for _, b := range list {
		r.Bindings = append(r.Bindings, b.Name)
	}
	return list
}

// addWhole adds a binding whose value was shortened already.
func addWhole(s *repl.Snapshot, b repl.Binding) bool {
	limit := s.Limits.Value
	s.Limits.Value = max(limit, len(b.Value))
	defer func() { s.Limits.Value = limit }()
	return s.Add(b)
}

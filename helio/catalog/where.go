package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// A Condition compares a column, or "start" or "stop", with a value. Both are taken
// for numbers if both are; in start, stop and columns of times for times if both
// are; else for texts. A value that is missing is neither more nor less than
// anything, and equal to "" alone.
type Condition struct {
	Column string `json:"column"`
	Op     Op     `json:"op"`
	Value  string `json:"value"`
}

// An Op is how a condition compares.
type Op string

// The comparisons. Contains does not regard case.
const (
	Equal          Op = "eq"
	NotEqual       Op = "ne"
	Greater        Op = "gt"
	GreaterOrEqual Op = "gte"
	Less           Op = "lt"
	LessOrEqual    Op = "lte"
	Contains       Op = "contains"
)

// Ops are all comparisons.
func Ops() []Op {
	return []Op{Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual, Contains}
}

// condition returns whether an event meets a condition.
func (c *Catalog) condition(cond Condition) (func(*Event) bool, error) {
	if !slices.Contains(Ops(), cond.Op) {
		return nil, &QueryError{Reason: fmt.Sprintf("there is no comparison %q; there are %v", cond.Op, Ops())}
	}
	cell, err := c.cell(cond.Column)
	if err != nil {
		return nil, err
	}
	if cond.Op == Contains {
		want := strings.ToLower(cond.Value)
		return func(e *Event) bool { return strings.Contains(strings.ToLower(cell(e).text), want) }, nil
	}
	number := textValue(cond.Value)
	moment := timeValue(cond.Value)
	return func(e *Event) bool {
		have, want := cell(e), number
		if have.kind == isTime {
			want = moment
		}
		if have.kind != want.kind { // then both are texts
			have.kind, want.kind = isText, isText
		}
		return cond.Op.holds(have, want)
	}, nil
}

func (op Op) holds(have, want value) bool {
	if have.text == "" || want.text == "" {
		same := have.text == want.text
		return op == Equal && same || op == NotEqual && !same
	}
	d := have.compare(want)
	switch op {
	case Equal:
		return d == 0
	case NotEqual:
		return d != 0
	case Greater:
		return d > 0
	case GreaterOrEqual:
		return d >= 0
	case Less:
		return d < 0
	}
	return d <= 0
}

// cell returns how to take the value of a column from an event. A column of the
// catalogue goes before the time of the same name.
func (c *Catalog) cell(name string) (func(*Event) value, error) {
	i, ok := c.Column(name)
	switch {
	case ok && c.Columns[i].Type == ISOTime:
		return func(e *Event) value { return timeValue(e.Value(i)) }, nil
	case ok:
		return func(e *Event) value { return textValue(e.Value(i)) }, nil
	case isStart(name):
		return func(e *Event) value { return value{kind: isTime, text: e.Start.String(), time: e.Start} }, nil
	case isStop(name):
		return func(e *Event) value { return value{kind: isTime, text: e.Stop.String(), time: e.Stop} }, nil
	}
	return nil, c.unknown(name)
}

// A value is the text of a cell, and what it means.
type value struct {
	kind   int
	text   string
	number float64
	time   tt.Time
}

const (
	isNumber = iota
	isTime
	isText
)

// rank is the place of a kind in an order.
func (v value) rank() int {
	if v.text == "" {
		return isText + 1
	}
	return v.kind
}

// compare orders two values of one kind.
func (v value) compare(o value) int {
	switch v.kind {
	case isNumber:
		return cmp.Compare(v.number, o.number)
	case isTime:
		return cmp.Compare(v.time, o.time)
	}
	return cmp.Compare(v.text, o.text)
}

func textValue(text string) value {
	text = strings.TrimSpace(text)
	if x, ok := number(text); ok {
		return value{kind: isNumber, text: text, number: x}
	}
	if strings.EqualFold(text, "nan") {
		text = "" // a number that is missing
	}
	return value{kind: isText, text: text}
}

func timeValue(text string) value {
	text = strings.TrimSpace(text)
	if t, err := ParseTime(text); err == nil {
		return value{kind: isTime, text: text, time: t}
	}
	return value{kind: isText, text: text}
}

// number reads a decimal number. Those of other bases, NaN and infinities are none.
func number(text string) (float64, bool) {
	if text == "" || strings.IndexFunc(text, notOfNumber) >= 0 {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

func notOfNumber(r rune) bool {
	return (r < '0' || r > '9') && !strings.ContainsRune("+-.eE", r)
}

package offline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// A miniPython runs the scripts that the planner writes, so that the table of
// questions is judged by what the code says without a Python on the machine. It
// knows the statements and numpy functions that those scripts use and fails on
// anything else. That real Python agrees is a test of its own.
type miniPython struct {
	data    map[string]*series.Series // by the name that load_data takes
	vars    map[string]any
	exports map[string]map[string]any
	drawn   []string // arguments of plot_series
}

type (
	pyData  struct{ s *series.Series }
	pyNums  []float64
	pyTimes []tt.Time
	pyMask  []bool
	pySpans []float64 // time differences in seconds
	pyTime  struct{ t tt.Time }
	pySpan  float64 // seconds
	pyFunc  string  // a function or a method bound to nothing
	pyBound struct {
		of     any
		method string
	}
	pyModule string
)

// run executes a script; an error is what Python would have raised.
func (m *miniPython) run(code string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	m.vars = map[string]any{"np": pyModule("np")}
	m.exports = map[string]map[string]any{}
	lines := strings.Split(code, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if call, ok := strings.CutPrefix(line, "figure, axes = plot_series("); ok {
			for !strings.HasSuffix(call, ")") || strings.Count(call, "(")+1 > strings.Count(call, ")") {
				i++
				call += strings.TrimSpace(lines[i])
			}
			m.drawn = append(m.drawn, strings.TrimSuffix(call, ")"))
			continue
		}
		if test, ok := strings.CutPrefix(line, "if "); ok {
			met := m.eval(strings.TrimSuffix(test, ":")).(bool)
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") {
				i++
				if met {
					m.statement(strings.TrimSpace(lines[i]))
				}
			}
			continue
		}
		m.statement(line)
	}
	return nil
}

func (m *miniPython) statement(line string) {
	line = strings.TrimSpace(stripComment(line))
	switch {
	case line == "", strings.HasPrefix(line, "axes["):
	case strings.HasPrefix(line, "t, x = "):
		p := &pyParser{m: m, text: strings.TrimPrefix(line, "t, x = ")}
		a := p.comparison()
		p.must(",")
		b := p.comparison()
		p.end()
		m.vars["t"], m.vars["x"] = a, b
	default:
		if name, expr, ok := strings.Cut(line, " = "); ok && !strings.ContainsAny(name, "( [") {
			m.vars[name] = m.eval(expr)
			return
		}
		m.eval(line)
	}
}

func stripComment(line string) string {
	inside := false
	for i := range len(line) {
		switch line[i] {
		case '"':
			inside = !inside
		case '#':
			if !inside {
				return line[:i]
			}
		}
	}
	return line
}

func (m *miniPython) eval(text string) any {
	p := &pyParser{m: m, text: text}
	v := p.comparison()
	p.end()
	return v
}

// A pyParser evaluates an expression while it reads it.
type pyParser struct {
	m    *miniPython
	text string
	at   int
}

func (p *pyParser) blank() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *pyParser) try(symbol string) bool {
	p.blank()
	if strings.HasPrefix(p.text[p.at:], symbol) {
		p.at += len(symbol)
		return true
	}
	return false
}

func (p *pyParser) must(symbol string) {
	if !p.try(symbol) {
		panic(fmt.Sprintf("SyntaxError: %q wanted at %q in %q", symbol, p.text[p.at:], p.text))
	}
}

func (p *pyParser) end() {
	if p.blank(); p.at < len(p.text) {
		panic(fmt.Sprintf("SyntaxError: %q left of %q", p.text[p.at:], p.text))
	}
}

// comparison binds looser than & in Python, so scripts bracket comparisons.
func (p *pyParser) comparison() any {
	left := p.and()
	for _, op := range []string{">=", "<=", ">", "<"} {
		if p.try(op) {
			return compare(left, op, p.and())
		}
	}
	return left
}

func compare(left any, op string, right any) any {
	test := func(a, b float64) bool {
		switch op {
		case ">=":
			return a >= b
		case "<=":
			return a <= b
		case ">":
			return a > b
		}
		return a < b
	}
	b := right.(float64)
	var xs []float64
	switch a := left.(type) {
	case pyNums:
		xs = a
	case pySpans:
		xs = a
	default:
		panic(fmt.Sprintf("TypeError: %T %s", left, op))
	}
	mask := make(pyMask, len(xs))
	for i, x := range xs {
		mask[i] = test(x, b)
	}
	return mask
}

func (p *pyParser) and() any {
	left := p.sum()
	for p.try("&") {
		a, b := left.(pyMask), p.sum().(pyMask)
		both := make(pyMask, len(a))
		for i := range a {
			both[i] = a[i] && b[i]
		}
		left = both
	}
	return left
}

func (p *pyParser) sum() any {
	left := p.product()
	for {
		switch {
		case p.try("+"):
			left = left.(float64) + p.product().(float64)
		case p.try("-"):
			left = minus(left, p.product())
		default:
			return left
		}
	}
}

func minus(a, b any) any {
	switch a := a.(type) {
	case float64:
		return a - b.(float64)
	case pyTimes:
		at := b.(pyTime)
		out := make(pySpans, len(a))
		for i, t := range a {
			out[i] = t.Sub(at.t).Seconds()
		}
		return out
	}
	panic(fmt.Sprintf("TypeError: %T - %T", a, b))
}

func (p *pyParser) product() any {
	left := p.unary()
	for {
		switch {
		case p.try("*"):
			left = scale(left, p.unary().(float64))
		case p.try("/"):
			switch b := p.unary().(type) {
			case float64:
				left = scale(left, 1/b)
			case pySpan:
				switch a := left.(type) {
				case pySpans:
					left = scale(pyNums(a), 1/float64(b))
				case pySpan:
					left = float64(a / b)
				}
			}
		default:
			return left
		}
	}
}

func scale(v any, by float64) any {
	switch v := v.(type) {
	case float64:
		return v * by
	case pyNums:
		out := make(pyNums, len(v))
		for i, x := range v {
			out[i] = x * by
		}
		return out
	}
	panic(fmt.Sprintf("TypeError: %T * number", v))
}

func (p *pyParser) unary() any {
	if p.try("~") {
		mask := p.unary().(pyMask)
		out := make(pyMask, len(mask))
		for i, b := range mask {
			out[i] = !b
		}
		return out
	}
	if p.try("-") {
		return -p.unary().(float64)
	}
	return p.postfix()
}

func (p *pyParser) postfix() any {
	v := p.atom()
	for {
		switch {
		case p.try("."):
			v = attribute(v, p.name())
		case p.try("("):
			v = p.m.call(v, p.list(")"))
		case p.try("["):
			v = p.index(v)
		default:
			return v
		}
	}
}

func (p *pyParser) list(until string) []any {
	var args []any
	for !p.try(until) {
		if len(args) > 0 {
			p.must(",")
		}
		args = append(args, p.comparison())
	}
	return args
}

func (p *pyParser) index(v any) any {
	if p.try("1:]") {
		return v.(pyMask)[min(1, len(v.(pyMask))):]
	}
	if p.try(":-1]") {
		mask := v.(pyMask)
		return mask[:max(0, len(mask)-1)]
	}
	if p.try(":1]") {
		mask := v.(pyMask)
		return mask[:min(1, len(mask))]
	}
	i := p.comparison()
	p.must("]")
	switch v := v.(type) {
	case pyNums:
		if mask, ok := i.(pyMask); ok {
			return pick(v, mask)
		}
		return v[int(i.(float64))]
	case pyTimes:
		if mask, ok := i.(pyMask); ok {
			return pick(v, mask)
		}
		return pyTime{v[int(i.(float64))]}
	}
	panic(fmt.Sprintf("TypeError: %T is not subscriptable", v))
}

func pick[S ~[]T, T any](v S, mask pyMask) S {
	var out S
	for i, x := range v {
		if mask[i] {
			out = append(out, x)
		}
	}
	return out
}

func (p *pyParser) name() string {
	p.blank()
	start := p.at
	for p.at < len(p.text) && isWordByte(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *pyParser) atom() any {
	p.blank()
	if p.at == len(p.text) {
		panic("SyntaxError: unexpected end of " + p.text)
	}
	switch c := p.text[p.at]; {
	case c == '(':
		p.at++
		v := p.comparison()
		p.must(")")
		return v
	case c == '"':
		end := strings.IndexByte(p.text[p.at+1:], '"')
		s := p.text[p.at+1 : p.at+1+end]
		p.at += end + 2
		return s
	case '0' <= c && c <= '9':
		start := p.at
		for p.at < len(p.text) && (strings.IndexByte("0123456789.e", p.text[p.at]) >= 0 || strings.IndexByte("+-", p.text[p.at]) >= 0 && p.text[p.at-1] == 'e') {
			p.at++
		}
		v, err := strconv.ParseFloat(p.text[start:p.at], 64)
		if err != nil {
			panic("SyntaxError: " + err.Error())
		}
		return v
	}
	name := p.name()
	if v, ok := p.m.vars[name]; ok {
		return v
	}
	return pyFunc(name)
}

func attribute(v any, name string) any {
	switch v := v.(type) {
	case pyModule:
		return pyFunc(string(v) + "." + name)
	case pyData:
		switch name {
		case "time":
			return pyTimes(v.s.Time)
		case "values":
			return pyNums(v.s.Values)
		}
	case pyNums:
		if name == "size" {
			return float64(len(v))
		}
	}
	return pyBound{v, name}
}

func (m *miniPython) call(f any, args []any) any {
	if bound, ok := f.(pyBound); ok {
		switch of := bound.of.(type) {
		case pyData:
			if bound.method == "column" {
				return pyNums(of.s.Column(int(args[0].(float64))))
			}
		case pyMask:
			if bound.method == "any" {
				return slices.Contains(of, true)
			}
		case pyTimes:
			switch bound.method {
			case "min":
				return pyTime{slices.Min(of)}
			case "max":
				return pyTime{slices.Max(of)}
			}
		}
		panic(fmt.Sprintf("AttributeError: %T.%s", bound.of, bound.method))
	}
	name, ok := f.(pyFunc)
	if !ok {
		panic(fmt.Sprintf("TypeError: %T is not callable", f))
	}
	switch name {
	case "load_data":
		s := m.data[args[0].(string)]
		if s == nil {
			panic(fmt.Sprintf("KeyError: no data called %q are loaded", args[0]))
		}
		return pyData{s}
	case "export":
		m.export(args)
		return nil
	case "magnitude":
		return vectorLength(args[0].(pyData).s)
	case "max":
		return math.Max(args[0].(float64), args[1].(float64))
	}
	return numpy(strings.TrimPrefix(string(name), "np."), args)
}

func (m *miniPython) export(args []any) {
	doc := map[string]any{}
	switch v := args[1].(type) {
	case float64:
		if math.IsNaN(v) {
			return
		}
		units := ""
		if len(args) > 2 {
			units = args[2].(string)
		}
		doc["value"], doc["units"] = v, units
	case pyTime:
		doc["time"] = v.t.Format(9)
	default:
		panic(fmt.Sprintf("export %v: %T", args[0], args[1]))
	}
	m.exports[args[0].(string)] = doc
}

func vectorLength(s *series.Series) pyNums {
	if s.Width() != 3 {
		panic("ValueError: magnitude needs vectors of three components")
	}
	out := make(pyNums, s.Len())
	for i := range out {
		r := s.Row(i)
		out[i] = math.Sqrt(r[0]*r[0] + r[1]*r[1] + r[2]*r[2])
	}
	return out
}

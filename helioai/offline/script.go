package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helioai/python"
)

const (
	maxPanels = 6 // in one figure
	maxMarks  = 4 // vertical lines in one figure
)

// A script is the Python that answers a set of tasks: readable code with one
// block for each, which exports every number and time of the answer, and a
// figure of the series.
type script struct {
	b      strings.Builder
	loaded map[string]string // dataset to variable
	groups []*panelGroup
	many   bool // more than one task, so that marks need to say of what they are
}

// A panelGroup is what shares a figure: the same file and window.
type panelGroup struct {
	dataset string
	window  window
	tasks   []*task
	marks   []string // Python items of a dict
	limits  map[*leaf][]float64
}

// writeScript returns the code for tasks whose data are at hand.
func writeScript(tasks []*task, got map[*task]*fetched) string {
	s := &script{loaded: map[string]string{}, many: len(tasks) > 1}
	for i, t := range tasks {
		if i > 0 {
			s.line("")
		}
		s.task(t, got[t])
	}
	for _, g := range s.groups {
		s.figure(g, got)
	}
	return s.b.String()
}

func (s *script) line(format string, args ...any) {
	if len(args) == 0 {
		s.b.WriteString(format)
	} else {
		fmt.Fprintf(&s.b, format, args...)
	}
	s.b.WriteByte('\n')
}

// key is how the exports of a task begin: the ledger's own key of the column,
// with the unit where it is not the data's.
func (t *task) key(f *fetched) string {
	key := f.Dataset + "_length"
	if i := t.leaf.column; i >= 0 {
		switch {
		case i < len(f.Stats) && f.Stats[i].Key != "":
			key = f.Stats[i].Key
		case t.leaf.width > 1:
			key = f.Dataset + "_" + strconv.Itoa(i)
		default:
			key = f.Dataset
		}
	}
	if t.unit.factor != 1 {
		key += "_" + nameSlug(t.unit.to)
	}
	return key
}

// units of the task's numbers, as they are exported.
func (t *task) units() string {
	if t.unit.to != "" {
		return t.unit.to
	}
	return unitName(t.leaf.param.Units)
}

// conditionKey names the exports about a condition.
func (t *task) conditionKey(f *fetched) string {
	key := f.Dataset + "_length"
	if t.leaf.column >= 0 {
		plain := *t
		plain.unit = conversion{factor: 1}
		key = plain.key(f)
	}
	c := t.condition
	switch {
	case c.low != nil && c.high != nil && c.low.value == c.high.value:
		key += "_equal_" + limitSlug(c.low.value)
	case c.low != nil && c.high != nil:
		key += "_between_" + limitSlug(c.low.value) + "_" + limitSlug(c.high.value)
	case c.low != nil:
		key += "_above_" + limitSlug(c.low.value)
	default:
		key += "_below_" + limitSlug(c.high.value)
	}
	return key
}

func limitSlug(v float64) string {
	return nameSlug(strings.ReplaceAll(strconv.FormatFloat(v, 'g', -1, 64), "-", "minus"))
}

func nameSlug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
		} else if n := b.Len(); n > 0 && b.String()[n-1] != '_' {
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// variable is the Python name of a dataset, loading it first where needed.
func (s *script) variable(f *fetched) string {
	if v := s.loaded[f.Dataset]; v != "" {
		return v
	}
	v := nameSlug(f.Dataset)
	if v == "" || v[0] >= '0' && v[0] <= '9' || slices.Contains([]string{"t", "x", "good", "limit", "hit", "i", "w", "n", "v"}, v) {
		v = "data_" + v
	}
	s.loaded[f.Dataset] = v
	s.line("%s = load_data(%s)", v, python.Quote(f.Dataset))
	return v
}

func comment(text string) string { return "# " + strings.Join(strings.Fields(text), " ") }

func (s *script) task(t *task, f *fetched) {
	s.line("%s", comment(t.leaf.label+", "+t.leaf.param.ID+", "+t.window.String()))
	v := s.variable(f)
	g := s.group(t)
	if t.plotOnly {
		return
	}
	x := v + ".column(" + strconv.Itoa(t.leaf.column) + ")"
	switch {
	case t.leaf.column == magnitudeColumn:
		x = "magnitude(" + v + ")"
	case t.leaf.width == 1:
		x = v + ".values"
	}
	s.line("t, x = %s.time, %s", v, x)
	s.line("good = np.isfinite(x)")
	if t.condition != nil {
		s.condition(t, f, g)
	}
	key, unit := t.key(f), python.Quote(t.units())
	if t.unit.factor != 1 {
		s.line("x = x * %s  # %s to %s", pythonNumber(t.unit.factor), unitName(t.leaf.param.Units), t.unit.to)
	}
	export := func(name, expr string) { s.line("export(%s, %s, %s)", python.Quote(key+"_"+name), expr, unit) }
	plain := func(name, expr string) { s.line("export(%s, %s)", python.Quote(key+"_"+name), expr) }
	if t.value {
		s.line("t, x = t[good], x[good]")
		s.line("i = np.argmin(np.abs(t - np.datetime64(%s)))", python.Quote(strings.TrimSuffix(isoTime(t.window.instant), "Z")))
		export("value", "x[i]")
		plain("value_time", "t[i]")
		g.mark("nearest record", "t[i]")
		return
	}
	plain("size", "x.size")
	plain("missing", "np.count_nonzero(~good)")
	plain("first_record", "t.min()")
	plain("last_record", "t.max()")
	for _, st := range t.stats {
		switch {
		case st.extremum():
			index, word := "lowest", "minimum"
			if st == statMax {
				index, word = "highest", "maximum"
			}
			s.line("%s = np.nanarg%s(x)", index, st)
			export(string(st), "x["+index+"]")
			plain(string(st)+"_time", "t["+index+"]")
			s.keepMark(g, t, word, index)
		case st == statVariance:
			s.line("export(%s, np.nanvar(x), %s)", python.Quote(key+"_variance"), python.Quote(t.units()+"^2"))
		case st[0] == 'p':
			export(string(st), "np.nanpercentile(x, "+string(st[1:])+")")
		default:
			export(string(st), "np.nan"+string(st)+"(x)")
		}
	}
	if t.gaps {
		s.line("steps = np.diff(t) / np.timedelta64(1, \"s\")")
		s.line("export(%s, np.count_nonzero(steps > 3 * np.median(steps)))", python.Quote(key+"_gaps"))
	}
	if slices.Contains(t.measures, measureFraction) && t.missing || slices.Contains(t.measures, measureOften) && t.missing {
		s.line("export(%s, 100 * np.count_nonzero(~good) / x.size, \"%%\")", python.Quote(key+"_nan_percent"))
	}
}

// keepMark remembers the time of an extremum for the figure under a name that
// later blocks do not reuse.
func (s *script) keepMark(g *panelGroup, t *task, word, index string) {
	if len(g.marks) >= maxMarks {
		return
	}
	name := fmt.Sprintf("%s_%d", index, len(g.marks)+1)
	s.line("%s = t[%s]", name, index)
	if s.many {
		word += " of " + t.leaf.label
	}
	g.mark(word, name)
}

func (g *panelGroup) mark(label, expr string) {
	if len(g.marks) < maxMarks {
		g.marks = append(g.marks, python.Quote(label)+": "+expr)
	}
}

// condition exports how much of the series meets the condition, and when.
func (s *script) condition(t *task, f *fetched, g *panelGroup) {
	key, c := t.conditionKey(f), t.condition
	unit := c.unit
	if unit == "" {
		unit = unitName(t.leaf.param.Units)
	}
	var tests []string
	for _, side := range []struct {
		name, op, orEqual string
		bound             *bound
	}{{"low", ">", ">=", c.low}, {"high", "<", "<=", c.high}} {
		if side.bound == nil {
			continue
		}
		name := side.name
		limit := pythonNumber(side.bound.value)
		factor := ""
		if t.limits.factor != 1 {
			factor = " * " + pythonNumber(t.limits.factor)
		}
		s.line("%s = %s%s  # %s", name, limit, factor, unitName(t.leaf.param.Units))
		op := side.op
		if side.bound.inclusive {
			op = side.orEqual
		}
		tests = append(tests, "(x "+op+" "+name+")")
		s.line("export(%s, %s, %s)", python.Quote(key+"_"+name), limit, python.Quote(unit))
		if g.limits == nil {
			g.limits = map[*leaf][]float64{}
		}
		value := side.bound.value * t.limits.factor * t.unit.factor
		if !slices.Contains(g.limits[t.leaf], value) {
			g.limits[t.leaf] = append(g.limits[t.leaf], value)
		}
	}
	s.line("hit = %s  # False where a sample is missing", strings.Join(tests, " & "))
	s.line("export(%s, np.count_nonzero(hit))", python.Quote(key+"_hits"))
	s.line("export(%s, np.count_nonzero(good))", python.Quote(key+"_good"))
	s.line("export(%s, 100 * np.count_nonzero(hit) / max(np.count_nonzero(good), 1), \"%%\")", python.Quote(key+"_percent"))
	if slices.Contains(t.measures, measureDuration) {
		unit := t.per
		if unit == "" {
			unit = "h"
		}
		s.line("step = np.median(np.diff(t)) / np.timedelta64(1, \"s\")")
		s.line("export(%s, np.count_nonzero(hit) * step / %s, %s)", python.Quote(key+"_duration"), secondsIn(unit), python.Quote(unit))
	}
	if slices.Contains(t.measures, measureTimes) {
		s.line("export(%s, np.count_nonzero(hit[1:] & ~hit[:-1]) + np.count_nonzero(hit[:1]))", python.Quote(key+"_intervals"))
	}
	s.line("if hit.any():")
	s.line("    export(%s, t[hit].min())", python.Quote(key+"_first_time"))
	s.line("    export(%s, t[hit].max())", python.Quote(key+"_last_time"))
}

// secondsIn is how many seconds a unit of time has, as Python.
func secondsIn(unit string) string {
	c, err := convertUnits(unit, "s")
	if err != nil {
		return "3600"
	}
	return pythonNumber(c.factor)
}

func pythonNumber(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func (s *script) group(t *task) *panelGroup {
	for _, g := range s.groups {
		if g.dataset == t.leaf.dataset.ID && g.window == t.window {
			g.tasks = append(g.tasks, t)
			return g
		}
	}
	g := &panelGroup{dataset: t.leaf.dataset.ID, window: t.window, tasks: []*task{t}}
	s.groups = append(s.groups, g)
	return g
}

// figure draws a group: one panel a parameter.
func (s *script) figure(g *panelGroup, got map[*task]*fetched) {
	var panels []string
	var limits []string
	done := map[*task]bool{}
	for _, t := range g.tasks {
		if done[t] || len(panels) == maxPanels {
			continue
		}
		var same []*task
		for _, o := range g.tasks {
			if o.leaf.param == t.leaf.param && o.unit == t.unit && (o.leaf.column >= 0) == (t.leaf.column >= 0) {
				if !slices.ContainsFunc(same, func(x *task) bool { return x.leaf == o.leaf }) {
					same = append(same, o)
				}
				done[o] = true
			}
		}
		for _, o := range same {
			for _, v := range g.limits[o.leaf] {
				limits = append(limits, fmt.Sprintf("axes[%d].axhline(%s, color=\"0.3\", linestyle=\":\")", len(panels), pythonNumber(v)))
			}
		}
		panels = append(panels, s.panel(same, got[t]))
	}
	s.line("")
	s.line("figure, axes = plot_series(")
	for _, p := range panels {
		s.line("    %s,", p)
	}
	s.line("    title=%s,", python.Quote(g.title()))
	if len(g.marks) > 0 {
		s.line("    marks={%s},", strings.Join(g.marks, ", "))
	}
	s.line(")")
	for _, l := range limits {
		s.line("%s", l)
	}
}

// panel is the Python of one panel: the columns that are asked for.
func (s *script) panel(same []*task, f *fetched) string {
	t, v := same[0], s.loaded[f.Dataset]
	switch {
	case t.leaf.column == magnitudeColumn:
		x := "magnitude(" + v + ")"
		if t.unit.factor != 1 {
			x += " * " + pythonNumber(t.unit.factor)
		}
		return fmt.Sprintf("Dataset(%s.time, %s, [%s], %s)", v, x, python.Quote(t.leaf.label), python.Quote(t.units()))
	case t.unit.factor != 1:
		columns, labels := make([]string, len(same)), make([]string, len(same))
		for i, o := range same {
			columns[i] = fmt.Sprintf("%s.column(%d)", v, o.leaf.column)
			labels[i] = python.Quote(o.leaf.label)
		}
		return fmt.Sprintf("Dataset(%s.time, np.column_stack([%s]) * %s, [%s], %s, label=%s)", v, strings.Join(columns, ", "),
			pythonNumber(t.unit.factor), strings.Join(labels, ", "), python.Quote(t.units()), python.Quote(t.leaf.param.Name))
	case t.leaf.width == 1:
		return v
	}
	columns := make([]string, len(same))
	for i, o := range same {
		columns[i] = strconv.Itoa(o.leaf.column)
	}
	return fmt.Sprintf("%s.select(%s)", v, strings.Join(columns, ", "))
}

// figureName says whose data a figure shows, and that they are made up where
// they are: a figure is passed on without the answer beside it.
func figureName(d *archive.Dataset, name string) string {
	if d.Synthetic {
		return name + " (synthetic data)"
	}
	return name
}

func (g *panelGroup) title() string {
	d := g.tasks[0].leaf.dataset
	name := figureName(d, cmp.Or(d.Mission, d.ID))
	start, stop := g.window.start, g.window.stop
	c := g.tasks[0].leaf.coverage()
	if !g.window.instant.IsZero() {
		return name + ", around " + isoTime(g.window.instant)
	}
	if start.IsZero() {
		start = c.start
	}
	if stop.IsZero() {
		stop = c.stop
	}
	if a, b := start.Format(time.DateOnly), stop.Add(-1).Format(time.DateOnly); a != b {
		return name + ", " + a + " to " + b
	} else if !start.IsZero() {
		return name + ", " + a
	}
	return name
}

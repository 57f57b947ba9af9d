package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A taskReport turns what the tools have recorded into the answer.
type taskReport struct {
	tasks  []*task
	left   int // tasks of which a part was not done
	notes  []string
	got    map[*task]*fetched
	values values
	failed []string // failures of get_timeseries, a sentence each
	broken string   // why the script failed; "" when it did not
	python bool     // code could be run
}

// A line is what is said of one task, or of several that come out alike.
type line struct {
	labels []string
	param  string
	body   string
	extent string // the records that it rests on, a sentence
}

func (l *line) text(extent bool) string {
	text := strings.Join(l.labels, ", ")
	if l.param != "" {
		text += " (" + l.param + ")"
	}
	text += ": " + l.body + "."
	if extent && l.extent != "" {
		text += " " + l.extent + "."
	}
	return text
}

func (p *taskReport) reply() *reply {
	r := &reply{notes: p.notes}
	var lines []*line
	var drawn []*line
	left := p.left
	for _, k := range p.tasks {
		f := p.got[k]
		if f != nil && k.plotOnly && p.python && p.broken == "" {
			drawn = addDrawn(drawn, k)
			continue
		}
		var l *line
		if f != nil {
			l = p.line(r, k, f)
		}
		switch i := slices.IndexFunc(lines, func(o *line) bool { return l != nil && o.param == l.param && o.body == l.body && o.extent == l.extent }); {
		case l == nil:
			left++
		case i >= 0:
			lines[i].labels = unique(append(lines[i].labels, l.labels...))
		default:
			lines = append(lines, l)
		}
	}
	p.join(r, lines, drawn)
	p.excuse(r, left)
	return r
}

// addDrawn adds what only a figure shows, the columns of a parameter together.
func addDrawn(drawn []*line, k *task) []*line {
	for _, l := range drawn {
		if l.param == k.leaf.param.ID && l.extent == k.window.String() {
			l.labels = append(l.labels, k.leaf.label)
			return drawn
		}
	}
	return append(drawn, &line{labels: []string{k.leaf.label}, param: k.leaf.param.ID, extent: k.window.String()})
}

// join writes the lines: one as a sentence, several as a list, with what they
// share said once.
func (p *taskReport) join(r *reply, lines, drawn []*line) {
	shared := ""
	if len(lines) > 1 && !slices.ContainsFunc(lines, func(l *line) bool { return l.extent != lines[0].extent }) {
		shared = lines[0].extent
	}
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.text(shared == ""))
	}
	if len(drawn) > 0 {
		var shown []string
		for _, l := range drawn {
			shown = append(shown, strings.Join(l.labels, ", ")+" ("+l.param+"), "+l.extent)
		}
		texts = append(texts, "The figure shows "+strings.Join(shown, "; ")+".")
	}
	switch {
	case len(texts) == 0:
		r.text = "There is no answer: " + p.whyNothing() + "."
	case len(texts) == 1:
		r.text = texts[0]
	default:
		r.text = "- " + strings.Join(texts, "\n- ")
	}
	if shared != "" {
		r.text += "\n\n" + shared + "."
	}
}

// excuse says what was left out, and why.
func (p *taskReport) excuse(r *reply, left int) {
	for _, f := range p.failed {
		r.after = append(r.after, "A part could not be read: "+trimStop(f)+".")
	}
	switch {
	case p.broken != "":
		r.after = append(r.after, "The Python part failed ("+trimStop(p.broken)+"), so there is no figure and only the statistics of the data tool are given.")
	case !p.python && left > 0:
		r.after = append(r.after, "The figure and a part of the question were skipped, because no tool runs Python here.")
	case !p.python:
		r.after = append(r.after, "No figure was made, because no tool runs Python here.")
	}
}

func (p *taskReport) whyNothing() string {
	switch {
	case p.broken != "":
		return "the Python part failed"
	case len(p.failed) > 0:
		return "the data could not be read"
	}
	return "nothing was computed"
}

// line is what is said of one task; nil when its numbers are not there.
func (p *taskReport) line(r *reply, k *task, f *fetched) *line {
	l := &line{labels: []string{k.leaf.label}, param: k.leaf.param.ID}
	if f.empty(k) {
		l.body = "no value is valid in this window"
		return l
	}
	var said []string
	say := func(text string) {
		if text != "" {
			said = append(said, text)
		}
	}
	for _, s := range k.stats {
		say(p.statistic(r, k, f, s))
	}
	if k.condition != nil {
		say(p.condition(r, k, f))
	}
	if k.missing {
		say(p.missing(r, k, f))
	}
	if k.gaps {
		say(p.number(r, k.key(f)+"_gaps", "%s gaps of more than three usual steps between records", 6))
	}
	if k.value {
		say(p.value(r, k, f))
	}
	if slices.Contains(k.measures, measureCount) && k.condition == nil && !k.missing && !k.gaps {
		say(p.count(r, k, f))
	}
	if len(said) == 0 {
		return nil
	}
	l.body = strings.Join(said, ", ")
	if !k.value {
		l.extent = p.extent(r, k, f)
	}
	return l
}

// first returns the first of the names that is recorded.
func (p *taskReport) first(names ...string) (value, bool) {
	for _, n := range names {
		if v, ok := p.values[n]; ok {
			return v, true
		}
	}
	return value{}, false
}

func (p *taskReport) number(r *reply, name, format string, digits int) string {
	v, ok := p.values[name]
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, r.number(v, digits))
}

func (p *taskReport) statistic(r *reply, k *task, f *fetched, s stat) string {
	key := k.key(f)
	names := []string{key + "_" + string(s)}
	v, ok := p.first(names...)
	if !ok {
		return ""
	}
	digits := 5
	if s.extremum() {
		digits = 7 // as measured
	}
	word := map[stat]string{statMean: "mean", statMedian: "median", statStd: "standard deviation", statVariance: "variance", statMin: "minimum", statMax: "maximum"}[s]
	if word == "" {
		word = string(s[1:]) + "th percentile"
	}
	text := word + " " + r.number(v, digits)
	if at, ok := p.first(key + "_" + string(s) + "_time"); ok && s.extremum() {
		text += " at " + r.moment(at)
	}
	return text
}

// condition says how much of the series meets the condition, and when.
func (p *taskReport) condition(r *reply, k *task, f *fetched) string {
	key := k.conditionKey(f)
	count, ok := p.first(key + "_hits")
	valid, okValid := p.first(key + "_good")
	if !ok || !okValid {
		return ""
	}
	what := k.condition.words(r, p.values, key, unitName(k.leaf.param.Units))
	if count.number == 0 {
		return fmt.Sprintf("never %s (%s of %s)", what, r.number(count, 6), r.number(valid, 6))
	}
	text := fmt.Sprintf("%s in %s of %s", what, r.number(count, 6), r.number(valid, 6))
	if percent, ok := p.first(key + "_percent"); ok {
		text = fmt.Sprintf("%s for %s of the valid measurements (%s of %s)", what, r.number(percent, 4), r.number(count, 6), r.number(valid, 6))
	}
	if v, ok := p.first(key + "_duration"); ok {
		text += ", " + r.number(v, 5) + " in all (their count times the usual step)"
	}
	if v, ok := p.first(key + "_intervals"); ok {
		text += ", in " + r.number(v, 6) + " separate stretches"
	}
	first, okFirst := p.first(key + "_first_time")
	last, okLast := p.first(key + "_last_time")
	switch {
	case okFirst && k.which == "first":
		text += ", first at " + r.moment(first)
	case okLast && k.which == "last":
		text += ", last at " + r.moment(last)
	case okFirst && okLast && (k.when || len(k.measures) == 0):
		text += ", first at " + r.moment(first) + " and last at " + r.moment(last)
	}
	return text
}

// words is the condition as it was understood, its limits claimed.
func (c *condition) words(r *reply, v values, key, unit string) string {
	limit := func(name string) string {
		x, ok := v[key+"_"+name]
		if !ok {
			return "?"
		}
		if x.units == "" && c.unit == "" {
			x.units = unit
		}
		return r.number(x, 9)
	}
	switch {
	case c.low != nil && c.high != nil && c.low.value == c.high.value:
		return "equal to " + limit("low")
	case c.low != nil && c.high != nil:
		ends := ""
		if c.low.inclusive && c.high.inclusive {
			ends = ", both ends included,"
		}
		return "between " + limit("low") + " and " + limit("high") + ends
	case c.low != nil && c.low.inclusive:
		return "at or above " + limit("low")
	case c.low != nil:
		return "above " + limit("low")
	case c.high.inclusive:
		return "at or below " + limit("high")
	}
	return "below " + limit("high")
}

func (p *taskReport) counts(k *task, f *fetched) (samples, missing value, ok bool) {
	key := k.key(f)
	samples, ok1 := p.first(key+"_size", statKey(k, f)+"_n_samples")
	missing, ok2 := p.first(key+"_missing", statKey(k, f)+"_n_missing")
	return samples, missing, ok1 && ok2
}

// statKey is the column's key in the ledger of get_timeseries; no entry has the
// key of a computed length.
func statKey(k *task, f *fetched) string {
	plain := *k
	plain.unit.factor = 1
	return plain.key(f)
}

func (p *taskReport) missing(r *reply, k *task, f *fetched) string {
	samples, missing, ok := p.counts(k, f)
	if !ok {
		return ""
	}
	if percent, ok := p.first(k.key(f) + "_nan_percent"); ok {
		return fmt.Sprintf("without a value for %s (%s of %s)", r.number(percent, 4), r.number(missing, 6), r.number(samples, 6))
	}
	return fmt.Sprintf("%s of %s records are missing", r.number(missing, 6), r.number(samples, 6))
}

func (p *taskReport) count(r *reply, k *task, f *fetched) string {
	samples, missing, ok := p.counts(k, f)
	if !ok {
		return ""
	}
	if missing.number == 0 {
		return r.number(samples, 6) + " records, none of them missing"
	}
	return fmt.Sprintf("%s records, %s of them missing", r.number(samples, 6), r.number(missing, 6))
}

func (p *taskReport) value(r *reply, k *task, f *fetched) string {
	v, ok := p.first(k.key(f) + "_value")
	at, okTime := p.first(k.key(f) + "_value_time")
	if !ok || !okTime {
		return ""
	}
	return r.number(v, 7) + " at " + r.moment(at) + ", the record nearest to the time asked for"
}

// extent says on which records an answer rests.
func (p *taskReport) extent(r *reply, k *task, f *fetched) string {
	samples, missing, ok := p.counts(k, f)
	if !ok {
		return ""
	}
	text := "Taken from " + r.again(samples) + " records"
	if samples.number == 1 {
		text = "Taken from " + r.again(samples) + " record"
	}
	first, okFirst := p.first(k.key(f) + "_first_record")
	last, okLast := p.first(k.key(f) + "_last_record")
	switch {
	case okFirst && okLast:
		text += " from " + r.again(first) + " to " + r.again(last)
	case !k.window.whole():
		text += ", " + k.window.String()
	}
	if missing.number > 0 && !k.missing {
		text += ", " + r.number(missing, 6) + " of them missing"
	}
	return text
}

func decodeObject(text string) (map[string]any, error) {
	var body map[string]any
	err := json.Unmarshal([]byte(text), &body)
	return body, err
}

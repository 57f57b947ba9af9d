package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/llm"
)

// shockReach is how far to either side of a shock its recipe looks.
const shockReach = 30 * time.Minute

// plan says what comes next for a reading: the calls that are still to be made,
// or the answer.
func (t *turn) plan(r *reading, c *catalog) *step {
	switch {
	case r.refusal != nil:
		return t.unanswered(r.refusal, r.notes)
	case r.inventory != nil:
		return t.answer(&reply{text: r.inventory.answer(c), notes: r.notes})
	case r.formula != nil:
		return t.planFormula(r)
	case r.method != nil:
		return t.planMethod(r)
	}
	return t.planTasks(r)
}

func (t *turn) planTasks(r *reading) *step {
	if !t.offers("get_timeseries") {
		return t.unanswered(refuse("reading data needs the tool get_timeseries, which is not offered here"), r.notes)
	}
	python := t.offers("run_python")
	tasks, left := r.tasks, 0
	if !python {
		tasks, left = plainParts(tasks)
	}
	if len(tasks) == 0 {
		what := "this needs Python code to be run, and no tool runs code here"
		if slices.ContainsFunc(r.tasks, func(t *task) bool { return t.plotOnly }) {
			what = "a figure needs Python code to be run, and no tool runs code here"
		}
		return t.unanswered(&refusal{bad: true, reason: what}, r.notes)
	}
	var list fetchList
	fetches := map[*task]*fetch{}
	for _, k := range tasks {
		fetches[k] = list.add(k.leaf.param.ID, k.leaf.fetchWindow(k.window), k.leaf.label)
	}
	if s := t.present(&list, python, r); s != nil {
		return s
	}
	if calls := list.pending(t); len(calls) > 0 {
		return &step{calls: calls}
	}
	got, failed := map[*task]*fetched{}, []string{}
	var ready []*task
	for _, k := range tasks {
		f := fetches[k]
		switch {
		case f.failed != "":
			failed = append(failed, f.failed)
		default:
			got[k] = f.got
			ready = append(ready, k)
		}
	}
	if len(ready) == 0 {
		return t.unanswered(&refusal{bad: true, reason: trimStop(failed[0])}, r.notes)
	}
	v := values{}
	for _, k := range ready {
		v.readStats(got[k])
	}
	report := &taskReport{tasks: tasks, left: left, notes: r.notes, got: got, values: v, failed: unique(failed), python: python}
	if computable := slices.DeleteFunc(slices.Clone(ready), func(k *task) bool { return got[k].empty(k) }); python && len(computable) > 0 {
		result := t.result("code")
		if result == nil {
			return &step{calls: []llm.ToolCall{t.call("code", "run_python", map[string]any{"code": writeScript(computable, got)})}}
		}
		v.readExports(result)
		report.broken = failure(result)
	}
	return t.answer(report.reply())
}

// plainParts keeps of each task what the statistics of get_timeseries answer,
// and counts the tasks of which something is left out.
func plainParts(tasks []*task) (plain []*task, left int) {
	for _, t := range tasks {
		if t.value || t.plotOnly || t.unit.factor != 1 || t.leaf.column == magnitudeColumn {
			left++
			continue
		}
		part := *t
		part.condition, part.gaps = nil, false
		part.stats = slices.DeleteFunc(slices.Clone(t.stats), func(s stat) bool { return s == statVariance || s[0] == 'p' })
		part.missing = t.missing && !t.share()
		if t.condition != nil {
			part.measures = nil
		}
		if t.condition != nil || t.gaps || part.missing != t.missing || len(part.stats) != len(t.stats) {
			left++
		}
		if len(part.stats) > 0 || part.missing || len(part.measures) > 0 && !t.missing && !t.gaps {
			plain = append(plain, &part)
		}
	}
	return plain, left
}

// share says that missing samples are asked for as a share of all.
func (t *task) share() bool {
	return slices.Contains(t.measures, measureFraction) || slices.Contains(t.measures, measureOften)
}

// empty says that the column of a task has no valid value, so that no statistic
// of it exists.
func (f *fetched) empty(t *task) bool {
	i := t.leaf.column
	return i >= 0 && i < len(f.Stats) && f.Stats[i].NValid == 0 && !t.missing
}

// present shows a plan before work of several stages; nil when there is none to
// show or when it was shown.
func (t *turn) present(list *fetchList, python bool, r *reading) *step {
	if !t.offers("present_plan") || t.result("plan") != nil || len(list.all) < 2 && r.method == nil {
		return nil
	}
	type planned struct {
		Description string `json:"description"`
		Tool        string `json:"tool"`
	}
	var steps []planned
	for _, f := range list.all {
		steps = append(steps, planned{"Fetch " + f.param + " (" + f.note + ")", "get_timeseries"})
	}
	title := wording.Line(t.question, 80)
	if r.method != nil {
		steps = append(steps, planned{"Run the recipe " + r.method.recipe, "run_recipe"})
	}
	if python {
		steps = append(steps, planned{"Compute the numbers and draw the figure", "run_python"})
	}
	steps = append(steps, planned{"Answer, each number with its source", "final_answer"})
	return &step{calls: []llm.ToolCall{t.call("plan", "present_plan", map[string]any{"title": title, "steps": steps})}}
}

func (t *turn) planFormula(r *reading) *step {
	f := r.formula
	if !t.offers(f.tool) {
		return t.unanswered(refuse("the tool %s is not offered here", f.tool), r.notes)
	}
	result := t.result("formula")
	if result == nil {
		return &step{calls: []llm.ToolCall{t.call("formula", f.tool, f.args)}}
	}
	if problem := failure(result); problem != "" {
		return t.unanswered(&refusal{bad: true, reason: trimStop(problem)}, r.notes)
	}
	out, refusal := f.reply(result)
	if refusal != nil {
		return t.unanswered(refusal, r.notes)
	}
	out.notes = append(out.notes, r.notes...)
	return t.answer(out)
}

func (t *turn) planMethod(r *reading) *step {
	m := r.method
	if !t.offers("get_timeseries") || !t.offers("run_recipe") {
		return t.unanswered(&refusal{bad: true, reason: "a " + m.name + " needs Python code to be run, and no tool runs code here"}, r.notes)
	}
	var list fetchList
	var fetches []*fetch
	for _, l := range m.fields {
		f := list.add(l.param.ID, m.window, l.label)
		if !slices.Contains(fetches, f) {
			fetches = append(fetches, f)
		}
	}
	if s := t.present(&list, t.offers("run_python"), r); s != nil {
		return s
	}
	if calls := list.pending(t); len(calls) > 0 {
		return &step{calls: calls}
	}
	for _, f := range fetches {
		if f.failed != "" {
			return t.unanswered(&refusal{bad: true, reason: trimStop(f.failed)}, r.notes)
		}
	}
	result := t.result("recipe")
	if result == nil {
		return &step{calls: []llm.ToolCall{t.call("recipe", "run_recipe", map[string]any{"name": m.recipe, "inputs": m.inputs(fetches)})}}
	}
	if problem := failure(result); problem != "" {
		return t.unanswered(&refusal{bad: true, reason: "the recipe " + m.recipe + " refused: " + trimStop(problem)}, r.notes)
	}
	v := values{}
	v.readExports(result)
	if t.offers("run_python") {
		drawn := t.result("code")
		if drawn == nil {
			return &step{calls: []llm.ToolCall{t.call("code", "run_python", map[string]any{"code": m.script(fetches, v)})}}
		}
		v.readExports(drawn)
	}
	out, refusal := m.reply(fetches, v)
	if refusal != nil {
		return t.unanswered(refusal, r.notes)
	}
	out.notes = append(out.notes, r.notes...)
	if authors := recipeAuthors(result); authors != "" {
		out.after = append(out.after, "Method: the recipe "+m.recipe+", after "+authors+".")
	}
	return t.answer(out)
}

// recipeAuthors are the authors of the first reference of a recipe.
func recipeAuthors(result *llm.ToolResult) string {
	var body struct {
		Recipe struct {
			Reference string `json:"reference"`
		} `json:"recipe"`
	}
	if json.Unmarshal([]byte(result.Text()), &body) != nil {
		return ""
	}
	authors, _, _ := strings.Cut(body.Recipe.Reference, "(")
	return trimStop(authors)
}

// inputs binds the names of the recipe to the data.
func (m *method) inputs(fetches []*fetch) map[string]any {
	in := map[string]any{}
	if len(fetches) == 1 {
		in["B"] = fmt.Sprintf("load_data(%s)", python.Quote(fetches[0].got.Dataset))
	} else {
		var columns []string
		for _, f := range fetches {
			columns = append(columns, fmt.Sprintf("load_data(%s).values", python.Quote(f.got.Dataset)))
		}
		in["B"] = "np.column_stack([" + strings.Join(columns, ", ") + "])"
		if m.recipe == "theta_bn" {
			in["time"] = fmt.Sprintf("load_data(%s).time", python.Quote(fetches[0].got.Dataset))
		}
	}
	if m.shock != "" {
		in["shock_time"] = strings.TrimSuffix(m.shock, "Z")
	}
	return in
}

// script draws the field that the recipe saw, and exports the components of the
// normal one by one so that the answer can claim each.
func (m *method) script(fetches []*fetch, v values) string {
	s := &script{loaded: map[string]string{}}
	s.line("%s", comment("The field that the recipe "+m.recipe+" worked on"))
	var panels []string
	for _, f := range fetches {
		panels = append(panels, s.variable(f.got))
	}
	first := panels[0]
	s.line("export(%s, %s.time.min())", python.Quote(m.recipe+"_first_record"), first)
	s.line("export(%s, %s.time.max())", python.Quote(m.recipe+"_last_record"), first)
	marks := ""
	if at, ok := v["shock_time"]; ok {
		marks = fmt.Sprintf(", marks={\"shock\": np.datetime64(%s)}", python.Quote(strings.TrimSuffix(at.time, "Z")))
	}
	s.line("figure, axes = plot_series(%s, title=%s%s)", strings.Join(panels, ", "), python.Quote(figureName(m.fields[0].dataset, m.fields[0].dataset.ID)), marks)
	return s.b.String()
}

func trimStop(text string) string { return strings.TrimSuffix(strings.TrimSpace(text), ".") }

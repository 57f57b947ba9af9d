package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A reply is an answer in the making: text, and a claim for every number and
// time in it.
type reply struct {
	text   string
	claims []claim
	notes  []string // readings and choices, a clause each
	after  []string // whole sentences at the end
}

// number writes a recorded number into the text and claims it.
func (r *reply) number(v value, digits int) string {
	text := formatNumber(v.number, digits)
	units := v.units
	if units == "1" || units == "count" {
		units = ""
	}
	r.claim(claim{Name: v.name, Value: jsonNumber(text), Units: units, Source: v.name})
	switch units {
	case "":
		return text
	case "%":
		return text + " %"
	}
	return text + " " + units
}

// moment writes a recorded time into the text and claims it.
func (r *reply) moment(v value) string {
	text := formatTime(v.time)
	r.claim(claim{Name: v.name, Value: text, Source: v.name})
	return text
}

// again writes a value that the answer may have claimed before: the number of
// records and their limits are the same for all columns of a file, and one claim
// is enough for them.
func (r *reply) again(v value) string {
	claims := r.claims
	var text string
	if v.time != "" {
		text = r.moment(v)
	} else {
		text = r.number(v, 6)
	}
	last := r.claims[len(r.claims)-1]
	for _, c := range claims {
		if c.Value == last.Value && c.Units == last.Units && suffix(c.Name) == suffix(last.Name) {
			r.claims = claims
			break
		}
	}
	return text
}

// suffix is the last word of an entry's name, which says what it is of a column.
func suffix(name string) string { return name[strings.LastIndexByte(name, '_')+1:] }

func (r *reply) claim(c claim) {
	if !slices.Contains(r.claims, c) {
		r.claims = append(r.claims, c)
	}
}

// whole is the finished text.
func (r *reply) whole() string {
	parts := []string{strings.TrimSpace(r.text)}
	if len(r.notes) > 0 {
		parts = append(parts, "Read as follows: "+strings.Join(unique(r.notes), "; ")+".")
	}
	parts = append(parts, r.after...)
	parts = append(parts, signature)
	separator := " "
	if strings.Contains(parts[0], "\n") {
		separator = "\n\n"
	}
	return parts[0] + separator + strings.Join(parts[1:], " ")
}

// answer closes the turn with final_answer, or in plain text where that tool is
// not offered or has failed.
func (t *turn) answer(r *reply) *step { return t.close(r.whole(), r.claims, false) }

func (t *turn) unanswered(r *refusal, notes []string) *step {
	out := &reply{text: r.text(), notes: notes}
	return t.close(out.whole(), nil, true)
}

func (t *turn) close(text string, claims []claim, unanswered bool) *step {
	if !t.offers("final_answer") || t.result("answer") != nil {
		return &step{text: text}
	}
	args := map[string]any{"answer": text}
	if len(claims) > 0 {
		args["claims"] = claims
	}
	if unanswered && t.takes("final_answer", "unanswered") {
		args["unanswered"] = true
	}
	return &step{calls: []llm.ToolCall{t.call("answer", "final_answer", args)}}
}

// jsonNumber marshals as the number that the text shows, with its decimals.
type jsonNumber string

// MarshalJSON writes the digits as they stand.
func (n jsonNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// formulaResults are the fields of a formula's result, the ledger's names for
// them, and their units; the first is the usual answer.
var formulaResults = map[string][]struct{ field, entry, unit string }{
	"alfven_speed":    {{"alfven_speed_km_s", "alfven_speed_km_s", "km/s"}, {"alfven_speed_m_s", "alfven_speed_m_s", "m/s"}},
	"plasma_beta":     {{"beta", "plasma_beta", ""}},
	"debye_length":    {{"debye_length_m", "debye_length_m", "m"}, {"debye_length_km", "debye_length_km", "km"}},
	"gyrofrequency":   {{"frequency_Hz", "gyrofrequency_Hz", "Hz"}, {"angular_frequency_rad_s", "gyrofrequency_rad_s", "rad/s"}, {"period_s", "gyrofrequency_period_s", "s"}},
	"inertial_length": {{"inertial_length_km", "inertial_length_km", "km"}, {"inertial_length_m", "inertial_length_m", "m"}},
}

// reply puts the result of a formula into words.
func (f *formula) reply(result *llm.ToolResult) (*reply, *refusal) {
	body, err := decodeObject(result.Text())
	if err != nil {
		return nil, &refusal{bad: true, reason: "the result of " + f.tool + " could not be read"}
	}
	choices := formulaResults[f.tool]
	chosen := choices[0]
	for _, c := range choices {
		if f.result == c.field {
			chosen = c
		}
	}
	var notes []string
	if f.want != "" {
		same := false
		for _, c := range choices {
			if conv, err := convertUnits(c.unit, f.want); err == nil && conv.factor == 1 && (f.result == "" || f.result == c.field) {
				chosen, same = c, true
			}
		}
		if !same {
			if _, err := convertUnits(chosen.unit, f.want); err != nil {
				return nil, refuse("a %s cannot be given in %s", f.name, f.want)
			}
			notes = append(notes, "given in "+chosen.unit+", the unit that the formula's tool returns, not in "+f.want)
		}
	}
	number, ok := body[chosen.field].(float64)
	if !ok {
		return nil, &refusal{bad: true, reason: "the result of " + f.tool + " holds no " + chosen.field}
	}
	r := &reply{notes: notes}
	var given []string
	for _, g := range f.given {
		given = append(given, fmt.Sprintf("%s = %s %s", g.symbol, g.value, g.unit))
	}
	particle := ""
	if p, ok := body["particle"].(string); ok && (f.tool == "gyrofrequency" || f.tool == "inertial_length") {
		particle = p + " "
	}
	r.text = fmt.Sprintf("The %s%s is %s for %s.", particle, f.name, r.number(value{name: chosen.entry, number: number, units: chosen.unit}, 5), strings.Join(given, ", "))
	if convention, ok := body["convention"].(string); ok && convention != "" && !strings.ContainsAny(convention, "0123456789") {
		r.after = append(r.after, "Convention: "+trimStop(convention)+".")
	}
	return r, nil
}

// reply puts the result of a recipe into words.
func (m *method) reply(fetches []*fetch, v values) (*reply, *refusal) {
	r := &reply{}
	line := func(format string, names ...string) string {
		var args []any
		for _, n := range names {
			x, ok := v[n]
			if !ok {
				return ""
			}
			if x.time != "" {
				args = append(args, r.moment(x))
			} else {
				args = append(args, r.number(x, 5))
			}
		}
		return fmt.Sprintf(format, args...)
	}
	var what []string
	for _, f := range fetches {
		what = append(what, f.param)
	}
	subject := fmt.Sprintf("%s of %s", strings.ToUpper(m.name[:1])+m.name[1:], strings.Join(what, ", "))
	if m.frame != "" {
		subject += " (" + m.frame + ")"
	}
	var parts []string
	if m.recipe == "mvab" {
		parts = []string{
			line("ratio of intermediate to minimum variance %s", "mvab_ratio_int_min"),
			r.normal(v, "mvab_normal"),
			line("minimum variance %s", "mvab_lambda_min"),
			line("mean field along the normal %s", "mvab_Bn"),
			line("with an error of %s", "mvab_dBn"),
			line("the normal may turn by %s towards the intermediate direction", "mvab_dphi_min_int"),
			line("over %s field vectors", "mvab_n_points"),
		}
	} else {
		parts = []string{
			line("theta_Bn %s", "theta_bn"),
			r.normal(v, "shock_normal"),
			line("ratio of the downstream to the upstream field %s", "compression_ratio"),
			line("upstream field %s", "B_up_mag_nT"), line("downstream field %s", "B_dn_mag_nT"),
			line("for the shock at %s", "shock_time"),
			line("spread over the choice of windows %s", "theta_bn_window_spread_deg"),
		}
	}
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	if len(said) == 0 {
		return nil, &refusal{bad: true, reason: "the recipe " + m.recipe + " gave no result"}
	}
	r.text = subject
	if span := line(", on records from %s to %s", m.recipe+"_first_record", m.recipe+"_last_record"); span != "" {
		r.text += span
	}
	r.text += ": " + strings.Join(said, ", ") + "."
	if q, ok := v["mvab_quality"]; ok && m.recipe == "mvab" {
		grade, _, _ := strings.Cut(q.text, ":")
		r.after = append(r.after, "The recipe grades the normal as "+grade+".")
	}
	return r, nil
}

// normal writes a unit vector, claiming each component of the array.
func (r *reply) normal(v values, name string) string {
	x, ok := v[name]
	if !ok || len(x.sample) != 3 {
		return ""
	}
	var parts []string
	for _, c := range x.sample {
		text := fmt.Sprintf("%.4f", c)
		r.claim(claim{Name: name, Value: jsonNumber(text), Source: name})
		parts = append(parts, text)
	}
	return "normal (" + strings.Join(parts, ", ") + ")"
}

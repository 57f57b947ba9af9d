package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/units"
	"github.com/helios-go/helios/helioai/ledger"
)

// Claim is one number or time that the author of an answer declares. Its JSON
// is {"name","value","units","source"}.
type Claim struct {
	Name string `json:"name"`
	// Value is a number or a text that holds one, or a time in ISO 8601. In
	// JSON a number is kept as json.Number, so that the decimals shown are
	// known.
	Value any    `json:"value"`
	Units string `json:"units,omitempty"`
	// Source is the name of a ledger entry, or "literature" or "asserted" for
	// what comes from elsewhere, or "question" for what the user said. Empty
	// means the entry called Name.
	Source string `json:"source,omitempty"`
}

// UnmarshalJSON reads a claim and keeps numbers as they were written.
func (c *Claim) UnmarshalJSON(data []byte) error {
	type plain Claim
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode((*plain)(c))
}

// judgement is the line of a claim with what is needed to find it in the prose.
type judgement struct {
	line  Line
	token token // with ok
	ok    bool
	entry *known // that decided
}

// read turns the claim's value into a token. ok is false where it is neither a
// number nor a time.
func (c Claim) read() (t token, text string, ok bool) {
	switch v := c.Value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case float32:
		text = strconv.FormatFloat(float64(v), 'g', -1, 32)
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		text = fmt.Sprint(v)
	case nil:
		return t, "null", false
	default:
		return t, oneLine(fmt.Sprint(v)), false
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	t.unit, t.unitText = units.Parse(c.Units), strings.TrimSpace(c.Units)
	switch strings.ToLower(text) {
	case "nan":
		t.value = math.NaN()
		return t, text, true
	case "inf", "infinity", "+inf":
		t.value = math.Inf(1)
		return t, text, true
	case "-inf", "-infinity":
		t.value = math.Inf(-1)
		return t, text, true
	}
	if m, isTime := wholeTime(text); isTime {
		t.isTime, t.when = true, m
		return t, text, true
	}
	found := scan(text)
	if len(found) != 1 || len(text) > 60 {
		return t, oneLine(text), false
	}
	x := found[0]
	if x.isTime || t.unitText == "" {
		return x, text, true
	}
	x.unit, x.unitText = t.unit, t.unitText
	return x, text, true
}

// claim judges one claim.
func (c *checker) claim(cl Claim) judgement {
	t, text, ok := cl.read()
	j := judgement{token: t, ok: ok}
	j.line = Line{Name: cl.Name, Value: text, Units: strings.TrimSpace(cl.Units), Status: Unsourced}
	j.line.Text = oneLine(strings.TrimSpace(cl.Name + " = " + text + " " + cl.Units))
	source := strings.ToLower(strings.TrimSpace(cl.Source))
	for _, elsewhere := range []string{"literature", "asserted"} {
		if strings.HasPrefix(source, elsewhere) {
			j.line.Note = "not computed here: " + elsewhere
			return j
		}
	}
	if source == "question" || source == "given" || source == "user" {
		j.line.Note = "the question does not say this"
		if ok && c.isGiven(t) {
			j.line.Status, j.line.Note = Given, ""
		}
		return j
	}
	candidates := c.called(cl)
	switch {
	case len(candidates) == 0 && ok && c.isGiven(t):
		j.line.Status = Given
	case len(candidates) == 0:
		j.line.Note = "no ledger entry has this name"
		if ok && !t.isTime {
			if k := c.byValue(t); k != nil {
				j.line.Note += "; the value stands there as " + k.Name
			}
		}
	case !ok:
		j.decideText(candidates, text)
	case t.isTime:
		j.decideTime(candidates)
	default:
		j.decideNumber(candidates)
	}
	return j
}

// called returns the entries that a claim names, newest first: by its source,
// else by its name, exactly, else without regard to case and punctuation.
func (c *checker) called(cl Claim) []*known {
	names := []string{strings.TrimSpace(cl.Source), strings.TrimSpace(cl.Name)}
	for _, exact := range []bool{true, false} {
		for _, name := range names {
			var found []*known
			plain := slug(name)
			for i := range c.entries {
				if k := &c.entries[i]; exact && name != "" && k.Name == name || !exact && plain != "" && k.slug == plain {
					found = append(found, k)
				}
			}
			if found != nil {
				return found
			}
		}
	}
	return nil
}

func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127)
	}), "_")
}

// earlier is the note on a value that was computed again since.
const earlier = "an earlier value of this name; the latest differs"

// settled notes that entry k, the n-th of the candidates, decided.
func (j *judgement) settled(s Status, k *known, n int, note string) {
	j.entry = k
	j.line.Status, j.line.Entry, j.line.Code, j.line.Note = s, k.Name, k.Origin.Code, note
	j.line.Ledger, j.line.LedgerUnits = k.says()
	if n > 0 && s == Matched && note == "" {
		j.line.Note = earlier
	}
}

func (j *judgement) decideNumber(candidates []*known) {
	t := j.token
	var accuser *known
	for n, k := range candidates {
		views, rel := k.relate(t.unit, t.unitText)
		switch {
		case k.Kind == ledger.KindTime:
			continue
		case k.Kind == ledger.KindText:
			for _, x := range scan(strings.ToValidUTF8(k.Text, "\ufffd")) {
				if !x.isTime && t.near(x.value, t.whole && x.whole) {
					j.settled(Matched, k, n, "")
					return
				}
			}
			continue
		case (rel == judgeable || rel == thermal) && (k.states(t, views) || rel == judgeable && k.spread(t, views)):
			status, note := Matched, ""
			if rel == thermal {
				status, note = Derived, "temperature and energy taken for each other"
			}
			j.settled(status, k, n, note)
			return
		case rel == unjudged && k.Kind == ledger.KindSeries && t.unit.Class() == units.Unknown && k.sized(t):
			j.settled(Matched, k, n, "how many there are")
			return
		case rel == unjudged:
			if j.entry == nil {
				j.settled(Unsourced, k, 0, "the units could not be reconciled")
			}
			continue
		}
		if accuser == nil && k.scalar() {
			accuser = k
		}
	}
	switch {
	case accuser != nil && t.unitText == "" && accuser.unit.Class() == units.Measured:
		j.settled(Unsourced, accuser, 0, "the claim has no unit, the ledger has "+accuser.Units)
	case accuser != nil:
		note := ""
		if _, rel := accuser.relate(t.unit, t.unitText); rel != judgeable {
			note = "the units are of different kinds"
		}
		j.settled(Contradicted, accuser, 0, note)
	case j.entry == nil:
		j.settled(Unsourced, candidates[0], 0, "the entry holds no such number")
	}
}

func (j *judgement) decideTime(candidates []*known) {
	for n, k := range candidates {
		if k.instants(j.token.when) {
			j.settled(Matched, k, n, "")
			return
		}
	}
	for _, k := range candidates {
		if _, isTime := wholeTime(k.Text); k.Kind == ledger.KindTime || isTime {
			j.settled(Contradicted, k, 0, "")
			return
		}
	}
	j.settled(Unsourced, candidates[0], 0, "the entry holds no such time")
}

// decideText compares a claim that is neither a number nor a time.
func (j *judgement) decideText(candidates []*known, text string) {
	for n, k := range candidates {
		if k.Kind == ledger.KindText && fold(k.Text) == fold(text) {
			j.settled(Matched, k, n, "")
			return
		}
	}
	for _, k := range candidates {
		if k.Kind == ledger.KindText {
			j.settled(Contradicted, k, 0, "")
			return
		}
	}
	j.settled(Unsourced, candidates[0], 0, "the claim is neither a number nor a time")
}

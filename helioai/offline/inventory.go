package offline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helio/units"
	"github.com/helios-go/helios/helioai/wording"
)

// An inventory is a question about the data themselves: what there is, or the
// coverage, cadence, units or meaning of parameters.
type inventory struct {
	topic string // "list", "coverage", "cadence", "units", "meaning"
	about []*leaf
	homes []string
}

// topics are the words that ask about the data, longer phrases first.
var topics = []struct {
	phrases [][]string
	topic   string
}{
	{splitPhrases("what data|which data|what datasets|which datasets|what parameters|which parameters|what variables|which variables|what quantities|which quantities|what measurements do you have|what measurements are there|what files|which files|what is available|what is in there|what is in it|what is in this file|what is in the file|what is in the files|what is in these files|what is inside|what is there|what do you have|what have you got|what can i ask|what is loaded|list the parameters|list the variables|list the datasets|list all parameters|list all variables|list parameters|list variables|list datasets|list the data|show the inventory|inventory|table of contents|contents|content of the file|available parameters|available data|available variables|quelles donnees|quels parametres|quelles variables|quelles sont les donnees|liste des parametres|parameters do you have|what do these files contain|what does the file contain|what does this file contain|what does it contain|overview of the data|describe the data|describe the file|describe the files|what is contained"), "list"},
	{splitPhrases("time range|time span|timespan|what period|which period|what interval|coverage|what dates|which dates|what times does|what time does the file|what days|when do the data start|when does the data start|when do the data end|when does the data end|when does the file start|when does the file end|start and end of the data|start and stop|from when to when|how far does|quelle periode|does the file cover|do the data cover|does the data cover"), "coverage"},
	{splitPhrases("cadence|time resolution|sampling rate|sampling interval|sample rate|sample spacing|time step|temporal resolution|how often is|how often are|how frequently is|how frequently are|resolution temporelle|pas de temps"), "cadence"},
	{splitPhrases("what unit|what units|which unit|which units|units of|unit of|in what units|in which units|quelle unite|quelles unites|unites de|unite de"), "units"},
	{splitPhrases("meaning of|stand for|description of"), "meaning"},
}

// readInventory recognises a question about the data themselves. Such a
// question asks for no statistic and states no condition.
func (p *parser) readInventory() *inventory {
	topic, at, length := "", 0, 0
	for i := range p.tokens {
		for _, t := range topics {
			for _, words := range t.phrases {
				if n := p.phraseAt(i, words); n > length {
					topic, at, length = t.topic, i, n
				}
			}
		}
	}
	if topic == "" {
		return p.readMeaning()
	}
	q := *p
	q.tokens = slices.Delete(slices.Clone(p.tokens), at, at+length)
	q.dropTopic(topic)
	q.tokens = slices.DeleteFunc(q.tokens, func(t token) bool {
		return wordSet("measured measure sampled recorded available have got cover covers covered contain contains contained data dataset datasets file files parameters parameter variables included inside loaded there local each all every hold holds sampling time temporal resolution nominal typical")[t.text]
	})
	q.unknown = nil
	q.parse()
	inv := &inventory{topic: topic}
	for _, t := range q.tokens {
		switch t.item.kind {
		case quantityItem:
			if t.item.quantity.homeOnly() {
				inv.homes = append(inv.homes, t.item.quantity.homes...)
				continue
			}
			if topic == "list" { // "which density data are there" is a list too
				return nil
			}
			inv.about = append(inv.about, p.catalog.matching(t.item.quantity, inv.homes)...)
			if len(inv.about) == 0 {
				return nil
			}
		case separatorItem, pronounItem, spanItem:
		case whenItem:
			if topic != "coverage" && topic != "list" {
				return nil
			}
		default:
			return nil
		}
	}
	if len(q.unknown) > 0 || topic != "list" && topic != "coverage" && topic != "cadence" && len(inv.about) == 0 {
		return nil
	}
	return inv
}

// dropTopic takes out what else asks the same: "which time range does the file
// cover" says it twice.
func (p *parser) dropTopic(topic string) {
	for i := 0; p.has(i); i++ {
		for _, t := range topics {
			for _, words := range t.phrases {
				if n := p.phraseAt(i, words); n > 0 && t.topic == topic {
					p.tokens = slices.Delete(p.tokens, i, i+n)
				}
			}
		}
	}
}

// readMeaning recognises "what is BGSEc" and "what does Q_FLAG mean".
func (p *parser) readMeaning() *inventory {
	words := p.tokens
	for len(words) > 0 && words[len(words)-1].kind == symbolToken {
		words = words[:len(words)-1]
	}
	var name token
	switch {
	case len(words) == 3 && words[0].text == "what" && (words[1].text == "is" || words[1].text == "are"):
		name = words[2]
	case len(words) == 4 && words[0].text == "what" && words[1].text == "does" && (words[3].text == "mean" || words[3].text == "measure"):
		name = words[2]
	case len(words) == 2 && (words[0].text == "explain" || words[0].text == "describe"):
		name = words[1]
	default:
		return nil
	}
	inv := &inventory{topic: "meaning"}
	for _, l := range p.catalog.leaves {
		if l.param.Name == name.orig || distinctive(name.orig) && strings.EqualFold(l.param.Name, name.orig) {
			inv.about = append(inv.about, l)
		}
	}
	if len(inv.about) == 0 {
		return nil
	}
	return inv
}

// answer puts the inventory into words. It holds no computed number, so it
// makes no claims.
func (inv *inventory) answer(c *catalog) string {
	if inv.topic == "list" || len(inv.about) == 0 {
		return inv.listing(c)
	}
	var lines []string
	seen := map[string]bool{}
	for _, l := range inv.about {
		p := l.param
		if seen[p.ID] {
			continue
		}
		seen[p.ID] = true
		line := p.ID + " (" + describe(p) + ")"
		switch inv.topic {
		case "units":
			line += " " + unitText(p) + "."
		case "coverage":
			line += " " + covers(p.Start, p.Stop) + "."
		case "cadence":
			line += " has one record " + every(p.Cadence) + "."
		default:
			line += " " + unitText(p) + ", with one record " + every(p.Cadence) + "; it " + covers(p.Start, p.Stop) + "."
			if len(p.Columns) > 1 {
				line += " Its columns are " + strings.Join(p.Columns, ", ") + "."
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func describe(p *archive.Parameter) string {
	if d := strings.Join(strings.Fields(p.Description), " "); d != "" {
		return d
	}
	return p.Name
}

// unitText says what the file says of the unit.
func unitText(p *archive.Parameter) string {
	switch u := units.Parse(p.Units); u.Class() {
	case units.Unspecified, units.Dimensionless:
		return "has no unit"
	case units.Legend:
		return "has codes: " + strings.TrimSpace(p.Units)
	case units.Measured, units.Unknown:
	}
	return "is in " + strings.TrimSpace(p.Units)
}

func (inv *inventory) listing(c *catalog) string {
	var b strings.Builder
	var chosen []*archive.Dataset
	for i := range c.datasets {
		home := c.dataset[c.datasets[i].ID]
		if !slices.ContainsFunc(inv.homes, func(w string) bool { return !home[w] }) {
			chosen = append(chosen, &c.datasets[i])
		}
	}
	if len(chosen) == 1 {
		b.WriteString("There is one dataset.")
	} else {
		fmt.Fprintf(&b, "There are %d datasets.", len(chosen))
	}
	for _, d := range chosen {
		title := d.Title
		if title == "" {
			title = d.Mission
		}
		b.WriteString("\n\n" + d.ID)
		if title != "" {
			b.WriteString(": " + strings.TrimSuffix(title, ".") + ". It")
		}
		b.WriteString(" " + covers(d.Start, d.Stop))
		if d.Records > 0 {
			b.WriteString(", with one record " + every(d.Cadence))
		}
		b.WriteString(".")
		if d.Synthetic {
			b.WriteString(" These data are synthetic.")
		}
		if inv.topic != "list" {
			continue
		}
		for k := range d.Parameters {
			p := &d.Parameters[k]
			if p.Role != "data" && p.Role != "support_data" || p.Records == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n- %s", p.Name)
			if u := unitName(p.Units); u != "" {
				fmt.Fprintf(&b, " (%s)", u)
			}
			if text := shortDescription(p.Description); text != "" && text != p.Name {
				b.WriteString(": " + text)
			}
			if len(p.Columns) > 1 && len(p.Columns) <= 6 {
				b.WriteString(" [" + strings.Join(p.Columns, ", ") + "]")
			}
		}
	}
	return b.String()
}

// covers says in days what the data span, which is what people ask for.
func covers(start, stop tt.Time) string {
	if start == tt.Fill || stop == tt.Fill {
		return "has no records"
	}
	first, last := start.UTC().Format(time.DateOnly), stop.UTC().Format(time.DateOnly)
	if first == last {
		return "covers " + first
	}
	return "covers " + first + " to " + last
}

func every(d time.Duration) string {
	switch d {
	case time.Hour:
		return "every hour"
	case time.Minute:
		return "every minute"
	case time.Second:
		return "every second"
	}
	if d <= 0 {
		return "at times of its own"
	}
	return "every " + wording.Interval(d)
}

package archive

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// An amdaDataset is a dataset with what only AMDA knows of it.
type amdaDataset struct {
	Dataset
	// restricted is from when on the data need an account; [tt.Fill]: never.
	restricted tt.Time
}

// parseAMDATree reads AMDA's inventory.
func parseAMDATree(data []byte) ([]amdaDataset, error) {
	p := &amdaParser{dec: xml.NewDecoder(bytes.NewReader(data))}
	root := false
	for {
		tok, err := p.dec.Token()
		if errors.Is(err, io.EOF) && root && len(p.path) == 0 {
			return p.out, nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("the inventory is no XML that can be read, at byte %d: %w", p.dec.InputOffset(), err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if !root && e.Name.Local != "dataRoot" {
				return nil, fmt.Errorf("the answer is <%s>, and not an inventory", e.Name.Local)
			}
			root = true
			if err := p.start(e); err != nil {
				return nil, err
			}
		case xml.EndElement:
			p.end()
		}
	}
}

const maxAMDADepth = 64

type amdaParser struct {
	dec  *xml.Decoder
	out  []amdaDataset
	path []xml.StartElement // the elements that are open

	dataset   *amdaDataset
	parameter *Parameter
	argument  *Argument
}

func xmlAttr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// above returns an attribute of the innermost open element of one of the kinds.
func (p *amdaParser) above(attr string, kinds ...string) string {
	for _, open := range slices.Backward(p.path) {
		for _, kind := range kinds {
			if open.Name.Local == kind {
				if v := xmlAttr(open, attr); v != "" {
					return v
				}
			}
		}
	}
	return ""
}

func (p *amdaParser) start(e xml.StartElement) error {
	if p.path = append(p.path, e); len(p.path) > maxAMDADepth {
		return fmt.Errorf("the inventory is nested more than %d deep", maxAMDADepth)
	}
	switch e.Name.Local {
	case "dataset":
		p.startDataset(e)
	case "parameter":
		if p.dataset != nil && xmlAttr(e, "id") != "" {
			p.startParameter(e)
		}
	case "component":
		if p.parameter != nil {
			p.parameter.Columns = append(p.parameter.Columns, firstOf(xmlAttr(e, "name"), xmlAttr(e, "id")))
		}
	case "argument":
		if p.parameter != nil && p.parameter.Template != nil {
			p.argument = newArgument(e)
		}
	case "item":
		if p.argument != nil {
			p.argument.Choices = append(p.argument.Choices, Choice{Key: xmlAttr(e, "key"), Name: xmlAttr(e, "name")})
		}
	}
	return nil
}

func (p *amdaParser) end() {
	e := p.path[len(p.path)-1]
	p.path = p.path[:len(p.path)-1]
	switch e.Name.Local {
	case "dataset":
		if p.dataset != nil {
			p.out = append(p.out, *p.dataset)
		}
		p.dataset, p.parameter, p.argument = nil, nil, nil
	case "parameter":
		if p.dataset != nil && p.parameter != nil {
			p.parameter.finish()
			p.dataset.Parameters = append(p.dataset.Parameters, *p.parameter)
		}
		p.parameter, p.argument = nil, nil
	case "argument":
		if p.parameter != nil && p.argument != nil {
			p.parameter.Template.Arguments = append(p.parameter.Template.Arguments, *p.argument)
		}
		p.argument = nil
	}
}

func (p *amdaParser) startDataset(e xml.StartElement) {
	id := xmlAttr(e, "id")
	mission := firstOf(p.above("name", "observatory"), p.above("name", "mission"))
	if p.above("name", "observatory") != "" && p.above("name", "mission") != "" {
		mission = p.above("name", "mission") + " " + mission
	}
	instrument := firstOf(lines(p.above("desc", "instrument")), p.above("name", "instrument"))
	d := &amdaDataset{restricted: looseTime(xmlAttr(e, "timeRestriction"))}
	d.Dataset = Dataset{
		ID: id, Provider: "amda", Source: firstOf("AMDA, from "+xmlAttr(e, "dataSource"), "AMDA"), Mission: mission, Instrument: instrument,
		Title: strings.Join(strings.Fields(mission+" "+p.above("name", "instrument")+" "+p.above("name", "datasetGroup")+" "+xmlAttr(e, "name")), " "),
		Start: looseTime(xmlAttr(e, "dataStart")), Stop: looseTime(xmlAttr(e, "dataStop")),
		Region: firstOf(xmlAttr(e, "target"), p.above("target", "observatory", "mission")), Type: xmlAttr(e, "measurement_type"),
		SPASE: xmlAttr(e, "spaseId"), Modified: firstOf(xmlAttr(e, "lastModificationDate"), xmlAttr(e, "lastUpdate")),
		ResourceURL: "https://amda.irap.omp.eu", Acknowledgement: amdaThanks,
	}
	if cadence, err := tt.ParseSampling(firstOf(xmlAttr(e, "sampling"), xmlAttr(e, "minSampling"))); err == nil {
		d.Cadence = cadence
	}
	if text := lines(xmlAttr(e, "desc")); text != "" {
		d.Title += ": " + text
	}
	p.dataset = d
}

// amdaThanks is how AMDA asks to be acknowledged, in our words.
const amdaThanks = "Data from AMDA, provided by the Centre de Données de la Physique des Plasmas (CDPP, CNRS, Observatoire Midi-Pyrénées, Toulouse)"

// lines puts a text with line breaks of HTML on one line.
func lines(text string) string {
	for _, br := range []string{"<br/>", "<br />", "<br>"} {
		text = strings.ReplaceAll(text, br, "; ")
	}
	text = strings.Join(strings.Fields(text), " ")
	for strings.Contains(text, "; ;") {
		text = strings.ReplaceAll(text, "; ;", ";")
	}
	return strings.Trim(text, "; ")
}

func (p *amdaParser) startParameter(e xml.StartElement) {
	id := xmlAttr(e, "id")
	d := p.dataset
	q := &Parameter{
		ID: JoinID("amda", d.ID, id), Dataset: d.ID, Name: id, Units: xmlAttr(e, "units"), Role: "data", Mission: d.Mission,
		Start: d.Start, Stop: d.Stop, Cadence: d.Cadence,
	}
	name := xmlAttr(e, "name")
	if q.Description = lines(xmlAttr(e, "description")); !strings.Contains(strings.ToLower(q.Description), strings.ToLower(name)) {
		q.Description = strings.Trim(name+": "+q.Description, ": ")
	}
	if n, err := strconv.Atoi(xmlAttr(e, "size")); err == nil && n > 1 && n <= 1<<16 {
		q.Dims = []int{n}
	}
	if pattern := xmlAttr(e, "template"); pattern != "" {
		q.Template = &Template{Pattern: pattern}
	}
	if group := p.above("name", "parameter"); group != name && group != "" {
		q.Description += " (" + group + ")"
	}
	q.Frame = frameIn(name, q.Description, xmlAttr(e, "coordinate_system"))
	p.parameter = q
}

// finish gives a parameter its labels.
func (p *Parameter) finish() {
	w := 1
	if len(p.Dims) > 0 {
		w = p.Dims[0]
	}
	if len(p.Columns) == w {
		return
	}
	p.Columns = []string{p.Name}
	if w == 1 {
		return
	}
	p.Columns = make([]string, w)
	for i := range p.Columns {
		p.Columns[i] = fmt.Sprintf("%s_%d", p.Name, i+1)
	}
}

// maxGenerated is how many values a generated list may have.
const maxGenerated = 10_000

func newArgument(e xml.StartElement) *Argument {
	a := &Argument{Key: xmlAttr(e, "key"), Name: xmlAttr(e, "name"), Type: xmlAttr(e, "type"), Default: xmlAttr(e, "default")}
	switch a.Type {
	case "bool":
		a.Choices = []Choice{{"0", "no"}, {"1", "yes"}}
	case "generated-list":
		first, err1 := strconv.Atoi(xmlAttr(e, "minkey"))
		last, err2 := strconv.Atoi(xmlAttr(e, "maxkey"))
		if err1 != nil || err2 != nil || last < first || last-first >= maxGenerated {
			break
		}
		for k := first; k <= last; k++ { // the last counts: it is the default of some
			key := strconv.Itoa(k)
			a.Choices = append(a.Choices, Choice{key, strings.ReplaceAll(xmlAttr(e, "nametpl"), "##key##", key)})
		}
	}
	return a
}

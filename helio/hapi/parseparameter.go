package hapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

type wireParameter struct {
	Name, Type, Fill, Length, Size loose
	Units, Label, Description      loose
	CoordinateSystemName           loose
	VectorComponents               loose
	StringType                     loose
	Bins                           loose
}

type wireBin struct {
	Name, Units, Label, Description loose
	Centers, Ranges                 loose
}

const (
	maxWidth      = 1 << 20 // values of one parameter in a record
	maxLength     = 1 << 20 // bytes of a text in binary
	maxDimensions = 16
)

func parseParameter(raw json.RawMessage, refs *references) (Parameter, error) {
	raw, err := refs.resolve(raw)
	if err != nil {
		return Parameter{}, err
	}
	if len(raw) == 0 || raw[0] != '{' {
		return Parameter{}, errNoObject
	}
	var w wireParameter
	if err := json.Unmarshal(raw, &w); err != nil {
		return Parameter{}, describeJSON(err)
	}
	p := Parameter{
		Name: w.Name.text(), Type: Type(strings.ToLower(w.Type.text())), Description: w.Description.text(),
		Length: w.Length.int(), CoordinateSystem: w.CoordinateSystemName.text(), VectorComponents: w.VectorComponents.texts(),
		Units: w.Units.texts(), Label: w.Label.texts(), URI: w.StringType.raw(), Extra: extra(raw),
	}
	if p.Name == "" {
		return p, errors.New("it has no name")
	}
	switch p.Type {
	case IsoTime, String, Double, Integer:
	default:
		return p, fmt.Errorf("its type is %.40q, which is none of isotime, string, double and integer", p.Type)
	}
	if p.Length < 0 || p.Length > maxLength {
		return p, fmt.Errorf("a text of %d bytes is none that can be read", p.Length)
	}
	if err := p.setFill(w.Fill); err != nil {
		return p, err
	}
	if p.Size, err = w.Size.sizes(); err != nil {
		return p, err
	}
	if len(p.VectorComponents) == 0 && p.CoordinateSystem != "" && len(p.Size) == 1 && p.Size[0] == 3 {
		p.VectorComponents = []string{"x", "y", "z"}
	}
	p.Units, p.Label = fit(p.Units, p.Width()), fit(p.Label, p.Width())
	p.Bins, err = w.Bins.bins(p.Size)
	return p, err
}

// setFill takes the fill value. A list must have the same for all values.
func (p *Parameter) setFill(l loose) error {
	if l.null() {
		return nil
	}
	list := l.texts()
	if len(list) == 0 { // "", which marks a text but no number
		p.HasFill = p.Type.IsText() && l.isText()
		return nil
	}
	if slices.ContainsFunc(list, func(s string) bool { return s != list[0] }) {
		return errors.New("it has fill values that differ, and can have only one")
	}
	p.Fill, p.HasFill = list[0], true
	return nil
}

// fit drops a list that has neither one entry nor one for each value, or says nothing.
func fit(list []string, width int) []string {
	if len(list) != 1 && len(list) != width || first(list...) == "" {
		return nil
	}
	return list
}

// sizes is the shape of a record.
func (l loose) sizes() ([]int, error) {
	var out []int
	width := 1
	for _, text := range l.texts() {
		n := loose(text).int()
		if n < 1 || n > maxWidth || width*n > maxWidth || len(out) == maxDimensions {
			return nil, fmt.Errorf("its size, %.40s, is none that can be read", string(l))
		}
		width *= n
		out = append(out, n)
	}
	return out, nil
}

// bins reads those of the dimensions of a size; what more there are is left out.
func (l loose) bins(size []int) ([]Bin, error) {
	list, err := l.list("bins")
	if err != nil {
		return nil, err
	}
	var out []Bin
	for i, raw := range list[:min(len(list), len(size))] {
		var w wireBin
		if raw[0] == '{' {
			if err := json.Unmarshal(raw, &w); err != nil {
				return nil, fmt.Errorf("bins of dimension %d: %w", i+1, describeJSON(err))
			}
		}
		out = append(out, w.bin(size[i]))
	}
	return out, nil
}

// bin is what stands for n places. Centers and ranges of another number are left out.
func (w *wireBin) bin(n int) Bin {
	b := Bin{Name: w.Name.text(), Label: first(w.Label.texts()...), Description: w.Description.text(), Units: first(w.Units.texts()...)}
	b.Centers, b.CentersFrom = w.Centers.places(n)
	b.Ranges, b.RangesFrom = w.Ranges.places(2 * n)
	return b
}

// places are n numbers, or the name of the parameter that has them.
func (l loose) places(n int) ([]float64, string) {
	if l.isText() {
		return nil, l.text()
	}
	if l.null() || l[0] != '[' && n != 1 {
		return nil, ""
	}
	texts := l.texts()
	if len(texts) != n {
		return nil, ""
	}
	out := make([]float64, n)
	known := false
	for i, text := range texts {
		v, err := written([]byte(text))
		if err != nil {
			v = math.NaN()
		}
		out[i] = v
		known = known || !math.IsNaN(v)
	}
	if !known {
		return nil, ""
	}
	return out, ""
}

package cdf

import (
	"fmt"
	"strconv"
	"strings"
)

// The attributes here are those of the ISTP guidelines, which space-physics
// archives follow.

// DependName returns the name of the variable along the given axis of this one:
// axis 0 is time (DEPEND_0), axis 1 the first dimension of a record, as the
// channels of a spectrum, and so on. It is empty where the file names none.
func (v *Variable) DependName(axis int) string {
	return v.AttributeString("DEPEND_" + strconv.Itoa(axis))
}

// TimeAxis returns the variable that DEPEND_0 names. It is an error where there
// is none, where it is not in the file, or where it holds no times.
func (v *Variable) TimeAxis() (*Variable, error) {
	name := v.DependName(0)
	if name == "" {
		return nil, fmt.Errorf("time axis of %q: it has no attribute DEPEND_0", v.Name)
	}
	axis, ok := v.file.Variable(name)
	if !ok {
		return nil, fmt.Errorf("time axis of %q: DEPEND_0 names %q, which is not in the file", v.Name, name)
	}
	if !axis.Type.IsTime() {
		return nil, fmt.Errorf("time axis of %q: %w: %q is %s", v.Name, ErrType, name, axis.Type)
	}
	return axis, nil
}

// FillValue returns the values that mark missing data (FILLVAL): usually one,
// sometimes one for each component, none where the file names none. It may be
// NaN, and a float64 attribute may hold a rounded float32.
func (v *Variable) FillValue() []float64 { return v.numbers("FILLVAL") }

// ValidRange returns VALIDMIN and VALIDMAX, one value or one for each component;
// nil where the file names none. They are advice: good data may lie outside.
func (v *Variable) ValidRange() (low, high []float64) {
	return v.numbers("VALIDMIN"), v.numbers("VALIDMAX")
}

// numbers reads an attribute of numbers; some writers store them as text.
func (v *Variable) numbers(name string) []float64 {
	a, ok := v.Attribute(name)
	if !ok {
		return nil
	}
	if !a.Type.IsText() {
		return a.Float64s()
	}
	var out []float64
	for s := range strings.FieldsSeq(a.String()) {
		if x, err := strconv.ParseFloat(s, 64); err == nil {
			out = append(out, x)
		}
	}
	return out
}

// Units returns UNITS, or what the variable holds that UNIT_PTR names: where
// components differ, their units joined by commas. Empty where the file says
// nothing.
func (v *Variable) Units() (string, error) {
	if units := strings.TrimSpace(v.AttributeString("UNITS")); units != "" {
		return units, nil
	}
	list, err := v.pointed("UNIT_PTR")
	if err != nil {
		return "", fmt.Errorf("units of %q: %w", v.Name, err)
	}
	same := true
	for _, u := range list {
		same = same && u == list[0]
	}
	if same && len(list) > 0 {
		return list[0], nil
	}
	return strings.Join(list, ", "), nil
}

// Labels returns a name for each value of a record, in row-major order: from the
// variables that LABL_PTR_1, LABL_PTR_2 ... name, else from LABLAXIS, else from
// the variable's own name, the latter two numbered from 1 where a record is an
// array. It is an error where they would take more memory than the file can be
// believed to need.
func (v *Variable) Labels() ([]string, error) {
	labels, err := v.pointedLabels()
	if err == nil && labels == nil {
		labels, err = v.numberedLabels()
	}
	if err != nil {
		return nil, fmt.Errorf("labels of %q: %w", v.Name, err)
	}
	return labels, nil
}

// pointedLabels joins the labels along each dimension; nil where one is missing.
func (v *Variable) pointedLabels() ([]string, error) {
	var labels []string
	for i, n := range v.Dims {
		list, err := v.pointed("LABL_PTR_" + strconv.Itoa(i+1))
		if err != nil || len(list) != n {
			return nil, err
		}
		if i == 0 {
			labels = list
			continue
		}
		if err := v.believable(len(labels)*n, longest(labels)+longest(list)); err != nil {
			return nil, err
		}
		next := make([]string, 0, len(labels)*n)
		for _, l := range labels {
			for _, part := range list {
				next = append(next, strings.TrimSpace(l+" "+part))
			}
		}
		labels = next
	}
	return labels, nil
}

func (v *Variable) numberedLabels() ([]string, error) {
	name := strings.TrimSpace(v.AttributeString("LABLAXIS"))
	if name == "" {
		name = v.Name
	}
	if len(v.Dims) == 0 {
		return []string{name}, nil
	}
	if err := v.believable(v.perRecord, len(name)); err != nil {
		return nil, err
	}
	labels := make([]string, v.perRecord)
	for i := range labels {
		labels[i] = name + "_" + strconv.Itoa(i+1)
	}
	return labels, nil
}

// believable is an error where n texts of that length are more than one read may
// give.
func (v *Variable) believable(n, length int) error {
	const overhead = 48 // of a string, its number and what joins it
	if int64(n) > v.file.maxRead/int64(length+overhead) {
		return fmt.Errorf("%d of up to %d bytes are out of proportion to a file of %d", n, length, v.file.size)
	}
	return nil
}

func longest(list []string) int {
	n := 0
	for _, s := range list {
		n = max(n, len(s))
	}
	return n
}

// pointed returns the texts of the variable that an attribute names; nil where
// there is no such attribute, or the variable is missing or holds no text.
func (v *Variable) pointed(attribute string) ([]string, error) {
	name := strings.TrimSpace(v.AttributeString(attribute))
	if name == "" {
		return nil, nil
	}
	p, ok := v.file.Variable(name)
	if !ok || !p.Type.IsText() || p.Records == 0 {
		return nil, nil
	}
	list, err := p.Range(0, 1).Strings()
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list, err
}

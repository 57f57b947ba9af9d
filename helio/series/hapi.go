package series

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/helios-go/helios/helio/tt"
)

// hapiFill stands for a missing value: HAPI's JSON has no NaN.
const hapiFill = "-1e31"

// WriteHAPI writes series that share a time axis, see [Join], as a HAPI 3.2
// server would answer a request with include=header: csv rows after a header
// in comment lines. A missing value is the fill value -1e31, which the header
// declares. Bins that vary with time are parameters of their own, to which the
// header refers. Equal series give equal bytes.
func WriteHAPI(w io.Writer, all ...*Series) error {
	sh, err := newSheet(all)
	if err != nil {
		return fmt.Errorf("write as HAPI csv: %w", err)
	}
	header, err := sh.hapiHeader("csv")
	if err != nil {
		return fmt.Errorf("write as HAPI csv: %w", err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	_, _ = b.WriteString("#" + string(bytes.ReplaceAll(header, []byte("\n"), []byte("\n#"))) + "\n") // kept for Flush
	err = sh.rows(b, func(row []byte, r int) []byte {
		row = sh.times[r].AppendFormat(row, sh.digits)
		for i := range sh.blocks {
			for _, v := range sh.blocks[i].row(r) {
				row = appendNumber(append(row, ','), v, hapiFill)
			}
		}
		return append(row, '\n')
	})
	if err != nil {
		return fmt.Errorf("write as HAPI csv: %w", err)
	}
	return nil
}

// WriteHAPIJSON writes the same as HAPI's json: the header as an object with
// the records as its "data".
func WriteHAPIJSON(w io.Writer, all ...*Series) error {
	sh, err := newSheet(all)
	if err != nil {
		return fmt.Errorf("write as HAPI json: %w", err)
	}
	header, err := sh.hapiHeader("json")
	if err != nil {
		return fmt.Errorf("write as HAPI json: %w", err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	_, _ = b.Write(bytes.TrimSuffix(header, []byte("\n}"))) // kept for Flush
	_, _ = b.WriteString(",\n  \"data\": [")
	err = sh.rows(b, func(row []byte, r int) []byte {
		if r > 0 {
			row = append(row, ',')
		}
		row = append(row, "\n[\""...)
		row = append(sh.times[r].AppendFormat(row, sh.digits), '"')
		for i := range sh.blocks {
			row = appendNested(append(row, ','), sh.blocks[i].row(r), sh.blocks[i].dims)
		}
		return append(row, ']')
	})
	if err == nil {
		_, _ = b.WriteString("\n]}\n")
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("write as HAPI json: %w", err)
	}
	return nil
}

// appendNested writes values in brackets, one pair for each dimension.
func appendNested(b []byte, values []float64, dims []int) []byte {
	if len(dims) == 0 {
		return appendNumber(b, values[0], hapiFill)
	}
	b = append(b, '[')
	each := len(values) / dims[0]
	for i := range dims[0] {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNested(b, values[i*each:(i+1)*each], dims[1:])
	}
	return append(b, ']')
}

type hapiInfo struct {
	HAPI              string          `json:"HAPI"`
	Status            hapiStatus      `json:"status"`
	Format            string          `json:"format"`
	Start             string          `json:"startDate,omitempty"`
	Stop              string          `json:"stopDate,omitempty"`
	Cadence           string          `json:"cadence,omitempty"`
	TimeStampLocation string          `json:"timeStampLocation,omitempty"`
	Title             string          `json:"title,omitempty"`
	ResourceURL       string          `json:"resourceURL,omitempty"`
	ResourceID        string          `json:"resourceID,omitempty"`
	Citation          string          `json:"citation,omitempty"`
	License           string          `json:"license,omitempty"`
	Parameters        []hapiParameter `json:"parameters"`
}

type hapiStatus struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type hapiParameter struct {
	Name        string    `json:"name"`
	Type        string    `json:"type"`
	Length      int       `json:"length,omitempty"`
	Units       *string   `json:"units"`
	Fill        *string   `json:"fill"`
	Description string    `json:"description,omitempty"`
	Frame       string    `json:"coordinateSystemName,omitempty"`
	Size        []int     `json:"size,omitempty"`
	Label       []string  `json:"label,omitempty"`
	Bins        []hapiBin `json:"bins,omitempty"`
}

// A hapiBin has numbers, or the name of the parameter that has them.
type hapiBin struct {
	Name    string  `json:"name"`
	Units   *string `json:"units"`
	Centers any     `json:"centers"`
	Ranges  any     `json:"ranges,omitempty"`
}

func (sh *sheet) hapiHeader(format string) ([]byte, error) {
	info := hapiInfo{
		HAPI: "3.2", Status: hapiStatus{1200, "OK"}, Format: format,
		TimeStampLocation: sh.common(func(s *Series) string { return s.Meta.TimeStampLocation }),
		Title:             sh.common(func(s *Series) string { return s.Meta.DatasetTitle }),
		ResourceURL:       sh.common(func(s *Series) string { return s.Meta.ResourceURL }),
		ResourceID:        sh.common(func(s *Series) string { return s.Meta.SPASE }),
		Citation:          sh.common(func(s *Series) string { return orElse(s.Meta.Citation, s.Meta.DOI) }),
		License:           sh.common(func(s *Series) string { return s.Meta.License }),
	}
	length := len("2000-01-01T00:00:00Z")
	if n := len(sh.times); n > 0 {
		info.Start, info.Stop = sh.times[0].Format(sh.digits), sh.times[n-1].Format(sh.digits)
		length = len(info.Start)
	}
	if step := Cadence(sh.times); step > 0 {
		info.Cadence = tt.FormatDuration(step)
	}
	utc, fill := "UTC", hapiFill
	info.Parameters = []hapiParameter{{Name: "Time", Type: "isotime", Length: length, Units: &utc}}
	for i := range sh.blocks {
		b := &sh.blocks[i]
		p := hapiParameter{Name: b.name, Type: "double", Units: textOrNull(b.units), Fill: &fill, Size: b.dims}
		if b.width > 1 {
			p.Label = b.labels
		}
		if !b.bins {
			p.Description, p.Frame = b.of.Description, b.of.Meta.Frame
		}
		p.Bins = hapiBins(b.axes)
		info.Parameters = append(info.Parameters, p)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(info)
	return bytes.TrimSpace(out.Bytes()), err
}

// hapiBins are those of all dimensions; nil where none has any.
func hapiBins(axes []boundAxis) []hapiBin {
	var out []hapiBin
	binned := false
	for _, a := range axes {
		b := hapiBin{Name: orElse(a.Name, "bin"), Units: textOrNull(a.Units)}
		switch {
		case a.Varying:
			binned = true
			if a.centers != "" {
				b.Centers = a.centers
			}
			if a.ranges != "" {
				b.Ranges = a.ranges
			}
		case a.Binned():
			binned = true
			if len(a.Centers) > 0 {
				b.Centers = numbers(a.Centers)
			}
			var pairs []numbers
			for i := 0; i+1 < len(a.Ranges); i += 2 {
				pairs = append(pairs, a.Ranges[i:i+2])
			}
			if pairs != nil {
				b.Ranges = pairs
			}
		}
		out = append(out, b)
	}
	if !binned {
		return nil
	}
	return out
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

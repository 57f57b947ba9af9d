package hapitest

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// encode writes records of some parameters in a format, with the header before
// them or, if h is nil, without.
func (d *Dataset) encode(o *Options, format string, params []int, list []record, h map[string]any) []byte {
	var b bytes.Buffer
	if h != nil && format != "json" {
		b.Write(comment(o, h))
	}
	switch format {
	case "csv":
		d.csv(&b, o, params, list)
	case "binary":
		d.binary(&b, o, params, list)
	default:
		d.json(&b, o, params, list, h)
	}
	return b.Bytes()
}

// comment is a header in front of csv or binary.
func comment(o *Options, h map[string]any) []byte {
	if !o.ManyLines {
		return append(append([]byte("#"), marshal(h)...), '\n')
	}
	text, err := json.MarshalIndent(h, "#", "  ")
	if err != nil {
		panic(err)
	}
	return append(append([]byte("#"), text...), '\n')
}

func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// flat are the values of a parameter in a record, one after the other.
func flat(v any) []any {
	var out []any
	switch v := v.(type) {
	case []float64:
		for _, e := range v {
			out = append(out, e)
		}
	case []int:
		for _, e := range v {
			out = append(out, e)
		}
	case []string:
		for _, e := range v {
			out = append(out, e)
		}
	default:
		out = append(out, v)
	}
	return out
}

func (d *Dataset) csv(b *bytes.Buffer, o *Options, params []int, list []record) {
	w := csv.NewWriter(b)
	w.UseCRLF = o.CRLF
	for _, r := range list {
		row := []string{stamp(o, r.t)}
		for _, p := range params {
			for _, v := range flat(d.Params[p].Value(r.i, r.t)) {
				row = append(row, text(o, v))
			}
		}
		if err := w.Write(row); err != nil {
			panic(err)
		}
	}
	w.Flush()
}

func text(o *Options, v any) string {
	switch v := v.(type) {
	case float64:
		if o.Float32Fill && v == -1e31 {
			v = float64(float32(v))
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int:
		return strconv.Itoa(v)
	}
	return fmt.Sprint(v)
}

func (d *Dataset) binary(b *bytes.Buffer, o *Options, params []int, list []record) {
	for _, r := range list {
		b.WriteString(stamp(o, r.t))
		for _, p := range params {
			for _, v := range flat(d.Params[p].Value(r.i, r.t)) {
				switch v := v.(type) {
				case float64:
					b.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				case int:
					b.Write(binary.LittleEndian.AppendUint32(nil, uint32(int32(v))))
				case string:
					if o.QuotedBinary && strings.ContainsAny(v, `,"`) {
						v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
						v = v[:min(len(v), d.Params[p].Length)]
					}
					b.WriteString(v + strings.Repeat("\x00", d.Params[p].Length-len(v)))
				}
			}
		}
	}
}

func (d *Dataset) json(b *bytes.Buffer, o *Options, params []int, list []record, h map[string]any) {
	if h != nil {
		head := marshal(h)
		b.Write(head[:len(head)-1])
		b.WriteString(",\n\"data\":\n")
	}
	b.WriteString("[\n")
	for n, r := range list {
		if n > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(b, "[%q", stamp(o, r.t))
		for _, p := range params {
			b.WriteByte(',')
			size := d.Params[p].Size
			values := flat(d.Params[p].Value(r.i, r.t))
			if o.SpreadJSON && len(size) > 1 {
				for j, v := range values {
					if j > 0 {
						b.WriteByte(',')
					}
					nest(b, o, nil, []any{v})
				}
				continue
			}
			if o.FlatJSON && len(size) > 1 {
				size = []int{len(values)}
			}
			nest(b, o, size, values)
		}
		b.WriteByte(']')
	}
	b.WriteString("\n]\n")
	if h != nil {
		b.WriteString("}\n")
	}
}

// nest writes values in brackets as deep as their size.
func nest(b *bytes.Buffer, o *Options, size []int, values []any) {
	if len(size) == 0 {
		switch v := values[0].(type) {
		case float64:
			switch {
			case !math.IsNaN(v):
				b.Write(marshal(v))
			case o.JSONNaN:
				b.WriteString("NaN")
			default:
				b.WriteString("null")
			}
		default:
			b.Write(marshal(v))
		}
		return
	}
	b.WriteByte('[')
	each := len(values) / size[0]
	for i := range size[0] {
		if i > 0 {
			b.WriteByte(',')
		}
		nest(b, o, size[1:], values[i*each:(i+1)*each])
	}
	b.WriteByte(']')
}

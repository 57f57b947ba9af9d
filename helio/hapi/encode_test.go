package hapi_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/tt"
)

// anyRecords draws a header and records of it.
func anyRecords(t *rapid.T) (*hapi.Info, *hapi.Records) {
	decimals := rapid.SampledFrom([]int{0, 3, 6, 9}).Draw(t, "decimals")
	length := 20
	unit := tt.Time(1e9)
	if decimals > 0 {
		length += 1 + decimals
		for range decimals {
			unit /= 10
		}
	}
	in := &hapi.Info{StartDate: tt.Fill, StopDate: tt.Fill, SampleStart: tt.Fill, SampleStop: tt.Fill, Parameters: []hapi.Parameter{{Name: "Time", Type: hapi.IsoTime, Length: length}}}
	n := rapid.IntRange(0, 5).Draw(t, "records")
	r := &hapi.Records{Info: in}
	zero, _ := tt.Parse("2016-12-31T23:59:58Z")
	for i := range n {
		r.Time = append(r.Time, zero+tt.Time(i)*unit)
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "parameters") {
		p := hapi.Parameter{
			Name: fmt.Sprintf("p %d,é", i), Type: rapid.SampledFrom([]hapi.Type{hapi.Double, hapi.Integer, hapi.String, hapi.IsoTime}).Draw(t, "type"),
			Size: rapid.SampledFrom([][]int{nil, {1}, {3}, {2, 3}, {2, 1, 2}}).Draw(t, "size"), Fill: "-999", HasFill: true,
		}
		if p.Type == hapi.Double {
			p.Fill = rapid.SampledFrom([]string{"NaN", "-1e31", "-999.5"}).Draw(t, "fill")
		}
		var c hapi.Column
		for range n * p.Width() {
			switch p.Type {
			case hapi.Double:
				c.Float = append(c.Float, rapid.OneOf(rapid.Just(math.NaN()), rapid.Just(math.Copysign(0, -1)), rapid.Float64Range(-1e29, 1e29), rapid.Just(math.SmallestNonzeroFloat64)).Draw(t, "v"))
			case hapi.Integer:
				c.Float = append(c.Float, rapid.OneOf(rapid.Just(math.NaN()), rapid.Map(rapid.Int32(), func(v int32) float64 { return float64(v) })).Draw(t, "i"))
			default:
				p.Length = 40
				c.Text = append(c.Text, rapid.StringMatching(`|[a-z",☃ ]{0,8}[a-z",☃#]`).Draw(t, "s"))
			}
		}
		in.Parameters, r.Columns = append(in.Parameters, p), append(r.Columns, c)
	}
	return in, r
}

// What is written is read back, in each format, with a header and without.
//
//nolint:gocognit // one walk through all of it
func TestWhatIsWrittenIsReadBackInEachFormat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in, want := anyRecords(t)
		for i := range want.Columns {
			p := &in.Parameters[i+1]
			for k, v := range want.Columns[i].Float {
				if p.Fill == "-999" && v == -999 || p.Fill == "-999.5" && math.Abs(v+999.5) < 1e-3 {
					want.Columns[i].Float[k] = math.NaN()
				}
			}
			if p.Type.IsText() && p.Length == 0 {
				p.Length = 40
			}
		}
		for _, f := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
			for _, header := range []bool{false, true} {
				var b bytes.Buffer
				e, err := hapi.NewEncoder(&b, in, f, header)
				if err == nil {
					err = e.Write(want)
				}
				if err == nil {
					err = e.Close()
				}
				if err != nil {
					t.Fatal(f, err)
				}
				got, d, err := decode(in, f, b.Bytes())
				if err != nil {
					t.Fatalf("%s: %v\n%q", f, err, b.String())
				}
				if (d.Header() != nil) != (header || f == hapi.JSON) {
					t.Fatalf("%s: header %v", f, d.Header())
				}
				if show(got) != show(want) {
					t.Fatalf("%s: got %s, want %s\n%q", f, show(got), show(want), b.String())
				}
			}
		}
	})
}

func show(r *hapi.Records) string {
	var b strings.Builder
	fmt.Fprint(&b, r.Time)
	for _, c := range r.Columns {
		for _, v := range c.Float {
			fmt.Fprintf(&b, " %x", math.Float64bits(v+0))
			if v != v {
				fmt.Fprint(&b, "NaN")
			}
		}
		fmt.Fprintf(&b, "%q", c.Text)
	}
	return b.String()
}

func TestAHeaderIsReadBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	in := kinds(t)
	in.Parameters[5].Label = []string{"Bx", "By", "Bz"}
	text, err := in.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := hapi.ParseInfo(text)
	if err != nil {
		t.Fatal(err)
	}
	got.Raw, in.Raw = nil, nil
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", in); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func TestWhatCannotBeWrittenIsNamed(t *testing.T) {
	t.Parallel()
	base := func() (*hapi.Info, *hapi.Records) {
		in := &hapi.Info{Parameters: []hapi.Parameter{{Name: "Time", Type: hapi.IsoTime, Length: 24}, {Name: "s", Type: hapi.String, Length: 3}}}
		return in, &hapi.Records{Time: []tt.Time{0}, Columns: []hapi.Column{{Text: []string{"long"}}}}
	}
	for _, c := range []struct {
		name   string
		change func(*hapi.Info, *hapi.Records)
		format hapi.Format
		want   string
	}{
		{"no parameters", func(in *hapi.Info, _ *hapi.Records) { in.Parameters = nil }, hapi.CSV, "no parameters"},
		{"odd times", func(in *hapi.Info, _ *hapi.Records) { in.Parameters[0].Length = 23 }, hapi.CSV, "times of 23 bytes"},
		{"odd format", func(*hapi.Info, *hapi.Records) {}, "xml", "none of the formats"},
		{"long text", func(*hapi.Info, *hapi.Records) {}, hapi.Binary, `"long" of "s" is longer than the 3 bytes`},
		{"fill time", func(_ *hapi.Info, r *hapi.Records) { r.Time[0] = tt.Fill }, hapi.JSON, "no time"},
		{"a column less", func(_ *hapi.Info, r *hapi.Records) { r.Columns = nil }, hapi.CSV, "0 columns came for 1"},
		{"a value less", func(_ *hapi.Info, r *hapi.Records) { r.Columns[0].Text = nil }, hapi.CSV, `0 values of "s"`},
		{"integers without a fill", func(in *hapi.Info, _ *hapi.Records) { in.Parameters[1].Type = hapi.Integer }, hapi.CSV, "no fill value"},
	} {
		in, r := base()
		c.change(in, r)
		e, err := hapi.NewEncoder(io.Discard, in, c.format, false)
		if err == nil {
			err = e.Write(r)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

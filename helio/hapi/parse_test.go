package hapi_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

func header(parameters string) string {
	return `{"HAPI":"3.2","status":{"code":1200,"message":"OK"},"parameters":[{"name":"Time","type":"isotime","length":24},` + parameters + `]}`
}

// What servers write although the specification has it otherwise.
var looseHeaders = []struct {
	name, header string
	want         func(in *hapi.Info, p *hapi.Parameter) bool
}{
	{"units null", header(`{"name":"p","type":"double","units":null,"fill":null}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.Units == nil && !p.HasFill && p.Size == nil }},
	{"units of one", header(`{"name":"p","type":"double","size":[3],"units":["nT"],"label":"B"}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return slices.Equal(p.Units, []string{"nT"}) && slices.Equal(p.Label, []string{"B"})
	}},
	{"units nested", header(`{"name":"p","type":"double","size":[2,2],"units":[["a",null],["b","c"]]}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return slices.Equal(p.Units, []string{"a", "", "b", "c"})
	}},
	{"units of another number", header(`{"name":"p","type":"double","size":[2,2],"units":["a","b"]}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.Units == nil }},
	{"units too deep", header(`{"name":"p","type":"double","units":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.Units == nil }},
	{"type in capitals", header(`{"name":"p","type":"Double"}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.Type == hapi.Double }},
	{"fill a number", header(`{"name":"p","type":"double","fill":-1.0E31}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.HasFill && p.Fill == "-1.0E31" }},
	{"fill NaN", header(`{"name":"p","type":"double","fill":NaN,"x_y":"a NaN, b"}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return p.HasFill && p.Fill == "NaN" && string(p.Extra["x_y"]) == `"a NaN, b"`
	}},
	{"fill minus infinite", header(`{"name":"p","type":"double","size":[2],"fill":[-Infinity, -Infinity]}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.HasFill && p.Fill == "-Infinity" }},
	{"fill a list", header(`{"name":"p","type":"double","size":[2],"fill":["-1e31","-1e31"]}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.HasFill && p.Fill == "-1e31" }},
	{"fill true", header(`{"name":"p","type":"double","fill":true}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.HasFill && p.Fill == "true" }},
	{"fill an object", header(`{"name":"p","type":"double","fill":{"a":1}}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return !p.HasFill }},
	{"fill of nothing for a number", header(`{"name":"p","type":"integer","fill":""}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return !p.HasFill }},
	{"fill of nothing for a text", header(`{"name":"p","type":"string","fill":"","length":"7"}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.HasFill && p.Fill == "" && p.Length == 7 }},
	{"size a number", header(`{"name":"p","type":"double","size":3}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return slices.Equal(p.Size, []int{3}) }},
	{"size of texts and decimals", header(`{"name":"p","type":"double","size":["2",3.0]}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return slices.Equal(p.Size, []int{2, 3}) && p.Width() == 6 }},
	{"size of none", header(`{"name":"p","type":"double","size":[]}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return p.Size == nil && p.Width() == 1 }},
	{"bins", header(`{"name":"p","type":"double","size":[2,3],"bins":[{"name":"E","units":["keV"],"centers":[1,"2.5"],"ranges":[[0,2],[2,3]]},{"name":"a","units":"deg","centers":"angles","ranges":"limits"}]}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return len(p.Bins) == 2 && slices.Equal(p.Bins[0].Centers, []float64{1, 2.5}) && slices.Equal(p.Bins[0].Ranges, []float64{0, 2, 2, 3}) && p.Bins[0].Units == "keV" &&
			p.Bins[1].CentersFrom == "angles" && p.Bins[1].RangesFrom == "limits" && p.Bins[1].Centers == nil
	}},
	{"bins of one place and of none", header(`{"name":"p","type":"double","size":[2,1],"bins":[null,{"centers":7}]}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return len(p.Bins) == 2 && p.Bins[0].Centers == nil && slices.Equal(p.Bins[1].Centers, []float64{7})
	}},
	{"bins in no list", header(`{"name":"p","type":"double","size":[2],"bins":{"centers":[1,NaN],"ranges":null}}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return len(p.Bins) == 1 && p.Bins[0].Centers[0] == 1 && math.IsNaN(p.Bins[0].Centers[1]) && p.Bins[0].Ranges == nil
	}},
	{"bins of another number", header(`{"name":"p","type":"double","size":[2],"bins":[{"centers":[1,2,3],"ranges":[[1,2],[3,4]]},{"centers":[1]}]}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return len(p.Bins) == 1 && p.Bins[0].Centers == nil && slices.Equal(p.Bins[0].Ranges, []float64{1, 2, 3, 4})
	}},
	{"vector", header(`{"name":"p","type":"double","size":[3],"coordinateSystemName":"GSE"}`), func(_ *hapi.Info, p *hapi.Parameter) bool {
		return p.CoordinateSystem == "GSE" && slices.Equal(p.VectorComponents, []string{"x", "y", "z"})
	}},
	{"address", header(`{"name":"p","type":"string","stringType":{"uri":{"scheme":"https"}}}`), func(_ *hapi.Info, p *hapi.Parameter) bool { return strings.Contains(string(p.URI), "https") }},
	{"references", `{"definitions":{"u":"nT","b":[{"$ref":"#/definitions/c"}],"c":{"name":"E","units":{"$ref":"#/definitions/u"},"centers":[1,2]},"p":{"name":"p","type":"double","size":[2],"units":{"$ref":"#/definitions/u"},"bins":{"$ref":"#/definitions/b"},"fill":12345678901234567890}},"parameters":[{"name":"t","type":"isotime"},{"$ref":"#/definitions/p"}]}`, func(_ *hapi.Info, p *hapi.Parameter) bool {
		return p.Name == "p" && slices.Equal(p.Units, []string{"nT"}) && len(p.Bins) == 1 && p.Bins[0].Units == "nT" && slices.Equal(p.Bins[0].Centers, []float64{1, 2}) && p.Fill == "12345678901234567890"
	}},
	{"own members", `{"x_a":[1],"x_b":null,"HAPI":3.1,"parameters":[{"name":"t","type":"isotime"},{"name":"p","type":"integer","x_c":{"d":1}}]}`, func(in *hapi.Info, p *hapi.Parameter) bool {
		return in.HAPI == "3.1" && string(in.Extra["x_a"]) == "[1]" && string(in.Extra["x_b"]) == "null" && len(in.Extra) == 2 && string(p.Extra["x_c"]) == `{"d":1}`
	}},
	{"version 2", `{"HAPI":"2.0","status":{"code":1200,"message":"OK"},"startDate":"1990-001Z","stopDate":"1999-12-31T24:00:00Z","sampleStartDate":"1990-01Z","cadence":"PT1M","timeStampLocation":"BEGIN","parameters":{"name":"t","type":"isotime"}}`, func(in *hapi.Info, _ *hapi.Parameter) bool {
		return in.TimeStampLocation == "begin" && in.StartDate.String() == "1990-01-01T00:00:00Z" && in.StopDate.String() == "2000-01-01T00:00:00Z" && in.SampleStart == in.StartDate && in.SampleStop.IsFill() && in.Cadence == time.Minute && in.Status.Code == 1200
	}},
	{"odd dates and words", `{"HAPI":"3.0","status":"ok","startDate":"0850-01-01Z","stopDate":"9999-12-31Z","sampleStartDate":"lastday","sampleStopDate":7,"cadence":"fast","maxRequestDuration":"P1D","timeStampLocation":"middle","note":["a","b"],"licenseURL":["x","y"],"parameters":[{"name":"t","type":"isotime"}]}`, func(in *hapi.Info, _ *hapi.Parameter) bool {
		return in.StartDate == tt.Min && in.StopDate == tt.Max && in.SampleStart.IsFill() && in.SampleStop.IsFill() && in.Cadence == 0 && in.MaxRequestDuration == 24*time.Hour && in.TimeStampLocation == "other" && in.Note == "a; b" && in.License == "x" && in.Status.Message == "ok"
	}},
	{"a status alone", "\ufeff {\"status\":{\"code\":\"1406\",\"message\":\"unknown\"}}", func(in *hapi.Info, _ *hapi.Parameter) bool { return in.Status.Code == 1406 && len(in.Parameters) == 0 }},
}

func TestHeadersAreReadAsServersWriteThem(t *testing.T) {
	t.Parallel()
	for _, c := range looseHeaders {
		in, err := hapi.ParseInfo([]byte(c.header))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p := &hapi.Parameter{}
		if n := len(in.Parameters); n > 0 {
			p = &in.Parameters[n-1]
		}
		if !c.want(in, p) {
			t.Errorf("%s: %+v of %+v", c.name, p, in)
		}
		if string(in.Raw) != c.header {
			t.Errorf("%s: Raw is not what came", c.name)
		}
	}
}

// What cannot be read, and a word of the error that says so.
var brokenHeaders = map[string]string{
	``: "no JSON object", `null`: "no JSON object", `[]`: "no JSON object", `"x"`: "no JSON object",
	`{"HAPI":`: "not valid JSON at byte", `{"HAPI":"3.0"} x`: "not valid JSON at byte", `{"a":NaNa}`: "not valid JSON at byte",
	`{"parameters":7}`:                                        "parameters are no list",
	`{"parameters":[7]}`:                                      "parameter 1: it is no JSON object",
	`{"parameters":[{}]}`:                                     "parameter 1: it has no name",
	`{"parameters":[{"name":"t","type":"double"}]}`:           `the first parameter, "t", is no isotime`,
	`{"parameters":[{"name":"t","type":"isotime","size":2}]}`: `the first parameter, "t", has more than one value`,
	`{"parameters":[{"name":"t","type":"isotime"},{"name":"t","type":"isotime"}]}`:               `two parameters "t"`,
	header(`{"name":"p","type":"float"}`):                                                        `parameter 2 ("p"): its type is "float"`,
	header(`{"name":"p","type":"string","length":-3}`):                                           `parameter 2 ("p"): a text of -3 bytes`,
	header(`{"name":"p","type":"string","length":100000000}`):                                    `parameter 2 ("p"): a text of`,
	header(`{"name":"p","type":"double","size":[0]}`):                                            `parameter 2 ("p"): its size, [0], is none`,
	header(`{"name":"p","type":"double","size":[1000000,1000000]}`):                              `parameter 2 ("p"): its size`,
	header(`{"name":"p","type":"double","size":["x"]}`):                                          `parameter 2 ("p"): its size`,
	header(`{"name":"p","type":"double","size":[2],"fill":[1,2]}`):                               `parameter 2 ("p"): it has fill values that differ`,
	header(`{"name":"p","type":"double","size":[1` + strings.Repeat(",1", 20) + `]}`):            `parameter 2 ("p"): its size`,
	header(`{"name":"p","type":"double","size":[1],"bins":7}`):                                   `parameter 2 ("p"): its bins are no list`,
	header(`{"$ref":"#/definitions/q"}`):                                                         "there is no such definition",
	`{"definitions":{"a":{"$ref":"#/definitions/a"}},"parameters":[{"$ref":"#/definitions/a"}]}`: "refers on and on",
}

func TestWhatDataCouldNotBeReadWithIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range brokenHeaders {
		in, err := hapi.ParseInfo([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "read a HAPI header: ") {
			t.Errorf("%s: %v, %v, want an error with %q", text, in, err, want)
		}
	}
}

// References to references to references do not grow without end.
func TestReferencesAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"definitions":{"d0":"` + strings.Repeat("x", 10_000) + `"`)
	for i := 1; i < 8; i++ {
		fmt.Fprintf(&b, `,"d%d":[%s{"$ref":"#/definitions/d%d"}]`, i, strings.Repeat(fmt.Sprintf(`{"$ref":"#/definitions/d%d"},`, i-1), 20), i-1)
	}
	b.WriteString(`},"parameters":[{"name":"t","type":"isotime","description":{"$ref":"#/definitions/d7"}}]}`)
	if _, err := hapi.ParseInfo([]byte(b.String())); err == nil || !strings.Contains(err.Error(), "more text than can be read") {
		t.Errorf("%v", err)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	in := kinds(t)
	for _, c := range []struct{ ask, want []string }{
		{nil, in.Names()},
		{[]string{"B", "speed"}, []string{"Time", "speed", "B"}},
		{[]string{"Time"}, []string{"Time"}},
		{[]string{"P", "P", "Time"}, []string{"Time", "P"}},
	} {
		got, err := in.Select(c.ask...)
		if err != nil || !slices.Equal(got.Names(), c.want) || got.HAPI != in.HAPI {
			t.Errorf("Select(%q) has %v, %v; want %q", c.ask, got, err, c.want)
		}
	}
	unknown, ok := errors.AsType[*hapi.UnknownParameterError](func() error { _, err := in.Select("B", "b"); return err }())
	if !ok || unknown.Name != "b" || !slices.Equal(unknown.Known, in.Names()) {
		t.Errorf("%v", unknown)
	}
	if len(in.Parameters) != 7 {
		t.Errorf("Select has changed the header: %v", in.Names())
	}
}

// Every dataset of CDAWeb's HAPI server can be described.
func TestTheHeadersOfARealServerAreRead(t *testing.T) {
	t.Parallel()
	f, err := os.Open(testdata.File(t, "data/cdaweb-catalogue.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	datasets, parameters := 0, 0
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		in, err := hapi.ParseInfo(lines.Bytes())
		if err != nil {
			var d struct{ ID string }
			_ = json.Unmarshal(lines.Bytes(), &d)
			t.Errorf("%s: %v", d.ID, err)
			continue
		}
		datasets++
		parameters += len(in.Parameters)
	}
	if err := lines.Err(); err != nil || datasets != 2539 || parameters != 64855 {
		t.Errorf("%d datasets with %d parameters, %v; want 2539 with 64855", datasets, parameters, err)
	}
}

// Whatever a header says, it is read or refused, and what was read can be written and
// read again.
func FuzzParseInfo(f *testing.F) {
	f.Add([]byte(kindsHeader))
	f.Add([]byte(`{"HAPI":"2.0","parameters":[{"name":"t","type":"isotime","units":{"$ref":"#/definitions/u"}}],"definitions":{"u":"UTC"}}`))
	for seed := range uint64(20) {
		f.Add([]byte(newSample(f, seed).header))
	}
	for _, c := range looseHeaders {
		f.Add([]byte(c.header))
	}
	for header := range brokenHeaders {
		f.Add([]byte(header))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := hapi.ParseInfo(data)
		if err != nil {
			return
		}
		for _, p := range in.Parameters {
			if w := p.Width(); w < 1 || len(p.Units) > 1 && len(p.Units) != w || len(p.Label) > 1 && len(p.Label) != w || len(p.Bins) > len(p.Size) {
				t.Fatalf("%+v does not fit its size", p)
			}
			for i, b := range p.Bins {
				if n := p.Size[i]; b.Centers != nil && len(b.Centers) != n || b.Ranges != nil && len(b.Ranges) != 2*n {
					t.Fatalf("bins %+v do not fit the size of %+v", b, p)
				}
			}
		}
		text, err := in.MarshalJSON()
		if err != nil {
			t.Fatalf("it cannot be written: %v", err)
		}
		again, err := hapi.ParseInfo(text)
		if err != nil || len(again.Parameters) != len(in.Parameters) {
			t.Fatalf("it cannot be read again: %v", err)
		}
	})
}

package hapi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/hapi"
)

const kindsHeader = `{"HAPI":"3.2","status":{"code":1200,"message":"OK"},"startDate":"1970-01-01Z","stopDate":"2016-12-31Z","parameters":[
 {"name":"Time","type":"isotime","units":"UTC","fill":null,"length":24},
 {"name":"speed","type":"double","units":"km/s","fill":"-1e31"},
 {"name":"count","type":"integer","units":null,"fill":"-999"},
 {"name":"name with blank","type":"string","units":null,"fill":"none","length":12},
 {"name":"seen","type":"isotime","units":"UTC","fill":null,"length":20},
 {"name":"B","type":"double","units":["nT","nT","nT"],"fill":"NaN","size":[3],"coordinateSystemName":"GSE"},
 {"name":"P","type":"integer","units":"x","fill":null,"size":[2,2],"bins":[{"name":"a","units":"keV","centers":[1,2]},{"name":"b","units":"deg","centers":"B"}]}]}`

func kinds(t testing.TB) *hapi.Info {
	t.Helper()
	in, err := hapi.ParseInfo([]byte(kindsHeader))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

const kindsCSV = `1970-01-01T00:00:00.000Z,1.5,7,"a,""b""",2016-12-31T23:59:60Z,1,2,3,1,2,3,4
1970-01-01T00:00:01.000Z,-9.999999848243207e+30,-999,none,,NaN,,0.1,-1,2,3,2147483647
`

const kindsJSON = `[["1970-01-01T00:00:00.000Z",1.5,7,"a,\"b\"","2016-12-31T23:59:60Z",[1,2,3],[[1,2],[3,4]]],
["1970-01-01T00:00:01.000Z",-1e31,-999,"none","",[null,"NaN",0.1],[[-1,2],[3,2147483647]]]]`

func kindsBinary() []byte {
	var b []byte
	text := func(s string, n int) { b = append(b, s...); b = append(b, make([]byte, n-len(s))...) }
	num := func(v float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) }
	i4 := func(v int32) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	text("1970-01-01T00:00:00.000Z", 24)
	num(1.5)
	i4(7)
	text(`a,"b"`, 12)
	text("2016-12-31T23:59:60Z", 20)
	num(1)
	num(2)
	num(3)
	i4(1)
	i4(2)
	i4(3)
	i4(4)
	text("1970-01-01T00:00:01.000Z", 24)
	num(-1e31)
	i4(-999)
	text("none", 12)
	text("", 20)
	num(math.NaN())
	num(math.NaN())
	num(0.1)
	i4(-1)
	i4(2)
	i4(3)
	i4(math.MaxInt32)
	return b
}

// decode reads a stream in small steps.
func decode(info *hapi.Info, f hapi.Format, data []byte) (*hapi.Records, *hapi.Decoder, error) {
	d := hapi.NewDecoder(bytes.NewReader(data), info, f)
	var r hapi.Records
	for {
		if _, err := d.Read(&r, 1); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return &r, d, err
		}
	}
}

func streams() map[hapi.Format][][]byte {
	object := `{"parameters":[{"name":"Time","type":"isotime"},{"name":"speed","type":"double"},{"name":"count","type":"integer"},{"name":"name with blank","type":"string"},{"name":"seen","type":"isotime"},{"name":"B","type":"double","size":[3]},{"name":"P","type":"integer","size":[2,2]}],"data":` + kindsJSON + `,"status":{"code":1200}}`
	lines := "#" + strings.ReplaceAll(kindsHeader, "\n", "\n#") + "\n"
	one := "#" + strings.ReplaceAll(kindsHeader, "\n", "") + "\n"
	return map[hapi.Format][][]byte{
		hapi.CSV:    {[]byte(kindsCSV), []byte(lines + kindsCSV), []byte(one + kindsCSV), []byte(strings.ReplaceAll(kindsCSV, "\n", "\r\n"))},
		hapi.Binary: {kindsBinary(), append([]byte(lines), kindsBinary()...)},
		hapi.JSON:   {[]byte(kindsJSON), []byte(object), []byte("\n" + object + "\n")},
	}
}

func TestTheFormatsGiveTheSameRecords(t *testing.T) {
	t.Parallel()
	info := kinds(t)
	var want *hapi.Records
	for f, all := range streams() {
		for i, data := range all {
			got, _, err := decode(info, f, data)
			if err != nil {
				t.Errorf("%s %d: %v", f, i, err)
				continue
			}
			if want == nil {
				want = got
			}
			if fmt.Sprint(got.Time, got.Columns) != fmt.Sprint(want.Time, want.Columns) {
				t.Errorf("%s %d: %v, want %v", f, i, got, want)
			}
		}
	}
	if want.Len() != 2 || !reflect.DeepEqual(want.Columns[2].Text, []string{`a,"b"`, ""}) || !math.IsNaN(want.Columns[0].Float[1]) || !math.IsNaN(want.Columns[1].Float[1]) {
		t.Errorf("read %+v", want)
	}
}

// A stream that is cut anywhere but between records is an error that says where.
func TestACutStreamIsAnError(t *testing.T) {
	t.Parallel()
	info := kinds(t)
	for f, all := range streams() {
		for _, data := range all {
			whole, _, err := decode(info, f, data)
			if err != nil {
				t.Fatal(err)
			}
			for n := range data {
				got, _, err := decode(info, f, data[:n])
				if err == nil {
					// Between records, or nothing but blanks behind the data are missing.
					if rest := bytes.TrimSpace(data[n:]); f == hapi.JSON && len(rest) > 0 && n > 1 {
						t.Fatalf("%s cut at %d of %d: no error", f, n, len(data))
					}
					if f == hapi.CSV && n > 0 && data[n-1] != '\n' {
						t.Fatalf("csv cut at %d of %d: no error", n, len(data))
					}
					continue
				}
				broken, ok := errors.AsType[*hapi.StreamError](err)
				if !ok || broken.Record > int64(whole.Len()) || broken.Offset > int64(n) {
					t.Fatalf("%s cut at %d: %v", f, n, err)
				}
				if got.Len() > 0 && got.Time[0] != whole.Time[0] {
					t.Fatalf("%s cut at %d: other records", f, n)
				}
			}
		}
	}
}

package hapi_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/hapi"
)

// wrongInfo has a number, two texts and a vector.
func wrongInfo(t *testing.T) *hapi.Info {
	t.Helper()
	in, err := hapi.ParseInfo([]byte(header(`{"name":"a","type":"double","fill":"-1e31"},{"name":"s","type":"string","size":[2],"length":4},{"name":"v","type":"integer","size":[2]}`)))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// What is wrong in a stream is told with the number of the record, from 0, and the byte.
func TestWrongDataAreAnErrorThatNamesThePlace(t *testing.T) {
	t.Parallel()
	info := wrongInfo(t)
	const good = "2000-01-01T00:00:00.000Z,1,a,b,1,2\n"
	const goodJSON = `["2000-01-01T00:00:00.000Z",1,["a","b"],[1,2]]`
	long := strings.Repeat("x", 40)
	for _, c := range []struct {
		format hapi.Format
		text   string
		record int64
		offset int
		reason string
	}{
		{hapi.CSV, good + "2000-01-01T00:00:01.000Z,1,a,b,1\n", 1, len(good) + 32, `too few fields: one of "v" is missing`},
		{hapi.CSV, good + "2000-01-01T00:00:01.000Z\n", 1, len(good) + 24, `too few fields: one of "a" is missing`},
		{hapi.CSV, good + good + "2000-01-01T00:00:01.000Z,1,a,b,1,2,\n", 2, 2*len(good) + 35, "more fields than the header says"},
		{hapi.CSV, "2000-01-01T00:00:01.000Z,1,a,b,1,2.5.5\n", 0, 33, `"2.5.5" of "v" is no number`},
		{hapi.CSV, "2000-01-01T00:00:01.000Z," + long + ",a,b,1,2\n", 0, 25, `"` + long + `" of "a" is no number`},
		{hapi.CSV, "2000-01-01T00:00:01.000Z,1e999,a,b,1,2\n", 0, 25, `"1e999" of "a" is no number`},
		{hapi.CSV, good + "2000-13-01T00:00:01.000Z,1,a,b,1,2\n", 1, len(good), "month"},
		{hapi.CSV, good + ",1,a,b,1,2\n", 1, len(good), "empty"},
		{hapi.CSV, "Time,a,s,s,v,v\n" + good, 0, 0, "not a time"},
		{hapi.CSV, good + `{"HAPI":"3.0","status":{"code":1500,"message":"error"}}` + "\n", 1, len(good), "not a time"},
		{hapi.CSV, "2000-01-01T00:00:01.000Z,1,\"a\"b,b,1,2\n", 0, 27, "something follows the end of a quoted field"},
		{hapi.CSV, "2000-01-01T00:00:01.000Z,1,\"a,b,1,2\n", 0, 36, "the stream ends inside it"},
		{hapi.CSV, "#{\"HAPI\"\n" + good, 0, 0, "not valid JSON"},
		{hapi.CSV, `#{"HAPI":"3.0","parameters":[{"name":"t","type":"isotime"}]}` + "\n" + good, 0, 0, "the data are of t, and not of Time, a, s, v"},
		{hapi.CSV, "#" + header(`{"name":"a","type":"double"},{"name":"s","type":"string","size":[2]},{"name":"v","type":"integer","size":[3]}`) + "\n" + good, 0, 0, `"v" as integer with 3 values, and not as integer with 2`},
		{hapi.CSV, "#" + header(`{"name":"a","type":"string"},{"name":"s","type":"string","size":[2]},{"name":"v","type":"integer","size":[2]}`) + "\n" + good, 0, 0, `"a" as string with 1 values, and not as double`},

		{hapi.Binary, "2000-01-01T00:00:01.000Z123456789_123456789_123", 0, 47, "the stream ends inside it"},
		{hapi.Binary, "2000-01-01T00:00:01.000Z123456789_123456789_1234" + strings.Repeat("x", 48), 1, 48, "not a time"},
		{hapi.Binary, "\n2000-01-01T00:00:01.000Z", 0, 25, "the stream ends inside it"},

		{hapi.JSON, `[` + goodJSON + `,["2000-01-01T00:00:01.000Z",1,["a","b"],[1]]]`, 1, 46 + 2 + 43, `"v" has 1 values, and by the header 2`},
		{hapi.JSON, `[` + goodJSON + `,["2000-01-01T00:00:01.000Z",1,["a","b"],[1,2,3]]]`, 1, 46 + 2 + 45, `"v" has more than the 2 values`},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",1,["a","b"]]]`, 0, 40, `too few values: one of "v" is missing`},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",1,["a","b"],[1,2],3]]`, 0, 46, "more than the 4 parameters"},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z","x",["a","b"],[1,2]]]`, 0, 29, `"x" of "a" is no number`},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",true,["a","b"],[1,2]]]`, 0, 29, `"true" of "a" is no number`},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",{},["a","b"],[1,2]]]`, 0, 29, "a value is missing, or is no number and no text"},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",,["a","b"],[1,2]]]`, 0, 29, "a value is missing"},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",1 2,["a","b"],[1,2]]]`, 0, 31, "a comma is missing between two values"},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",1,["a","b"],[1 2]]]`, 0, 44, "a comma is missing between two values"},
		{hapi.JSON, `[["2000-01-01T00:00:01.000Z",1,["a","\x"],[1,2]]]`, 0, 36, "a text that is none in JSON"},
		{hapi.JSON, "[[\"2000-01-01T00:00:01.000Z\",1,[\"a\",\"\x01\"],[1,2]]]", 0, 36, "a text that is none in JSON"},
		{hapi.JSON, `[["2000-01-01T00:00:01",1,["a","b"],[1,2]],[5,1,["a","b"],[1,2]]]`, 1, 44, "its time is no text"},
		{hapi.JSON, `[["x",1,["a","b"],[1,2]]]`, 0, 2, "not a time"},
		{hapi.JSON, `[` + goodJSON + `,7]`, 1, 48, "it is no array"},
		{hapi.JSON, `[` + goodJSON + goodJSON + `]`, 1, 47, "neither a comma nor the end"},
		{hapi.JSON, `[` + goodJSON + `,]`, 1, 48, "it is no array"},
		{hapi.JSON, `[` + goodJSON + `] x`, 1, 49, "something follows the end of the data"},
		{hapi.JSON, `{"data":[` + goodJSON + `],"data":[]}`, 1, 9 + 46 + 9, "data twice"},
		{hapi.JSON, `{"data":{}}`, 0, 8, "its data are no array"},
		{hapi.JSON, `{"a":1 "data":[]}`, 0, 7, "a comma is missing between two members"},
		{hapi.JSON, `{"a" 1}`, 0, 5, "no colon"},
		{hapi.JSON, `{"a":}`, 0, 5, "has no value"},
		{hapi.JSON, `{a:1}`, 0, 1, "has no name"},
		{hapi.JSON, `"data"`, 0, 0, "neither an object nor an array"},
		{hapi.JSON, "<html>", 0, 0, "neither an object nor an array"},
		{hapi.JSON, header(`{"name":"b","type":"double"}`), 0, 0, "the data are of Time, b"},
		{"fits", "", 0, 0, `"fits" is none of the formats csv, binary and json`},
	} {
		for _, limit := range []int{1, 100} {
			got, _, err := read(strings.NewReader(c.text), info, c.format, limit)
			bad, ok := errors.AsType[*hapi.StreamError](err)
			if !ok || bad.Record != c.record || bad.Offset != int64(c.offset) || !strings.Contains(bad.Reason, c.reason) || int64(got.Len()) != c.record {
				t.Errorf("%s %.200q: %d records, %v; want record %d, byte %d: %s", c.format, c.text, got.Len(), err, c.record, c.offset, c.reason)
			}
			if want := fmt.Sprintf("read %s: record %d, at byte %d: ", c.format, c.record, c.offset); ok && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want it to begin with %s", err, want)
			}
		}
	}
}

// Records that go back in time are for the caller to look at.
func TestRecordsMayGoBackInTime(t *testing.T) {
	t.Parallel()
	got, _, err := read(strings.NewReader("2000-01-02Z,1,a,b,1,2\n2000-01-01Z,2,a,b,1,2\n2000-01-01Z,3,a,b,1,2\n"), wrongInfo(t), hapi.CSV, 10)
	if err != nil || got.Len() != 3 || got.Time[0] <= got.Time[1] || got.Columns[0].Float[2] != 3 {
		t.Errorf("%v, %v", got, err)
	}
}

// What is loose in data is taken as it is meant.
func TestLooseData(t *testing.T) {
	t.Parallel()
	info := wrongInfo(t)
	for _, in := range []stream{
		{hapi.CSV, "\n2000-01-01Z , 1.5 ,a,\"b\nc\",  1,+2 \r\n\n\"2000-01-02Z\",\"-nan\", ,\"\",\"7\",null\n\n"},
		{hapi.JSON, "\n[ [ \"2000-01-01Z\" ,1.5 , [\"a\",\"b\\nc\"] ,[[1],[ 2 ]] ] ,\n\t[\"2000-01-02Z\",-Infinity,null,\"\",7,\"NaN\"] ]"},
		{hapi.JSON, `[["2000-01-01Z","1.5","a","b\u000ac\u0000xx",1.0,"2"],["2000-01-02Z",1e30,["","\u0000"],[0.7e1,NaN]]]`},
	} {
		got, _, err := read(strings.NewReader(in.text), info, in.format, 10)
		const want = `[1.5 NaN] ["a" "b\nc" "" ""] [1 2 7 NaN]`
		if err != nil || got.Len() != 2 {
			t.Fatalf("%s %q: %v", in.format, in.text, err)
		}
		if text := fmt.Sprintf("%v %q %v", got.Columns[0].Float, got.Columns[1].Text, got.Columns[2].Float); text != want {
			t.Errorf("%s %q: %s, want %s", in.format, in.text, text, want)
		}
	}
}

// What comes with binary data knows how long its texts are.
func TestTheHeaderOfTheStreamHasTheLengths(t *testing.T) {
	t.Parallel()
	info := *wrongInfo(t)
	text := "#" + strings.Replace(header(`{"name":"a","type":"double"},{"name":"s","type":"string","size":[2],"length":2},{"name":"v","type":"integer","size":[2]}`), `"length":24`, `"length":11`, 1) +
		"\n2000-01-01Z\x00\x00\x00\x00\x00\x00\xf0\x3fa\x00é\x01\x00\x00\x00\xff\xff\xff\xff"
	got, _, err := read(strings.NewReader(text), &info, hapi.Binary, 10)
	if err != nil || fmt.Sprintf("%v %q %v", got.Columns[0].Float, got.Columns[1].Text, got.Columns[2].Float) != `[1] ["a" "é"] [1 -1]` {
		t.Errorf("%v, %v", got, err)
	}
	info.Parameters = append([]hapi.Parameter(nil), info.Parameters...)
	info.Parameters[2].Length = 0
	_, _, err = read(strings.NewReader("2000-01-01T00:00:00.000Z"), &info, hapi.Binary, 10)
	if bad, ok := errors.AsType[*hapi.StreamError](err); !ok || !strings.Contains(bad.Reason, `how long the texts of "s" are`) {
		t.Errorf("%v", err)
	}
}

// Texts that are no UTF-8 are made so, the same in all formats.
func TestTextsAreUTF8(t *testing.T) {
	t.Parallel()
	info := wrongInfo(t)
	for _, in := range []stream{
		{hapi.CSV, "2000-01-01T00:00:00.000Z,1,\xff\xfe,\xc3,1,2\n"},
		{hapi.Binary, "2000-01-01T00:00:00.000Z\x00\x00\x00\x00\x00\x00\xf0\x3f\xff\xfe\x00\x00\xc3\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"},
		{hapi.JSON, "[[\"2000-01-01T00:00:00.000Z\",1,[\"\xff\xfe\",\"\xc3\"],[1,2]]]"},
	} {
		got, _, err := read(strings.NewReader(in.text), info, in.format, 10)
		if err != nil || fmt.Sprintf("%q", got.Columns[1].Text) != `["�" "�"]` {
			t.Errorf("%s: %q, %v", in.format, got.Columns[1].Text, err)
		}
	}
}

// endless repeats a text for as long as it is read, at most some bytes.
type endless struct {
	text string
	at   int
	left int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(b) {
		m := copy(b[n:], e.text[e.at:])
		n += m
		e.at = (e.at + m) % len(e.text)
	}
	e.left -= n
	return n, nil
}

// A record without an end, a text without an end, brackets without an end and a header
// without one are errors before they fill the memory.
func TestHostileStreamsAreBounded(t *testing.T) {
	t.Parallel()
	info, err := hapi.ParseInfo([]byte(header(`{"name":"a","type":"double"},{"name":"s","type":"string","size":[1000],"length":4}`)))
	if err != nil {
		t.Fatal(err)
	}
	const size = 80 << 20
	for _, c := range []struct {
		name   string
		format hapi.Format
		begin  string
		text   string
		reason string
	}{
		{"line", hapi.CSV, "2000-01-01Z,", "1,", "more than 67108864 bytes"},
		{"quote", hapi.CSV, "2000-01-01Z,1,\"", "text\n", "more than 67108864 bytes"},
		{"quotes that open again and again", hapi.CSV, "2000-01-01Z,1,", "\"\n\",5\",", "its quoted fields have no end"},
		{"header", hapi.CSV, "#{", "#\"a\":1,\n", "longer than 67108864 bytes"},
		{"header line", hapi.Binary, "#", "{", "more than 67108864 bytes"},
		{"text", hapi.JSON, `[["2000-01-01Z",1,["`, "text", "more than 67108864 bytes"},
		{"record", hapi.JSON, `[["2000-01-01Z"`, " ", "more than 67108864 bytes"},
		{"brackets", hapi.JSON, `[["2000-01-01Z",1,`, "[", "nested too deep"},
		{"brackets in the header", hapi.JSON, `{"a":`, `[{"a":`, "a comma is missing"},
		{"members", hapi.JSON, `{"a":1`, `,"a":1`, "longer than a record may be"},
	} {
		r := io.MultiReader(strings.NewReader(c.begin), &endless{text: c.text, left: size})
		got, _, err := read(r, info, c.format, 100)
		bad, ok := errors.AsType[*hapi.StreamError](err)
		if !ok || !strings.Contains(bad.Reason, c.reason) || got.Len() != 0 {
			t.Errorf("%s: %d records, %.300v; want %s", c.name, got.Len(), err, c.reason)
		}
		runtime.GC()
	}
}

// A header may promise more than data can hold.
func TestHostileHeadersAreBounded(t *testing.T) {
	t.Parallel()
	var params []string
	for i := range 100 {
		params = append(params, fmt.Sprintf(`{"name":"p%d","type":"string","size":[1000,1000],"length":1000}`, i))
	}
	for text, want := range map[string]string{
		header(strings.Join(params, ",")):                                     "more than 4194304 values",
		header(`{"name":"p","type":"string","size":[1000],"length":1000000}`): "more than 67108864 bytes",
		`{}`: "has no parameters",
	} {
		info, err := hapi.ParseInfo([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = read(strings.NewReader("2000"), info, hapi.Binary, 1000)
		if bad, ok := errors.AsType[*hapi.StreamError](err); !ok || !strings.Contains(bad.Reason, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A reader that gives nothing and no error is not asked for ever.
func TestAReaderThatGivesNothing(t *testing.T) {
	t.Parallel()
	_, _, err := read(silent{}, wrongInfo(t), hapi.CSV, 1)
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v", err)
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

package tt_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/helios-go/helios/helio/tt"
)

// same reads texts one after another, each also twice in a row, and compares with
// Parse.
func same(t *testing.T, texts ...string) {
	t.Helper()
	var s tt.Sequence
	for _, text := range texts {
		want, wantErr := tt.Parse(text)
		for range 2 {
			got, err := s.Parse([]byte(text))
			if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("after %q: %q is %d, %v; want %d, %v", texts, text, got, err, want, wantErr)
			}
		}
	}
}

var sequences = [][]string{
	{"2023-01-02T03:41:01.123Z", "2023-01-02T03:41:02.123Z", "2023-01-03T00:00:00.000Z", "2023-01-02T24:00:00.000Z", "2023-01-02T23:59:60.000Z", "2023-01-02T24:00:01.000Z"},
	{"2016-12-31T23:59:59.999Z", "2016-12-31T23:59:60.000Z", "2016-12-31T23:59:60.999Z", "2016-12-31T24:00:00.000Z", "2017-01-01T00:00:00.000Z", "2016-12-31T23:59:61.000Z"},
	{"2016-366T23:59:59Z", "2016-366T23:59:60Z", "2017-001T00:00:00Z", "2017-366T00:00:00Z", "2016-367T00:00:00Z", "2016-000T00:00:00Z"},
	{"1971-12-31T23:59:59Z", "1972-01-01T00:00:00Z", "1968-01-31T23:59:59.950Z", "1961-07-31T23:59:59.990Z", "1961-07-31T12:00:00.000Z", "1960-01-01T00:00:00Z", "1959-12-31T23:59:59Z", "1900-01-01T12:00:00.5Z"},
	{"1707-09-22T12:12:10.961224193Z", "1707-09-22T12:12:10.961224192Z", "1707-09-22T00:00:00Z", "1707-09-23T00:00:00Z", "2292-04-11T11:46:07.670775807Z", "2292-04-11T11:46:07.670775808Z", "2292-04-11T00:00:00Z", "2292-04-12T00:00:00Z", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0000-001T00:00:00Z"},
	{"2000-01-01T00:00:00.1Z", "2000-01-01T00:00:00.12Z", "2000-01-01T00:00:00.123456789Z", "2000-01-01T00:00:00.1234567891Z", "2000-01-01T00:00:00.123456789123Z", "2000-01-01T00:00:00.1234567891234Z", "2000-01-01T00:00:00.Z", "2000-01-01T00:00:00.", "2000-01-01T00:00:00", "2000-01-01T00:00:00ZZ", "2000-01-01T00:00:00.1x3Z"},
	{"2000-01-01T00:00Z", "2000-01-01T00:00", "2000-01-01T00Z", "2000-01-01Z", "2000-01-01", "2000-01Z", "2000Z", "2000", "2000-001Z", "2000-001", "2000-001T12:34Z", "2000-001T1Z", "2000-01-01T", "2000-01-01T00:0Z", "2000-01-01T00:00:0Z", "2000-01-01T25:00Z", "2000-01-01T24:00Z", "2000-01-01T23:60Z"},
	{"2000-02-29T00:00:00Z", "2001-02-29T00:00:00Z", "2000-02-30T00:00:00Z", "2000-13-01T00:00:00Z", "2000-00-01T00:00:00Z", "2000-01-00T00:00:00Z", "2000-1-1T00:00:00Z", "2000-01-1T00:00:00Z", "200a-01-01T00:00:00Z", "2000-0a-01T00:00:00Z", "2000-01-0aT00:00:00Z"},
	{"2000-01-01 00:00:00Z", " 2000-01-01T00:00:00Z ", "2000-01-01t00:00:00Z", "2000-01-01T00:00:00z", "2000-01-01T00:00:00+01:00", "2000-01-01T00-00:00Z", "2000-01-01T00:00-00Z", "2000-01-01Ta0:00:00Z", "2000-01-01T00:a0:00Z", "2000-01-01T00:00:a0Z", "2000-01-01T00:00:0aZ", "20000101T000000Z", "01-Jan-2000 00:00:00.000", "2000 001 00 00 00.0", "2000/01/01T00:00:00Z"},
	{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00:00.000Z", "2023-002T00:00:00Z", "2023-002\x00\x00\x00\x00\x00\x00\x00\x00:00.000Z", "2023-002\x00\x00T00:00:00.000Z", "2023-002T00:00:00.1234Z", "2023-01-02T00:00:00.000Z", "2023-01-02\x00\x00\x00\x00\x00\x00:00.000Z"},
	{"2023-01-02T03:41:01.123Z", "2023-01-02T03:42:01.123Z", "2023-01-02T03:42:61.123Z", "2023-01-02T03:60:01.123Z", "2023-01-02T24:00:01.123Z", "2023-01-02T0a:41:01.123Z", "2023-01-02T03:4a:01.123Z", "2023-01-02x03:41:01.123Z", "2023-01-02T03x41:01.123Z", "2023-01-02T03:41x01.123Z", "2023-01-02T03:41:0x.123Z", "2023-01-02T03:41:01x123Z", "2023-01-02T03:41:01.1x3Z", "2023-01-02T03:41:01.12xZ", "2023-01-02T03:41:01.1234"},
	{"", "\x00\x00\x00\x00\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00T00:00:00Z", "2000-01-", "2000-01-0", "2000-001T00:00:00.000\xff", "2000-01-01T00:00:00\xff000Z", "NaN", "-1e31"},
}

func TestASequenceReadsWhatParseReads(t *testing.T) {
	t.Parallel()
	for _, texts := range sequences {
		same(t, texts...)
	}
}

// Random instants, in each form that a record can have.
func TestASequenceReadsRandomTimes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var s tt.Sequence
	for range 100_000 {
		at := tt.Time(rng.Int64() >> rng.IntN(8))
		if rng.IntN(2) == 0 {
			at = -at
		}
		year, month, dayOfMonth, hour, minute, sec, ns := at.Calendar()
		_, n := at.DayOfYear()
		for _, text := range []string{
			fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", year, month, dayOfMonth, hour, minute, sec, ns),
			fmt.Sprintf("%04d-%03dT%02d:%02d:%02d.%03dZ", year, n, hour, minute, sec, ns/1e6),
			fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", year, month, dayOfMonth, hour, minute, sec),
			fmt.Sprintf("%04d-%02d-%02dT%02d:%02dZ", year, month, dayOfMonth, hour, minute),
		} {
			want, wantErr := tt.Parse(text)
			if got, err := s.Parse([]byte(text)); got != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("%q is %d, %v; want %d, %v", text, got, err, want, wantErr)
			}
		}
	}
}

func FuzzSequence(f *testing.F) {
	for _, texts := range sequences {
		for i := range texts {
			f.Add(texts[0], texts[i], texts[len(texts)-1])
		}
	}
	f.Fuzz(func(t *testing.T, a, b, c string) { same(t, a, b, c) })
}

func ExampleSequence() {
	var s tt.Sequence
	for _, text := range []string{"2016-12-31T23:59:59Z", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"} {
		at, err := s.Parse([]byte(text))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(at)
	}
	// Output:
	// 2016-12-31T23:59:59Z
	// 2016-12-31T23:59:60Z
	// 2017-01-01T00:00:00Z
}

func BenchmarkSequence(b *testing.B) {
	for _, c := range []struct{ name, form string }{
		{"second", "2023-01-02T03:41:%02d.123Z"},
		{"dayOfYear", "2023-002T03:41:%02d.123Z"},
		{"day", "2023-01-%02dT00:00:00.000Z"},
		{"before1972", "1967-01-02T03:41:%02d.123Z"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var texts [][]byte
			for i := range 28 {
				texts = append(texts, fmt.Appendf(nil, c.form, i+1))
			}
			var s tt.Sequence
			i := 0
			for b.Loop() {
				if _, err := s.Parse(texts[i]); err != nil {
					b.Fatal(err)
				}
				if i++; i == len(texts) {
					i = 0
				}
			}
		})
	}
}

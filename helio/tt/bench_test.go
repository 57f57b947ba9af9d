package tt_test

import (
	"testing"

	"github.com/helios-go/helios/helio/tt"
)

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tt.Parse("2023-01-02T03:41:01.123Z"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendFormat(b *testing.B) {
	b.ReportAllocs()
	at := parse(b, "2023-01-02T03:41:01.123Z")
	var buf []byte
	for b.Loop() {
		buf = at.AppendFormat(buf[:0], -1)
	}
}

func BenchmarkFromEpoch(b *testing.B) {
	b.ReportAllocs()
	ms := 63840000000123.0
	for b.Loop() {
		if _, err := tt.FromEpoch(ms); err != nil {
			b.Fatal(err)
		}
		ms += 16000
	}
}

func BenchmarkUnixNanoUTC(b *testing.B) {
	b.ReportAllocs()
	at := parse(b, "2023-01-02T03:41:01.123Z")
	for b.Loop() {
		at += tt.Time(at.UnixNanoUTC() & 1)
	}
}

//go:build !race

package hapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/hapi"
)

// Records that there is room for are read without an allocation each, in any number.
func TestDecodersDoNotAllocateForRecords(t *testing.T) {
	info := four(t)
	for _, f := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
		data := fourColumns(20_000, 3, f)
		var r hapi.Records
		got := testing.AllocsPerRun(5, func() {
			reset(&r)
			if err := all(hapi.NewDecoder(bytes.NewReader(data), info, f), &r); err != nil || r.Len() != 20_000 {
				t.Fatal(r.Len(), err)
			}
		})
		if got > 24 {
			t.Errorf("%s: %v allocations for a stream, at most 24 are promised", f, got)
		}
	}
}

// Texts take a piece of memory for many, and none where they are those of the record
// before.
func TestTextsShareMemory(t *testing.T) {
	info, err := hapi.ParseInfo([]byte(header(`{"name":"same","type":"string","length":8},{"name":"other","type":"string","length":8}`)))
	if err != nil {
		t.Fatal(err)
	}
	const records = 10_000
	var inCSV, inBinary, inJSON strings.Builder
	for i := range records {
		fmt.Fprintf(&inCSV, "2000-01-01T00:00:00.000Z,quiet,s%07d\n", i)
		fmt.Fprintf(&inBinary, "2000-01-01T00:00:00.000Zquiet\x00\x00\x00s%07d", i)
		fmt.Fprintf(&inJSON, "%c[\"2000-01-01T00:00:00.000Z\",\"quiet\",\"s%07d\"]", "[,"[min(i, 1)], i)
	}
	inJSON.WriteString("]")
	for f, text := range map[hapi.Format]string{hapi.CSV: inCSV.String(), hapi.Binary: inBinary.String(), hapi.JSON: inJSON.String()} {
		var r hapi.Records
		got := testing.AllocsPerRun(5, func() {
			reset(&r)
			if err := all(hapi.NewDecoder(strings.NewReader(text), info, f), &r); err != nil || r.Len() != records {
				t.Fatal(r.Len(), err)
			}
		})
		if r.Columns[0].Text[records-1] != "quiet" || r.Columns[1].Text[records-1] != "s0009999" || r.Columns[1].Text[0] != "s0000000" {
			t.Errorf("%s: %q, %q", f, r.Columns[0].Text[records-1], r.Columns[1].Text[records-1])
		}
		if got > 50 {
			t.Errorf("%s: %v allocations for %d records with two texts, at most 50 are promised", f, got, records)
		}
	}
}

// A stream of any length is read in little memory when the records are not kept.
func TestMemoryDoesNotGrowWithTheStream(t *testing.T) {
	info := four(t)
	for f, text := range map[hapi.Format]string{
		hapi.CSV:    "2000-01-01T00:00:00.000Z,1.25,-0.00523596383141958,-1e31,400.1\n",
		hapi.Binary: "2000-01-01T00:00:00.000Z" + strings.Repeat("\x00\x00\x00\x00\x00\x00\xf0\x3f", 4),
		hapi.JSON:   "[\"2000-01-01T00:00:00.000Z\",1.25,-0.00523596383141958,-1e31,400.1],\n",
	} {
		const size = 64 << 20
		var r io.Reader = &endless{text: text, left: size}
		if f == hapi.JSON {
			r = io.MultiReader(strings.NewReader("["), r)
		}
		d := hapi.NewDecoder(r, info, f)
		var records hapi.Records
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := 0
		for {
			reset(&records)
			got, err := d.Read(&records, 4096)
			if n += got; err != nil {
				if bad, ok := errors.AsType[*hapi.StreamError](err); !errors.Is(err, io.EOF) && !(ok && bad.Offset > size) {
					t.Fatalf("%s: %v", f, err)
				}
				break
			}
		}
		runtime.ReadMemStats(&after)
		if n < size/len(text)-1 {
			t.Errorf("%s: %d records, want %d", f, n, size/len(text))
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
			t.Errorf("%s: %d bytes allocated for a stream of %d, at most 1 MiB is promised", f, grown, size)
		}
	}
}

// A short answer takes little memory.
func TestAShortStreamTakesLittleMemory(t *testing.T) {
	info := four(t)
	for _, f := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
		data := fourColumns(3, 3, f)
		const times = 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			var r hapi.Records
			if err := all(hapi.NewDecoder(bytes.NewReader(data), info, f), &r); err != nil || r.Len() != 3 {
				t.Fatal(r.Len(), err)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 12<<10 {
			t.Errorf("%s: %d bytes for three records, at most 12 KiB is promised", f, each)
		}
	}
}

package hapi_test

import (
	"testing"

	"github.com/helios-go/helios/helio/hapi"
)

// Whatever a header says, it is read or refused, and what was read can be written and
// read again.
func FuzzParseInfo(f *testing.F) {
	f.Add([]byte(kindsHeader))
	f.Add([]byte(`{"HAPI":"2.0","parameters":[{"name":"t","type":"isotime","units":{"$ref":"#/definitions/u"}}],"definitions":{"u":"UTC"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := hapi.ParseInfo(data)
		if err != nil {
			return
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

// Whatever a stream holds, records are whole.
func FuzzDecode(f *testing.F) {
	for format, all := range streams() {
		for _, data := range all {
			f.Add(string(format), data)
		}
	}
	info := kinds(f)
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		r, _, _ := decode(info, hapi.Format(format), data)
		for i := range r.Columns {
			p := &info.Parameters[i+1]
			n := len(r.Columns[i].Float)
			if p.Type.IsText() {
				n = len(r.Columns[i].Text)
			}
			if n != r.Len()*p.Width() {
				t.Fatalf("%d values of %s for %d records", n, p.Name, r.Len())
			}
		}
	})
}

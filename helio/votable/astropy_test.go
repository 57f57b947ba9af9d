package votable_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/votable"
	"github.com/helios-go/helios/internal/testdata"
)

// astropy reads a document from the standard input, with every deviation from the
// standard an error, and tells what it found.
const astropyScript = `
import json, sys, io
from astropy.io.votable import parse
f = parse(io.BytesIO(sys.stdin.buffer.read()), verify="exception")
out = {"version": f.version, "description": f.description, "tables": []}
for t in f.iter_tables():
    out["tables"].append({
        "name": t.name, "description": t.description,
        "fields": [[x.name, x.datatype, str(x.unit or ""), x.ucd or "", x.description or ""] for x in t.fields],
        "rows": [[None if c is None else (c if isinstance(c, (str, float, int, bool)) else str(c)) for c in row] for row in t.array.tolist()],
    })
json.dump(out, sys.stdout)
`

func TestAstropyReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	testdata.Need(t, "astropy", exec.CommandContext(t.Context(), python, "-I", "-c", "import astropy").Run())
	f := votable.File{
		Description: "Name:Shocks;\nContact: a <b> & \"c\";",
		Infos:       []votable.Info{{Name: "QUERY_STATUS", Value: "OK", Text: "all of it"}, {Value: "nameless"}},
		Params:      []votable.Param{{Field: votable.Field{Name: "survey", Datatype: "char", Arraysize: "*"}, Value: "1995 on"}},
		Tables: []votable.Table{
			{
				ID: "t1", Name: "shocks", Description: "One table", Resource: "First",
				Fields: []votable.Field{
					{ID: "start", Name: "Start Time", Datatype: "char", Arraysize: "*", UCD: "time.start", XType: "dateTime"},
					{ID: "start", Name: "Mach", Datatype: "double", Unit: "km/s", Description: "a number"},
					{ID: "9 lives", Name: "n", Datatype: "int", Null: "-1"},
					{Name: "sure", Datatype: "boolean"},
					{Name: "any", Datatype: "of no kind"},
				},
				Rows: [][]string{
					{"2015-03-17T04:00:59.000", "2.5", "7", "true", "Ωmega ☃ <&>"},
					{"", "NaN", "", "false", "]]> \x01"},
					{"x", "", "3", "true", ""},
				},
			},
			{Name: "empty", Resource: "Second", Fields: []votable.Field{{Name: "a", Datatype: "float"}}},
		},
	}
	var b, out, errs bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-I", "-c", astropyScript)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &b, &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("astropy: %v\n%s", err, errs.String())
	}
	// JSON has no word for not-a-number, which Python writes all the same.
	text := strings.ReplaceAll(out.String(), "NaN", `"not a number"`)
	want := `{"version": "1.4", "description": "Name:Shocks;\nContact: a <b> & \"c\";", "tables": [
		{"name": "shocks", "description": "One table",
		 "fields": [["Start Time", "char", "", "time.start", ""], ["Mach", "double", "km / s", "", "a number"], ["n", "int", "", "", ""], ["sure", "boolean", "", "", ""], ["any", "unicodeChar", "", "", ""]],
		 "rows": [["2015-03-17T04:00:59.000", 2.5, 7, true, "Ωmega ☃ <&>"], ["", null, null, false, "]]> \ufffd"], ["x", null, 3, true, ""]]},
		{"name": "empty", "description": null, "fields": [["a", "float", "", "", ""]], "rows": []}]}`
	var got, wanted any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, wanted) {
		t.Errorf("astropy reads\n%s\nwant\n%s", text, want)
	}
}

package votable_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/votable"
)

const amda = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made for a test -->
<VOTABLE xmlns="http://www.ivoa.net/xml/VOTable/v1.1" version="1.1">
 <RESOURCE><DESCRIPTION>Shocks</DESCRIPTION>
  <TABLE name="shocks"><DESCRIPTION>Name: shocks;
Contact: a &amp; b;</DESCRIPTION>
   <PARAM name="survey" datatype="char" arraysize="*" value="1995"/>
   <FIELD name="Start Time" ID="start" datatype="char" arraysize="*" xtype="dateTime" ucd="time.start"/>
   <FIELD name="Stop Time" ID="stop" datatype="char" arraysize="*"/>
   <FIELD name="Mach" ID="mach" datatype="double" unit="&#x212B;"><DESCRIPTION>a number</DESCRIPTION><VALUES null="-1"/></FIELD>
   <DATA><TABLEDATA>
    <TR><TD>2015-03-17T04:00:59.000</TD><TD> 2015-03-17T04:05:00.000 </TD><TD>2.5</TD></TR>
    <TR><TD><![CDATA[<x>]]></TD><TD/><TD>-1</TD></TR>
    <TR><TD>short</TD></TR>
   </TABLEDATA></DATA>
  </TABLE>
  <TABLE name="other"/>
 </RESOURCE>
</VOTABLE>
`

func read(t testing.TB, text string) *votable.File {
	t.Helper()
	f, err := votable.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestATableIsRead(t *testing.T) {
	t.Parallel()
	f := read(t, amda)
	if f.Description != "" || f.Tables[0].Resource != "Shocks" || len(f.Tables) != 2 || f.Tables[0].Name != "shocks" || f.Tables[1].Name != "other" {
		t.Fatalf("%+v", f)
	}
	table := f.Tables[0]
	want := [][]string{{"2015-03-17T04:00:59.000", "2015-03-17T04:05:00.000", "2.5"}, {"<x>", "", ""}, {"short", "", ""}}
	if !reflect.DeepEqual(table.Rows, want) {
		t.Errorf("rows %q, want %q", table.Rows, want)
	}
	if table.Description != "Name: shocks;\nContact: a & b;" || table.Params[0].Value != "1995" {
		t.Errorf("description %q, params %+v", table.Description, table.Params)
	}
	if f := table.Fields[2]; f.Unit != "\u212b" || f.Description != "a number" || f.Null != "-1" {
		t.Errorf("field %+v", f)
	}
	for name, want := range map[string]int{"Start Time": 0, "stop": 1, "MACH": 2, "nothing": -1} {
		got, ok := table.Column(name)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("column %q is %d, want %d", name, got, want)
		}
	}
}

func TestACutDocumentIsAnError(t *testing.T) {
	t.Parallel()
	end := strings.LastIndex(amda, ">")
	for n := range end {
		_, err := votable.Read(strings.NewReader(amda[:n]))
		if bad, ok := errors.AsType[*votable.SyntaxError](err); !ok || bad.Line == 0 {
			t.Fatalf("cut at %d: %v, want a SyntaxError with a line", n, err)
		}
	}
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	inTable := func(data string) string {
		return `<VOTABLE><RESOURCE><TABLE><FIELD name="a" datatype="int"/><DATA>` + data + `</DATA></TABLE></RESOURCE></VOTABLE>`
	}
	for text, want := range map[string]string{
		inTable("<BINARY2/>"): "BINARY2",
		inTable("<FITS/>"):    "FITS",
		inTable("<TABLEDATA><TR><TD>1</TD><TD>2</TD></TR></TABLEDATA>"): "row 1 has more than the 1 cells",
		"<html><body>Busy</body></html>":                                "begins with <html>",
		"{}":                                                            "ends too early",
		"":                                                              "ends too early",
		"<VOTABLE></VOTABLE><x/>":                                       "follows the end",
		strings.Repeat("<VOTABLE>", 100):                                "nested more than",
		`<VOTABLE><INFO name="QUERY_STATUS" value="ERROR"> no
 such table</INFO></VOTABLE>`: "could not answer the query: no such table",
	} {
		if _, err := votable.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[a-zéΩ☃<>&"' ]{0,8}[a-z<&]|`)
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.Custom(func(t *rapid.T) votable.Field {
			return votable.Field{Name: word.Draw(t, "name"), Datatype: "char", Arraysize: "*", Unit: word.Draw(t, "unit"), Null: rapid.SampledFrom([]string{"", "none"}).Draw(t, "null"), Description: trim(word.Draw(t, "description"))}
		})
		want := &votable.File{Description: trim(word.Draw(t, "about")), Infos: []votable.Info{{Name: "n", Value: word.Draw(t, "info")}}}
		table := votable.Table{Name: word.Draw(t, "table"), Resource: trim(word.Draw(t, "resource")), Fields: rapid.SliceOfN(field, 1, 4).Draw(t, "fields")}
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
			row := make([]string, len(table.Fields))
			for i := range row {
				row[i] = trim(word.Draw(t, "cell"))
			}
			table.Rows = append(table.Rows, row)
		}
		want.Tables = []votable.Table{table}
		var b, again bytes.Buffer
		if err := want.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := votable.Read(bytes.NewReader(b.Bytes()))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: got %+v, want %+v", err, got, want)
		}
		if err := got.Write(&again); err != nil || again.String() != b.String() {
			t.Fatal("written again it differs", err)
		}
	})
}

func trim(s string) string { return strings.TrimSpace(s) }

func TestARowThatDoesNotFitIsNotWritten(t *testing.T) {
	t.Parallel()
	f := votable.File{Tables: []votable.Table{{Fields: []votable.Field{{Name: "a"}}, Rows: [][]string{{"1", "2"}}}}}
	if err := f.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(amda))
	f.Add([]byte(`<VOTABLE><RESOURCE><TABLE><DATA><TABLEDATA><TR/></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := votable.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, table := range got.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Fields) {
					t.Fatalf("%d cells for %d fields", len(row), len(table.Fields))
				}
			}
		}
		var b bytes.Buffer
		if err := got.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := votable.Read(&b)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if len(again.Tables) != len(got.Tables) {
			t.Fatalf("%d tables, want %d", len(again.Tables), len(got.Tables))
		}
	})
}

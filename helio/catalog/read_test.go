package catalog_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/catalog"
)

const amda = `<?xml version="1.0"?>
<VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><DESCRIPTION>Name:Made up storms;
Historic:;
ListStartDate: 1998-03-04T12:30:00.000;
ListStopDate: 2011-08-08T08:30:00.000;
Contact: nobody@example.org;
Creation Date:2022-10-18T10:47:53.000;
</DESCRIPTION><RESOURCE><DESCRIPTION>Made for a test: nothing is real</DESCRIPTION><TABLE>
<FIELD name="Start Time" ID="TimeIntervalStart" ucd="time.start" datatype="char" xtype="dateTime" utype="" arraysize="*"/>
<FIELD name="Stop Time" ID="TimeIntervalStop" ucd="time.end" datatype="char" xtype="dateTime" utype="" arraysize="*"/>
<FIELD name="Bzmin" ID="c1" ucd="" datatype="double" unit="nT" utype=""/><FIELD name="When" ID="c2" datatype="char" xtype="dateTime" arraysize="*"/>
<DATA><TABLEDATA>
<TR><TD>1998-03-04T12:30:00.000</TD><TD>1998-03-05T10:30:00.000</TD><TD>-7.25</TD><TD>1998-03-04T17:30:00.000</TD></TR>
<TR><TD>1998-06-25T18:30:00.000</TD><TD>1998-06-25T10:30:00.000</TD><TD>1</TD><TD/></TR>
<TR><TD>1998-08-19T19:30:00.000</TD><TD>1998-08-21T03:30:00.000</TD><TD/><TD/></TR>
</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`

func TestACatalogueOfAMDAIsRead(t *testing.T) {
	t.Parallel()
	c, err := catalog.ReadVOTable(strings.NewReader(amda))
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "Made up storms" || c.Contact != "nobody@example.org" || c.Created != "2022-10-18T10:47:53.000" ||
		c.Description != "Made for a test: nothing is real" || c.Skipped != 1 || c.Kind != catalog.Catalogue || c.Survey == nil {
		t.Errorf("%+v", c)
	}
	want := []catalog.Column{{Name: "Bzmin", Type: catalog.Double, Units: "nT"}, {Name: "When", Type: catalog.ISOTime}}
	if !reflect.DeepEqual(c.Columns, want) {
		t.Errorf("columns %+v, want %+v", c.Columns, want)
	}
	if len(c.Events) != 2 || c.Events[0].Values[0] != "-7.25" || c.Events[1].Start.String() != "1998-08-19T19:30:00Z" {
		t.Errorf("events %+v", c.Events)
	}
}

func TestCSVOfManyHands(t *testing.T) {
	t.Parallel()
	const want = "2015-03-17T04:45:00Z 2015-03-18T00:00:00Z"
	for _, text := range []string{
		"start,stop\n2015-03-17T04:45:00,2015-03-18\n",
		"\ufeffid;Begin (UTC);End (UTC)\n1;2015-03-17 04:45;2015-03-18 00:00\n",
		"tstart\ttend\n2015/03/17 04:45\t2015/03/18\n",
		"2015-03-17T04:45Z,2015-03-18T00:00Z\n",
		"icme_id,icme_start_time,mo_start_time,mo_end_time\nx,2015-03-17T04:45Z,2015-03-17T12:00Z,2015-03-18T00:00Z\n",
		"# a remark\n# another\nstop_time,start_time\n2015-03-18,2015-03-17T04:45:00+00:00\n# between\n",
		"first,second\n2015-03-17T04:45:00.000,2015-076T24\n",
		"2015-03-17T04:45Z,2015-03-18T00:00Z",
		"\"onset\",\"until\"\r\n\"2015-03-17 04:45:00\",\"2015-03-17T24:00:00\"\r\n",
	} {
		c, err := catalog.ReadCSV(strings.NewReader(text), nil)
		want := want
		if strings.Contains(text, "076T24") {
			want = "2015-03-17T04:45:00Z 2015-03-18T00:00:00Z"
		}
		if err != nil || len(c.Events) != 1 || c.Events[0].Start.String()+" "+c.Events[0].Stop.String() != want {
			t.Errorf("%q: %v: %+v", text, err, c)
		}
	}
	for text, want := range map[string]string{
		"":                               "empty",
		"a\n1\n":                         "no columns of start and stop",
		"a,b\n1,2\n":                     "none of its 1 rows",
		"start,stop\n2015,2016,7\n":      "line 2: 3 values for 2 columns",
		"# x\nstart,stop\n\"2015,2016\n": "line 3",
	} {
		if _, err := catalog.ReadCSV(strings.NewReader(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func full(t testing.TB) *catalog.Catalog {
	return &catalog.Catalog{
		Name: "Shocks of mine", Description: "A few, <made> & up", Kind: catalog.Catalogue, Contact: "me", Created: "2026-01-01",
		Citation: "Someone 2020", DOI: "10.1/x", Survey: &catalog.Window{Start: at(t, "2015-01-01"), Stop: at(t, "2016-01-01")},
		Columns: []catalog.Column{
			{Name: "mach", Type: catalog.Double, Units: "km/s", Description: "a number", UCD: "phys.veloc"},
			{Name: "sure", Type: catalog.Boolean}, {Name: "remark", Type: catalog.String}, {Name: "peak", Type: catalog.ISOTime},
		},
		Events: []catalog.Event{
			{Start: at(t, "2015-03-17T04:45:00.25"), Stop: at(t, "2015-03-18"), Values: []string{"2.50", "true", "a, \"b\" <c>", "2015-03-17T12:00:00.000"}},
			{Start: at(t, "2015-06-22T18:33:00.123456"), Stop: at(t, "2015-06-23"), Values: []string{"", "", "", ""}},
		},
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	for _, f := range catalog.Formats() {
		want := full(t)
		var b, again bytes.Buffer
		if err := want.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		got, err := catalog.Read(bytes.NewReader(b.Bytes()), f)
		if err != nil {
			t.Fatal(f, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%+v, want\n%+v", f, got, want)
		}
		if err := got.Write(&again, f); err != nil || again.String() != b.String() {
			t.Errorf("%s: written again it differs", f)
		}
	}
}

func TestTimesInVOTablesAreThoseOfDatetime(t *testing.T) {
	t.Parallel()
	c := &catalog.Catalog{Events: []catalog.Event{{Start: at(t, "2016-12-31T23:59:60.5"), Stop: at(t, "2017-01-01T00:00:00.123456789")}}}
	var b bytes.Buffer
	if err := c.WriteVOTable(&b); err != nil {
		t.Fatal(err)
	}
	if want := "<TD>2016-12-31T23:59:59.999999</TD><TD>2017-01-01T00:00:00.123456</TD>"; !strings.Contains(b.String(), want) {
		t.Errorf("%s lacks %s", b.String(), want)
	}
}

func TestACatalogueThatHelioAISaved(t *testing.T) {
	t.Parallel()
	c, err := catalog.ReadJSON(strings.NewReader(`{"name":"x","description":"","created":"2026","events":[
		{"start":"2015-01-01T00:00:00","stop":"2015-01-02","meta":{"b":"word","a":1.50,"c":null,"d":[1,2]}}, {"start":"","stop":""}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Events) != 1 || c.Skipped != 1 || strings.Join(c.Events[0].Values, "|") != "1.50|word||[1,2]" {
		t.Errorf("%+v", c)
	}
	for _, bad := range []string{"", "{", "[]", `{"name":"x"}`} {
		if _, err := catalog.ReadJSON(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte(shocks))
	f.Add([]byte("# column: {\"name\":\"a\",\"type\":\"double\"}\nstart;stop;a\n2015;2016;1\n"))
	f.Fuzz(func(t *testing.T, data []byte) { readAndWrite(t, data, catalog.CSV) })
}

func FuzzReadVOTable(f *testing.F) {
	f.Add([]byte(amda))
	f.Fuzz(func(t *testing.T, data []byte) { readAndWrite(t, data, catalog.VOTable) })
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"events":[{"start":"2015","stop":"2016","meta":{"a":1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { readAndWrite(t, data, catalog.JSON) })
}

// readAndWrite checks that what can be read can be written in every form and read
// again with all its events.
func readAndWrite(t *testing.T, data []byte, f catalog.Format) {
	c, err := catalog.Read(bytes.NewReader(data), f)
	if err != nil {
		return
	}
	for _, out := range catalog.Formats() {
		var b bytes.Buffer
		if err := c.Write(&b, out); err != nil {
			t.Fatal(out, err)
		}
		again, err := catalog.Read(&b, out)
		if err != nil || len(again.Events) != len(c.Events) {
			t.Fatalf("%s: %v: %d events, want %d, in %q", out, err, len(again.Events), len(c.Events), b.String())
		}
	}
}

package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/catalog"
	"github.com/helios-go/helios/helio/tt"
)

const shocks = `start_time,stop_time,speed,type,id
2015-01-01T00:00:00,2015-01-02T00:00:00,400,FR,a
2015-02-01T00:00:00Z,2015-02-02T00:00:00Z,1200,fast reverse,b
2015-03-01 00:00,2015-03-02 00:00,,FF,c
2015/04/01 00:00,2015/04/02 00:00,n/a,FF,d
,2015-05-02,1,FF,lost
2015-06-01,2015-06-02,90,SF,e
`

func load(t testing.TB, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.ReadCSV(strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func at(t testing.TB, text string) tt.Time {
	t.Helper()
	x, err := tt.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestSelect(t *testing.T) {
	t.Parallel()
	c := load(t, shocks)
	if len(c.Events) != 5 || c.Skipped != 1 {
		t.Fatalf("%d events, %d skipped", len(c.Events), c.Skipped)
	}
	where := func(column string, op catalog.Op, value string) catalog.Query {
		return catalog.Query{Where: []catalog.Condition{{Column: column, Op: op, Value: value}}}
	}
	for _, test := range []struct {
		name string
		q    catalog.Query
		want string
	}{
		{"all", catalog.Query{}, "abcde"},
		{"window by start", catalog.Query{Window: &catalog.Window{Start: at(t, "2015-01-01T12"), Stop: at(t, "2015-03-01")}}, "b"},
		{"window, open side", catalog.Query{Window: &catalog.Window{Start: at(t, "2015-03-01"), Stop: tt.Fill}}, "cde"},
		{"numbers, not texts", where("speed", catalog.Greater, "90"), "abd"}, // "n/a" is a text, after "90"
		{"eq as numbers", where("speed", catalog.Equal, "400.0"), "a"},
		{"ne", where("speed", catalog.NotEqual, "400"), "bcde"},
		{"missing", where("speed", catalog.Equal, ""), "c"},
		{"lte", where("speed", catalog.LessOrEqual, "400"), "ae"},
		{"gte", where("speed", catalog.GreaterOrEqual, "1200"), "bd"},
		{"contains", where("type", catalog.Contains, "f"), "abcde"},
		{"contains more", where("TYPE", catalog.Contains, "REV"), "b"},
		{"time", where("start", catalog.Less, "2015-02-01T00:00:00.000Z"), "a"},
		{"same time otherwise written", where("stop", catalog.Equal, "2015-03-02"), "c"},
		{"sort", catalog.Query{Sort: "speed"}, "eabdc"},
		{"sort descending", catalog.Query{Sort: "speed", Descending: true}, "baedc"},
		{"sort by time", catalog.Query{Sort: "start", Descending: true}, "edcba"},
		{"page", catalog.Query{Sort: "speed", Offset: 1, Limit: 2}, "ab"},
		{"beyond", catalog.Query{Offset: 9}, ""},
	} {
		test.q.Columns = []string{"id"}
		p, err := c.Select(test.q)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := ""
		for _, e := range p.Events {
			got += e.Values[0]
		}
		if got != test.want {
			t.Errorf("%s: events %s, want %s", test.name, got, test.want)
		}
		if p.Total != 5 || p.Filtered < len(p.Events) || p.Offset != test.q.Offset {
			t.Errorf("%s: %+v", test.name, p)
		}
	}
	if c.Events[0].Values[2] != "a" {
		t.Error("sorting changed the catalogue")
	}
}

func TestColumnsOfAPage(t *testing.T) {
	t.Parallel()
	names, values := "start,stop", "2015-01-01,2015-01-02"
	for i := range 12 {
		names += fmt.Sprintf(",c%d", i)
		values += fmt.Sprintf(",%d", i)
	}
	c := load(t, names+"\n"+values+"\n")
	for want, q := range map[string]catalog.Query{
		"[0 1 2 3 4 5 6 7]":           {},
		"[0 1 2 3 4 5 6 7 11]":        {Sort: "c11"},
		"[3 1 5]":                     {Columns: []string{"c3", "c1"}, Sort: "c5"},
		"[0 1 2 3 4 5 6 7 8 9 10 11]": {Columns: []string{"*"}},
	} {
		p, err := c.Select(q)
		if err != nil || fmt.Sprint(p.Events[0].Values) != want {
			t.Errorf("%v: %+v, want %s", err, p, want)
		}
	}
}

func TestAQueryThatMakesNoSense(t *testing.T) {
	t.Parallel()
	c := load(t, shocks)
	for _, q := range []catalog.Query{
		{Offset: -1},
		{Limit: -1},
		{Window: &catalog.Window{Start: 5, Stop: 5}},
		{Where: []catalog.Condition{{Column: "speed", Op: "like", Value: "1"}}},
	} {
		_, err := c.Select(q)
		if _, ok := errors.AsType[*catalog.QueryError](err); !ok {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, q := range []catalog.Query{
		{Sort: "nothing"}, {Columns: []string{"nothing"}}, {Where: []catalog.Condition{{Column: "nothing", Op: catalog.Equal}}},
	} {
		_, err := c.Select(q)
		if bad, ok := errors.AsType[*catalog.ColumnError](err); !ok || !strings.Contains(bad.Error(), "start, stop, speed, type, id") {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

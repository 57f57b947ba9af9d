package series_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

func csv(tb testing.TB, text string) []*series.Series {
	tb.Helper()
	all, err := series.ReadCSV(strings.NewReader(text), &series.CSVOptions{Name: "t"})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// show prints a series the way the tables below write it.
func show(s *series.Series) string {
	text := fmt.Sprintf("%s [%s] %v:", s.Name, s.Units, s.Columns)
	for i, instant := range s.Time {
		text += fmt.Sprintf(" %v=%v", instant, s.Row(i))
	}
	return text
}

func TestCSVForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "time,N (cm^-3)\n2023-01-02T00:00:00Z,5\n2023-01-02T00:01:00Z,6.5\n",
			[]string{"N [cm^-3] [N]: 2023-01-02T00:00:00Z=[5] 2023-01-02T00:01:00Z=[6.5]"}},
		{"square brackets and CRLF", "Epoch,V [km/s]\r\n2023-002,400\r\n",
			[]string{"V [km/s] [V]: 2023-01-02T00:00:00Z=[400]"}},
		{"brackets within brackets", "time,flux (1/(cm^2 s))\n2023-01-02,1\n",
			[]string{"flux [1/(cm^2 s)] [flux]: 2023-01-02T00:00:00Z=[1]"}},
		{"a vector", "time,Bx (nT),By (nT),Bz (nT)\n2023-01-02,1,2,3\n",
			[]string{"B [nT] [Bx By Bz]: 2023-01-02T00:00:00Z=[1 2 3]"}},
		{"two vectors and a scalar between", "time,Bx_GSM [nT],By_GSM [nT],Bz_GSM [nT],n,V_R,V_T,V_N\n2023-01-02,1,2,3,4,5,6,7\n",
			[]string{"B_GSM [nT] [Bx_GSM By_GSM Bz_GSM]: 2023-01-02T00:00:00Z=[1 2 3]", "n [] [n]: 2023-01-02T00:00:00Z=[4]",
				"V [] [V_R V_T V_N]: 2023-01-02T00:00:00Z=[5 6 7]"}},
		{"bare components", "time,x,y,z\n2023-01-02,1,2,3\n", []string{"xyz [] [x y z]: 2023-01-02T00:00:00Z=[1 2 3]"}},
		{"no vector of two units", "time,Bx (nT),By (nT),Bz (T)\n2023-01-02,1,2,3\n",
			[]string{"Bx [nT] [Bx]: 2023-01-02T00:00:00Z=[1]", "By [nT] [By]: 2023-01-02T00:00:00Z=[2]", "Bz [T] [Bz]: 2023-01-02T00:00:00Z=[3]"}},
		{"no vector where its name is taken", "time,B,Bx,By,Bz\n2023-01-02,0,1,2,3\n",
			[]string{"B [] [B]: 2023-01-02T00:00:00Z=[0]", "Bx [] [Bx]: 2023-01-02T00:00:00Z=[1]",
				"By [] [By]: 2023-01-02T00:00:00Z=[2]", "Bz [] [Bz]: 2023-01-02T00:00:00Z=[3]"}},
		{"semicolons", "UTC;a\n2023-01-02 03:41:01.5;1\n", []string{"a [] [a]: 2023-01-02T03:41:01.5Z=[1]"}},
		{"tabs", "a\ttime\n1\t2023-01-02\n", []string{"a [] [a]: 2023-01-02T00:00:00Z=[1]"}},
		{"quotes", "time,\"a, b (nT)\"\n\"2023-01-02\", \"1\" \n", []string{"a, b [nT] [a, b]: 2023-01-02T00:00:00Z=[1]"}},
		{"a doubled quote", "time,\"the \"\"real\"\" one\"\n2023-01-02,1\n", []string{"the \"real\" one [] [the \"real\" one]: 2023-01-02T00:00:00Z=[1]"}},
		{"missing values", "time,a\n2023-01-02T00,\n2023-01-02T01,NaN\n2023-01-02T02,-1e31\n2023-01-02T03,null\n2023-01-02T04,1\n",
			[]string{"a [] [a]: 2023-01-02T00:00:00Z=[NaN] 2023-01-02T01:00:00Z=[NaN] 2023-01-02T02:00:00Z=[NaN] 2023-01-02T03:00:00Z=[NaN] 2023-01-02T04:00:00Z=[1]"}},
		{"a row without a time", "time,a\n,1\n2023-01-02,2\nNaN,3\n", []string{"a [] [a]: 2023-01-02T00:00:00Z=[2]"}},
		{"a column of words", "time,flag,a\n2023-01-02,good,1\n2023-01-03,bad,2\n", []string{"a [] [a]: 2023-01-02T00:00:00Z=[1] 2023-01-03T00:00:00Z=[2]"}},
		{"year and day of the year", "year,doy,hour,a\n2024,60,12,1\n", []string{"a [] [a]: 2024-02-29T12:00:00Z=[1]"}},
		{"year, month, day and a fraction", "YYYY,MO,DD,HH,MIN,SEC,a\n2016,12,31,23,59,60.5,1\n2017,1,1,0,0,0.1,2\n2017,1,1,0,0,59.9999999999,3\n",
			[]string{"a [] [a]: 2016-12-31T23:59:60.5Z=[1] 2017-01-01T00:00:00.1Z=[2] 2017-01-01T00:00:59.999999999Z=[3]"}},
		{"date and time", "date,time,a\n2023-01-02,03:41:01,1\n", []string{"a [] [a]: 2023-01-02T03:41:01Z=[1]"}},
		{"a date beside a whole time", "time,date,a\n2023-01-02T03:41:01,2023-01-02,1\n", []string{"a [] [a]: 2023-01-02T03:41:01Z=[1]"}},
		{"a time by its look", "when,a\n2023-01-02T03:41:01,1\n", []string{"a [] [a]: 2023-01-02T03:41:01Z=[1]"}},
		{"a header as a comment", "# time, a (nT)\n2023-01-02, 1\n", []string{"a [nT] [a]: 2023-01-02T00:00:00Z=[1]"}},
		{"a mark at the start", "\ufefftime,a\n2023-01-02,1", []string{"a [] [a]: 2023-01-02T00:00:00Z=[1]"}},
		{"blank lines", "\n\ntime,a\n\n2023-01-02,1\n\n", []string{"a [] [a]: 2023-01-02T00:00:00Z=[1]"}},
		{"no rows", "time,a (nT)\n", []string{"a [nT] [a]:"}},
		{"no name", "time,,b\n2023-01-02,1,2\n", []string{"column_2 [] [column_2]: 2023-01-02T00:00:00Z=[1]", "b [] [b]: 2023-01-02T00:00:00Z=[2]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range csv(t, c.text) {
				got = append(got, show(s))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestCSVCommentsTellAboutTheTable(t *testing.T) {
	t.Parallel()
	all := csv(t, `# Title: Field and plasma
# mission: ACE
# instrument: MAG
# frame: GSM
# doi: 10.1000/xyz
# acknowledgement: thanks to all
# synthetic: true
# fill: 999.9
# fill V: 9999.9
# units V: km/s
# description V: bulk speed
# a comment: of another kind
time,N (cm^-3),V
2023-01-02,999.9,999.9
# half way
2023-01-03,9999.9,9999.9
`)
	if len(all) != 2 {
		t.Fatalf("got %d series, want 2", len(all))
	}
	n, v := all[0], all[1]
	if !math.IsNaN(n.Values[0]) || n.Values[1] != 9999.9 || n.Meta.Fill[0] != 999.9 {
		t.Errorf("N: got %v, fill %v", n.Values, n.Meta.Fill)
	}
	if v.Values[0] != 999.9 || !math.IsNaN(v.Values[1]) || v.Units != "km/s" || v.Description != "bulk speed" {
		t.Errorf("V: got %v %q %q", v.Values, v.Units, v.Description)
	}
	m := n.Meta
	if m.Dataset != "t" || m.DatasetTitle != "Field and plasma" || m.Mission != "ACE" || m.Instrument != "MAG" || m.Frame != "GSM" ||
		m.DOI != "10.1000/xyz" || m.Acknowledgement != "thanks to all" || !m.Synthetic || m.Role != "data" {
		t.Errorf("got %+v", m)
	}
}

func TestCSVErrorsAreOneSentenceWithTheLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `it is empty; the first line must name the columns`},
		{"only comments", "# nothing\n", `it is empty; the first line must name the columns`},
		{"no text", "time\x00,a\n", `it is not a text; give a table of text with a header line`},
		{"no header", "2023-01-02,1\n", `line 1 holds values and no header comes before it; the first line must name the columns`},
		{"no time", "a,b\n1,2\n", `no column holds the time; name one of them time, or give year and doy`},
		{"twice", "time,a (nT),a\n", `line 1 names two columns "a"; give each its own name`},
		{"too few", "time,a,b\n2023-01-02,1,2\n\n# c\n2023-01-03,1\n", `line 5 has 2 fields and the header 3; give every row as many fields as the header has`},
		{"a word", "time,a\n2023-01-02,1\n2023-01-03,bad\n", `line 3: "bad" in column "a" is not a number; leave it empty where a value is missing`},
		{"a number after a word", "time,a\n2023-01-02,bad\n2023-01-03,1\n", `line 3: column "a" holds the number "1", and "bad" in line 2; leave empty where a value is missing, or leave the column out`},
		{"nothing but words", "time,a\n2023-01-02,bad\n", `no column besides the time holds numbers; give at least one that does`},
		{"a decimal comma", "time;a\n2023-01-02;1,5\n", `line 2: "1,5" in column "a" has a decimal comma; write numbers with a decimal point`},
		{"a quote", "time,a\n\"2023-01-02,1\n", `line 2: a quote is opened and not closed; close it on the same line`},
		{"after a quote", "time,a\n\"2023\"-01,1\n", `line 2: text follows the closing quote of "2023"; double a quote that belongs to the text`},
		{"a day", "year,doy,a\n2023,366,1\n", `line 2: the year 2023 has no day 366`},
		{"a part", "year,doy,a\n2023,x,1\n", `line 2: "x" is not a whole number and so no part of a time`},
		{"a second", "year,doy,sec,a\n2023,1,61,1\n", `line 2: "61" is no second of a minute`},
	} {
		_, err := series.ReadCSV(strings.NewReader(c.text), &series.CSVOptions{Name: "x.csv"})
		want := `read CSV "x.csv": ` + c.want
		if err == nil || err.Error() != want {
			t.Errorf("%s: got\n%v, want\n%s", c.name, err, want)
		}
	}
	_, err := series.ReadCSV(strings.NewReader("time,a\n2023-01-02,1\n2023-1-3,1\n"), nil)
	if err == nil || !strings.Contains(err.Error(), "line 3: ") || !strings.Contains(err.Error(), "2023-1-3") {
		t.Errorf("a time: got %v", err)
	}
	wide := "time" + strings.Repeat(",", 5000)
	if _, err := series.ReadCSV(strings.NewReader(wide), nil); err == nil || !strings.Contains(err.Error(), "5001 columns") {
		t.Errorf("a wide header: got %v", err)
	}
}

func TestCSVTimesOnlyListsTheSameWithoutValues(t *testing.T) {
	t.Parallel()
	const text = "time,Bx,By,Bz,flag,empty,late\n2023-01-02,1,2,3,ok,,\n2023-01-03,1,2,3,ok,,7\n"
	all := csv(t, text)
	headers, err := series.ReadCSV(strings.NewReader(text), &series.CSVOptions{Name: "t", TimesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(headers) != len(all) {
		t.Fatalf("got %d series, want %d", len(headers), len(all))
	}
	for i, h := range headers {
		if h.Name != all[i].Name || !slices.Equal(h.Time, all[i].Time) || !slices.Equal(h.Columns, all[i].Columns) || h.Values != nil {
			t.Errorf("got %+v, want the header of %+v", h, all[i])
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{
		"time,a (nT)\n2023-01-02,1\n", "# time, a\n2023-01-02, 1\n", "year,doy,sec,a\n2023,1,0.5,1\n", "date;time;Bx;By;Bz\n2023-01-02;03:41;1;2;3\n",
		"time,\"a\"\"b\"\n2023-01-02,\"1\"\n", "# fill a: 9\n# units a: nT\ntime,a\n,\n2023-01-02,9\n", "\ufeffwhen\tq\r\n2023-01-02T03\tx\r\n",
		"# series: {\"name\":\"a\",\"units\":\"nT\",\"width\":2,\"columns\":[\"x\",\"y\"],\"dims\":[2],\"axes\":[{\"varying\":true,\"centerColumns\":1}],\"meta\":{\"fill\":[null,9]}}\ntime,x,y,e\n2023-01-02,1,2,3\n",
		"# series: {\"width\":-1}\n# series: {\"width\":1,\"dims\":[0]}\ntime,x\n2023-01-02,1\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := series.ReadCSV(strings.NewReader(text), &series.CSVOptions{Name: "fuzz"})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		headers, err := series.ReadCSV(strings.NewReader(text), &series.CSVOptions{Name: "fuzz", TimesOnly: true})
		if err != nil || len(headers) != len(all) {
			t.Fatalf("times only: %d series and %v, want %d", len(headers), err, len(all))
		}
		for i, s := range all {
			if len(s.Values) != s.Len()*s.Width() || s.Name == "" && !strings.Contains(text, "series") || headers[i].Name != s.Name || headers[i].Len() != s.Len() {
				t.Errorf("%q: %d values in %d records of %d, header %+v", s.Name, len(s.Values), s.Len(), s.Width(), headers[i])
			}
			if slices.ContainsFunc(s.Values, func(v float64) bool { return math.Abs(v) >= 1e30 }) || slices.Contains(s.Time, tt.Fill) {
				t.Errorf("%q keeps a fill value", s.Name)
			}
		}
	})
}

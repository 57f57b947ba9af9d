package hapitest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/hapi/hapitest"
)

// get returns the status line, the header Location and the body.
func get(t *testing.T, method, address string) (status, location, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Status, resp.Header.Get("Location"), string(body)
}

func TestTheCodesOfTheSpecification(t *testing.T) {
	t.Parallel()
	const window = "&start=2023-01-02Z&stop=2023-01-02T00:02Z"
	for _, c := range []struct {
		version, query string
		http, code     int
	}{
		{"3.3", "capabilities", 200, 1200},
		{"3.3", "capabilities?x=1", 400, 1401},
		{"3.3", "catalog", 200, 1200},
		{"3.3", "catalog?depth=dataset", 200, 1200},
		{"3.3", "catalog?depth=none", 400, 1413},
		{"3.3", "about", 200, 1200},
		{"3.3", "nothing", 400, 1400},
		{"3.3", "info?dataset=minutes", 200, 1200},
		{"3.3", "info?id=minutes", 200, 1200},
		{"2.0", "info?id=minutes", 200, 1200},
		{"2.0", "info?dataset=minutes", 400, 1401},
		{"3.3", "info?dataset=minute", 404, 1406},
		{"3.3", "info?dataset=minutes&parameters=x", 404, 1407},
		{"3.3", "info?dataset=minutes&parameters=Quality,Magnitude", 400, 1411},
		{"3.3", "info?dataset=minutes&parameters=Time,Time", 400, 1411},
		{"3.3", "info?dataset=minutes&resolve_references=no", 400, 1412},
		{"3.3", "info?dataset=minutes&start=2023Z", 400, 1401},
		{"3.3", "data?dataset=minutes&start=xx&stop=2023-01-02Z", 400, 1402},
		{"3.3", "data?dataset=minutes&start=2023-01-02Z&stop=xx", 400, 1403},
		{"3.3", "data?dataset=minutes&start=2023-01-02Z&stop=2023-01-02Z", 400, 1404},
		{"3.3", "data?dataset=minutes&start=1990Z&stop=2023-01-02Z", 400, 1405},
		{"3.3", "data?dataset=minutes&format=xml" + window, 400, 1409},
		{"3.3", "data?dataset=minutes&include=all" + window, 400, 1410},
		{"2.0", "data?id=minutes" + window, 400, 1401},
		{"3.3", "data?dataset=minutes&format=json" + window, 200, 1200},
		{"3.3", "data?dataset=gaps&format=json&include=header&start=2023-01-11Z&stop=2023-01-12Z", 200, 1201},
	} {
		s := hapitest.New(t, &hapitest.Options{Version: c.version})
		status, _, body := get(t, http.MethodGet, s.URL+"/"+c.query)
		var w struct {
			HAPI   string
			Status struct{ Code int }
		}
		if err := json.Unmarshal([]byte(body), &w); err != nil || !strings.HasPrefix(status, fmt.Sprint(c.http)) || w.Status.Code != c.code || w.HAPI != c.version {
			t.Errorf("%s %s: %s, %.200s, want %d and %d", c.version, c.query, status, body, c.http, c.code)
		}
		if c.code > 1201 && !strings.Contains(status, "HAPI error") {
			t.Errorf("%s: the status line says %q", c.query, status)
		}
		if status, _, body := get(t, http.MethodHead, s.URL+"/"+c.query); !strings.HasPrefix(status, fmt.Sprint(c.http)) || body != "" {
			t.Errorf("HEAD %s: %s, %q", c.query, status, body)
		}
	}
}

func TestTheFormatsByHand(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	const query = "/data?dataset=kinds&parameters=scalar,integer,string,matrix&start=1970-01-01T00:00:04Z&stop=1970-01-01T00:00:05Z&format="
	_, _, body := get(t, http.MethodGet, s.URL+query+"csv")
	const want = `1970-01-01T00:00:04.000Z,-1e+31,-2147483648,"  blanks ",-1e+31,1.020942419883357,`
	if !strings.HasPrefix(body, want) || strings.Count(body, ",") != 9 || !strings.HasSuffix(body, "\n") {
		t.Errorf("csv %q, want %q ...", body, want)
	}
	_, _, body = get(t, http.MethodGet, s.URL+query+"binary")
	if len(body) != 24+8+4+12+6*8 || body[32:48] != "\x00\x00\x00\x80  blanks \x00\x00\x00" {
		t.Errorf("binary %q", body)
	}
	s.Set(func(o *hapitest.Options) { o.BareJSON = true })
	_, _, body = get(t, http.MethodGet, s.URL+query+"json")
	var rows [][]any
	if err := json.Unmarshal([]byte(body), &rows); err != nil || len(rows) != 1 || len(rows[0]) != 5 {
		t.Fatalf("json %q: %v", body, err)
	}
	if m := rows[0][4].([]any); len(m) != 2 || len(m[0].([]any)) != 3 {
		t.Errorf("the matrix is %v", m)
	}
}

func TestATrailingSlashIsRedirected(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	status, location, _ := get(t, http.MethodGet, s.URL+"/info/?dataset=minutes")
	if status != "301 Moved Permanently" || location != "/hapi/info?dataset=minutes" {
		t.Errorf("%s to %q", status, location)
	}
}

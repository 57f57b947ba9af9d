package hapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapitest"
)

// refusing answers everything but the capabilities and the header of a dataset with
// one status, reason and body.
func refusing(t *testing.T, status string, body string) *hapi.Client {
	t.Helper()
	inner := hapitest.NewServer(nil)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/data") {
			inner.ServeHTTP(w, r)
			return
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n" + body)
		rw.Flush()
	}))
	t.Cleanup(h.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return hapi.New(h.URL+"/hapi", &hapi.Options{HTTP: &http.Client{Transport: tr}, Sleep: noWait})
}

func TestCodesAreFoundWhereverTheyAre(t *testing.T) {
	t.Parallel()
	const page = "<html>error</html>"
	for _, c := range []struct {
		status, body string
		code         int
		message      string
	}{
		{"400 HAPI error 1405: time outside valid range", page, 1405, "time outside valid range"},
		{"400 HAPI 1403 - bad stop", page, 1403, "bad stop"},
		{"404 1407 Not Found; unknown parameter", page, 1407, "Not Found; unknown parameter"},
		{"400 Bad Request", `{"HAPI":"2.0","status":{"code":1402,"message":"Bad request - error in start time"}}`, 1402, "Bad request - error in start time"},
		{"400 HAPI error 1400: other", `{"HAPI":"2.0","status":{"code":"1404","message":"HAPI error 1404: start\nafter stop."}}`, 1404, "start after stop"},
		{"400 Bad Request", `{"status":{"code":1411}}`, 1411, "parameters out of order or duplicate"},
		{"200 HAPI error 1405", "", 1405, "time outside the valid range"},
		{"200 OK", `{"HAPI":"2.0","status":{"code":1405,"message":"outside"}}`, 1405, "outside"},
		{"500 Internal Server Error", `{"HAPI":"3.0","status":{"code":1500,"message":"HAPI error 1500: broken"}}`, 1500, "broken"},
		{"500 HAPI error 1501: upstream request error", page, 1501, "upstream request error"},
	} {
		_, err := refusing(t, c.status, c.body).Fetch(t.Context(), ask(t, "minutes", "2023-01-02", "2023-01-03"))
		refused, ok := errors.AsType[*hapi.Error](err)
		if !ok || refused.Status != (hapi.Status{Code: c.code, Message: c.message}) {
			t.Errorf("%s, %s: %v, want code %d and %q", c.status, c.body, err, c.code, c.message)
			continue
		}
		if strings.ContainsAny(err.Error(), "\n<") {
			t.Errorf("%q is not one clear sentence", err)
		}
	}
	for _, c := range []struct{ status, body string }{
		{"404 Not Found", page}, {"403 Forbidden", "no"}, {"400 Bad Request", `{"error":"x"}`}, {"200 OK", page}, {"200 OK", `{"something":"else"}`},
	} {
		if r, err := refusing(t, c.status, c.body).Fetch(t.Context(), ask(t, "minutes", "2023-01-02", "2023-01-03")); err == nil {
			t.Errorf("%s, %s: %d records and no error", c.status, c.body, r.Len())
		}
	}
	for _, status := range []string{"204 No Content", "200 HAPI 1201: No data in interval", "200 OK - HAPI 1201 no data", "404 HAPI 1201: no data"} {
		if r, err := refusing(t, status, "").Fetch(t.Context(), ask(t, "minutes", "2023-01-02", "2023-01-03")); err != nil || r.Len() != 0 {
			t.Errorf("%s: %v, %v, want no records", status, r, err)
		}
	}
}

func TestAnErrorInTheMiddleOfDataIsNoEnd(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{Trailer: `{"HAPI":"3.3","status":{"code":1500,"message":"Internal server error"}}` + "\n"})
	for _, format := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
		q := ask(t, "minutes", "2023-01-02", "2023-01-03")
		q.Format = format
		_, err := newClient(t, s, hapi.Options{}).Fetch(t.Context(), q)
		if _, bad := errors.AsType[*hapi.StreamError](err); !bad {
			t.Errorf("%s: %v, want a StreamError", format, err)
		}
	}
}

func TestAServiceThatHasMoved(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.URL+strings.TrimPrefix(r.URL.Path, "/old")+"/?"+r.URL.RawQuery, http.StatusMovedPermanently)
	}))
	t.Cleanup(old.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	c := hapi.New(old.URL+"/old/", &hapi.Options{HTTP: &http.Client{Transport: tr}})
	if r := fetch(t, c, ask(t, "minutes", "2023-01-02", "2023-01-02T01")); r.Len() != 60 {
		t.Errorf("%d records", r.Len())
	}
}

func TestAServerWithoutCapabilitiesIsAskedInTheOldWords(t *testing.T) {
	t.Parallel()
	inner := hapitest.NewServer(&hapitest.Options{Version: "2.0"})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/capabilities") {
			http.NotFound(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	c := hapi.New(h.URL+"/hapi", &hapi.Options{HTTP: &http.Client{Transport: tr}})
	if r := fetch(t, c, ask(t, "minutes", "2023-01-02", "2023-01-02T01")); r.Len() != 60 {
		t.Errorf("%d records", r.Len())
	}
	if got := inner.Data()[0].Query.Get("format"); got != "csv" {
		t.Errorf("it was asked for %s", got)
	}
}

func TestALeapSecond(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	r := fetch(t, newClient(t, s, hapi.Options{Cache: newCache(t)}), ask(t, "minutes", "2020-12-31T23:58", "2021-01-01T00:02"))
	if r.Len() != 4 {
		t.Errorf("%d records", r.Len())
	}
	_, err := newClient(t, s, hapi.Options{}).Fetch(t.Context(), ask(t, "minutes", "2016-12-31T23:59:60", "2017-01-01"))
	if _, outside := errors.AsType[*hapi.WindowError](err); !outside || !strings.Contains(err.Error(), "2016-12-31T23:59:60Z") {
		t.Error(err)
	}
}

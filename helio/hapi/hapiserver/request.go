package hapiserver

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/tt"
)

// fields reads the query of a request, whose names must be among the allowed ones and
// may come once.
func fields(r *http.Request, allowed ...string) (map[string]string, *refusal) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(1400, "the query is not well-formed")
	}
	out := map[string]string{}
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names) // so that the same request always gets the same answer
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			return nil, refuse(1401, "there is no field %.60q here; there are %s", name, strings.Join(allowed, ", "))
		}
		if len(query[name]) > 1 {
			return nil, refuse(1400, "%s is given %d times", name, len(query[name]))
		}
		out[name] = query[name][0]
	}
	return out, nil
}

// either returns the value of a field that has an old and a new name.
func either(f map[string]string, now, old string) (value string, given bool, e *refusal) {
	a, hasNow := f[now]
	b, hasOld := f[old]
	if hasNow && hasOld {
		return "", true, refuse(1400, "%s and %s are one field, and both are given", now, old)
	}
	if hasOld {
		return b, true, nil
	}
	return a, hasNow, nil
}

// dataset returns the dataset that a request asks about.
func (s *Server) dataset(f map[string]string) (*dataset, *refusal) {
	id, given, e := either(f, "dataset", "id")
	if e != nil {
		return nil, e
	}
	if !given {
		return nil, refuse(1400, "the field dataset is missing")
	}
	d, ok := s.byID[id]
	if !ok {
		return nil, refuse(1406, "%.80q", id)
	}
	return d, nil
}

// selected returns the header for the parameters of a request.
func (d *dataset) selected(f map[string]string) (*hapi.Info, *refusal) {
	text, given := f["parameters"]
	if !given || text == "" {
		return d.info, nil
	}
	names := strings.Split(text, ",")
	last := -1
	for _, name := range names {
		i := slices.IndexFunc(d.info.Parameters, func(p hapi.Parameter) bool { return p.Name == name })
		if i < 0 {
			return nil, refuse(1407, "%.80q", name)
		}
		if i <= last {
			return nil, refuse(1411, "%.80q comes again or too late; the order is that of info", name)
		}
		last = i
	}
	in, err := d.info.Select(names...)
	if err != nil { // all of them are there
		return nil, refuse(1500, "")
	}
	return in, nil
}

// references checks resolve_references, which changes nothing: headers have none.
func references(f map[string]string) *refusal {
	if v, given := f["resolve_references"]; given && v != "true" && v != "false" {
		return refuse(1412, "%.40q is neither true nor false", v)
	}
	return nil
}

// timeForm is how the specification writes times, which may be cut from the right.
var timeForm = regexp.MustCompile(`^\d{4}(-\d{3}|-\d{2}(-\d{2})?)?(T\d{2}(:\d{2}(:\d{2}(\.\d{0,12})?)?)?)?Z?$`)

func parseTime(text string) (tt.Time, bool) {
	if !timeForm.MatchString(text) {
		return tt.Fill, false
	}
	// "12:00:00." is allowed, and no time for tt.
	text = strings.Replace(text, ".Z", "Z", 1)
	t, err := tt.Parse(strings.TrimSuffix(text, "."))
	return t, err == nil
}

// window reads the window of a request.
func (d *dataset) window(f map[string]string) (start, stop tt.Time, e *refusal) {
	from, given, e := either(f, "start", "time.min")
	if e != nil {
		return 0, 0, e
	}
	var ok bool
	if start, ok = parseTime(from); !ok {
		if !given {
			return 0, 0, refuse(1402, "it is missing")
		}
		return 0, 0, refuse(1402, "%.60q is no time like 2023-01-02T03:04:05Z", from)
	}
	to, given, e := either(f, "stop", "time.max")
	if e != nil {
		return 0, 0, e
	}
	if stop, ok = parseTime(to); !ok {
		if !given {
			return 0, 0, refuse(1403, "it is missing")
		}
		return 0, 0, refuse(1403, "%.60q is no time like 2023-01-02T03:04:05Z", to)
	}
	switch {
	case start >= stop:
		return 0, 0, refuse(1404, "")
	case stop <= d.info.StartDate || start >= d.info.StopDate:
		return 0, 0, refuse(1405, "the data are from %v to %v", d.info.StartDate, d.info.StopDate)
	}
	return start, stop, nil
}

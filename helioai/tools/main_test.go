package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/tool"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	if dir := os.Getenv(fetchIn); dir != "" {
		os.Exit(fetchAll(dir, os.Args[1]))
	}
	os.Exit(m.Run())
}

var openSandbox = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), nil)
})

// session is one session's tools over an archive.
type session struct {
	*tools.Env
	t *testing.T
}

// newSession makes a session over the demonstration data, without a sandbox.
func newSession(t *testing.T, arch archive.Archive) *session {
	t.Helper()
	if arch == nil {
		var err error
		if arch, err = demo.Archive(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	book, err := ledger.Open(filepath.Join(dir, "data", "provenance.json"))
	if err != nil {
		t.Fatal(err)
	}
	return &session{&tools.Env{
		User: "cli", Session: "s", Dir: dir, Archive: arch, Ledger: book,
		Clock: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
	}, t}
}

// sandboxed gives the session a sandbox.
func (s *session) sandboxed() *session {
	s.t.Helper()
	box, err := openSandbox()
	testdata.Need(s.t, "a sandbox for Python", err)
	s.Sandbox = box
	return s
}

// result is what a call gave.
type result struct {
	tool.Result
	text string
	out  map[string]any // the text as JSON, when it is an object
	data tools.Data
}

// str, number and list look into the object that the model was given; what is
// not there, or is something else, is empty.
func (r result) str(key string) string {
	s, _ := r.out[key].(string)
	return s
}

func (r result) number(key string) float64 {
	v, ok := r.out[key].(float64)
	if !ok {
		return math.NaN()
	}
	return v
}

func (r result) list(key string) []result {
	items, _ := r.out[key].([]any)
	out := make([]result, len(items))
	for i := range items {
		out[i].out, _ = items[i].(map[string]any)
	}
	return out
}

func (s *session) tool(name string) tool.Tool {
	s.t.Helper()
	for _, t := range tools.All(s.Env) {
		if t.Spec.Name == name {
			return t
		}
	}
	s.t.Fatalf("there is no tool %s", name)
	return tool.Tool{}
}

// try calls a tool as the pipeline does: arguments are checked first.
func (s *session) try(name string, args any) (result, error) {
	s.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		s.t.Fatal(err)
	}
	t := s.tool(name)
	checked, err := t.Check(raw)
	if err != nil {
		return result{}, err
	}
	ctx := tool.WithCall(s.t.Context(), &tool.Call{ID: "call-1", Name: name})
	r, err := t.Run(ctx, checked)
	if err != nil {
		return result{}, err
	}
	out := result{Result: r}
	for _, p := range r.Parts {
		out.text += p.Text
	}
	_ = json.Unmarshal([]byte(out.text), &out.out)
	if len(r.Data) > 0 {
		_ = json.Unmarshal(r.Data, &out.data)
	}
	return out, nil
}

// call is try for calls that must succeed.
func (s *session) call(name string, args any) result {
	s.t.Helper()
	r, err := s.try(name, args)
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	if r.IsError {
		s.t.Fatalf("%s: %s", name, r.text)
	}
	return r
}

// refused is try for calls that must fail, with their sentence.
func (s *session) refused(name string, args any) string {
	s.t.Helper()
	r, err := s.try(name, args)
	if err != nil {
		return err.Error()
	}
	if !r.IsError {
		s.t.Fatalf("%s was not refused: %s", name, r.text)
	}
	return r.str("error")
}

// entry returns the newest ledger entry of a name.
func (s *session) entry(name string) ledger.Entry {
	s.t.Helper()
	e, ok := s.Ledger.Latest(name)
	if !ok {
		s.t.Fatalf("the ledger has no %s", name)
	}
	return e
}

// files lists the session's folder.
func (s *session) files() string {
	s.t.Helper()
	var names []string
	err := filepath.WalkDir(s.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(s.Dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(names, " ")
}

type args = map[string]any

// shelf is an archive of series made by a test.
type shelf struct {
	series  []*series.Series
	fetched int
	mu      sync.Mutex
}

func (a *shelf) Name() string { return "made up" }

func (a *shelf) Inventory(context.Context) ([]archive.Dataset, error) {
	d := archive.Dataset{ID: "x", Mission: "X", Start: tt.Fill, Stop: tt.Fill}
	for _, s := range a.series {
		p := archive.Parameter{ID: s.ID, Dataset: "x", Name: s.Name, Units: s.Units, Columns: s.Columns, Role: "data", Start: tt.Fill, Stop: tt.Fill, Records: s.Len()}
		if s.Len() > 0 {
			p.Start, p.Stop = s.Time[0], s.Time[s.Len()-1]
		}
		d.Parameters = append(d.Parameters, p)
	}
	return []archive.Dataset{d}, nil
}

func (a *shelf) Describe(ctx context.Context, dataset string) (*archive.Dataset, error) {
	all, err := a.Inventory(ctx)
	if err != nil || dataset != "x" {
		return nil, errors.Join(err, &archive.UnknownError{ID: dataset})
	}
	return &all[0], nil
}

func (a *shelf) Fetch(_ context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	a.mu.Lock()
	a.fetched++
	a.mu.Unlock()
	for _, s := range a.series {
		if s.ID == id {
			return s.Window(start, stop), nil
		}
	}
	return nil, &archive.UnknownError{ID: id, Nearest: []string{"local/x/B"}}
}

// made makes a series of one value a minute from 2023-01-02 on.
func made(name string, width int, values ...float64) *series.Series {
	s := &series.Series{ID: "local/x/" + name, Name: name, Units: "nT", Values: values}
	start, _ := tt.Parse("2023-01-02T00:00:00Z")
	for i := range len(values) / width {
		s.Time = append(s.Time, start+tt.Time(i)*tt.Time(time.Minute))
	}
	for i := range width {
		label := name
		if width > 1 {
			label = name + string("xyzuvw"[i%6])
		}
		s.Columns = append(s.Columns, label)
	}
	if width > 1 {
		s.Dims = []int{width}
	}
	s.Meta = series.Meta{Dataset: "x", Mission: "X", Source: "x.cdf", SHA256: strings.Repeat("ab", 32)}
	return s
}

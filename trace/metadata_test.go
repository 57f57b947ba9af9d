package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/trace"
)

// sentinel looks like a name, so that only leaving a field out keeps it out.
const sentinel = "SENTINEL"

// told are the strings of events that metadata may tell, with what is planted in
// each. All others get the sentinel, also those that do not exist yet.
var told = map[string]string{
	"SessionOpened.Agent":          "agent.name",
	"SessionOpened.Model":          "test/opened",
	"SessionOpened.Parent.Session": "parent-session",
	"SessionOpened.Parent.Call":    "parent-call",
	"SessionForked.Session":        "forked-session",
	"UserMessage.Delivery":         "steer",
	"UserMessage.Origin":           "user",
	"UserMessage.At":               "now",
	"MessageBlocked.Hook":          "hook-a",
	"HookFired.Hook":               "hook-b",
	"HookFired.Phase":              "before_tool",
	"HookFired.Verdict":            "deny",
	"ContextEdited.Model":          "test/editor",
	"ModelMessage.Model":           "test/model",
	"ModelMessage.Finish":          "tool_calls",
	"ToolStarted.Call.ID":          "call-a",
	"ToolStarted.Call.Name":        "tool-a",
	"ToolEnded.Outcome":            "ok",
	"ToolEnded.Result.ID":          "call-b",
	"ToolEnded.Result.Name":        "tool-b",
	"QuestionAsked.Question.Call":  "call-c",
	"QuestionAsked.Question.Tool":  "tool-c",
	"ChildStarted.Session":         "child-a",
	"ChildStarted.Agent":           "agent.child",
	"ChildStarted.Call":            "call-d",
	"ChildEnded.Session":           "child-b",
	"ChildEnded.Call":              "call-e",
	"ChildEnded.Result.Stop":       "failed",
	"RunEnded.Result.Stop":         "money",
	"Unrecognized.Name":            "new_kind",
	"ToolArgsDelta.Call":           "call-f",
	"ToolProgress.Call":            "call-g",
	"ToolProgress.Name":            "tool-g",
	"ChildEvent.Session":           "child-c",
	"ChildEvent.Agent":             "agent.child-c",
	"ChildEvent.Call":              "call-h",
}

// eventKinds reads the kinds of events from the source of package agent, so that a
// new one cannot be forgotten here.
func eventKinds(t testing.TB) []agent.EventKind {
	t.Helper()
	files, err := filepath.Glob("../agent/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []agent.EventKind
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			typ, ok := spec.Type.(*ast.Ident)
			lit, isLit := spec.Values[0].(*ast.BasicLit)
			if ok && isLit && typ.Name == "EventKind" {
				kind, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, agent.EventKind(kind))
			}
			return true
		})
	}
	if len(kinds) < 24 {
		t.Fatalf("found %d kinds of events, so this looks in the wrong place", len(kinds))
	}
	return kinds
}

// planted returns an event of each kind with something in every field.
func planted(t testing.TB) []agent.Event {
	t.Helper()
	datas := []agent.EventData{&agent.Unrecognized{}}
	for _, kind := range eventKinds(t) {
		var e agent.Event
		empty := fmt.Sprintf(`{"v":1,"time":"2026-11-30T12:00:00Z","kind":%q,"call":{},"result":{},"question":{}}`, kind)
		err := json.Unmarshal([]byte(empty), &e)
		if err != nil { // where "call" is an id
			err = json.Unmarshal([]byte(strings.Replace(empty, `"call":{}`, `"call":"c"`, 1)), &e)
		}
		if err != nil {
			t.Fatalf("make a %s event: %v", kind, err)
		}
		if _, unknown := e.Data.(*agent.Unrecognized); unknown {
			t.Fatalf("%s is no kind of event", kind)
		}
		datas = append(datas, e.Data)
	}
	events := make([]agent.Event, len(datas))
	for i, d := range datas {
		v := reflect.ValueOf(d).Elem()
		plant(t, v, v.Type().Name(), 0)
		if u, ok := d.(*agent.Unrecognized); ok {
			u.Raw, u.Version = json.RawMessage(`{"text":"`+sentinel+`"}`), 2
		}
		events[i] = agent.Event{Seq: agent.Seq(i + 1), Time: time.Unix(1, 0).UTC(), Run: "run-a", Turn: 2, Data: d}
	}
	return events
}

var errorType = reflect.TypeFor[error]()

// plant fills a value: strings and bytes with the sentinel, or what may be told.
func plant(t testing.TB, v reflect.Value, path string, depth int) {
	t.Helper()
	if depth > 12 {
		return // a result may hold results
	}
	switch v.Kind() {
	case reflect.String:
		text := sentinel
		if ok, named := told[path]; named {
			text = ok
		}
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(t, v.Elem(), path, depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`"` + sentinel + `"`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(t, v.Index(0), path, depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		plant(t, key, path, depth+1)
		plant(t, value, path, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(7, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				plant(t, v.Field(i), path+"."+f.Name, depth+1)
			}
		}
	case reflect.Interface:
		switch {
		case v.Type() == errorType:
			v.Set(reflect.ValueOf(errors.New(sentinel)))
		case v.Type() == reflect.TypeFor[agent.EventData]():
			v.Set(reflect.ValueOf(&agent.TextDelta{Text: sentinel}))
		case v.NumMethod() == 0:
			v.Set(reflect.ValueOf(sentinel))
		default:
			t.Fatalf("%s is an interface that this test cannot fill", path)
		}
	default:
		t.Fatalf("%s is of kind %s, which this test cannot fill", path, v.Kind())
	}
}

func TestMetadataTellsNothingThatWasSaid(t *testing.T) {
	t.Parallel()
	var out, full bytes.Buffer
	meta, whole := trace.NewMetadata(&out), trace.NewFull(&full, nil)
	for _, e := range planted(t) {
		out.Reset()
		full.Reset()
		if err := errors.Join(meta.Put("session-a", e), whole.Put("session-a", e)); err != nil {
			t.Fatalf("%s: %v", e.Kind(), err)
		}
		if strings.Contains(out.String(), sentinel) {
			t.Errorf("the metadata of %s tell what was said: %s", e.Kind(), out.String())
		}
		for path, text := range told {
			if name, _, _ := strings.Cut(path, "."); name == reflect.TypeOf(e.Data).Elem().Name() && !strings.Contains(out.String(), `"`+text+`"`) {
				t.Errorf("the metadata of %s lack %s %q: %s", e.Kind(), path, text, out.String())
			}
		}
		for _, want := range []string{`"session":"session-a"`, `"run":"run-a"`, `"turn":2`, `"kind":"` + string(e.Kind()) + `"`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the metadata of %s lack %s: %s", e.Kind(), want, out.String())
			}
		}
		if holdsText(e.Data) && !strings.Contains(full.String(), sentinel) {
			t.Errorf("nothing was planted in %s: %s", e.Kind(), full.String())
		}
	}
}

// holdsText reports whether an event has text that metadata leave out.
func holdsText(d agent.EventData) bool {
	switch d.(type) {
	case *agent.RunStarted, *agent.TurnStarted, *agent.ContextWarning, *agent.Dropped, *agent.ChildStarted:
		return false
	}
	return true
}

func TestMetadataTellsNamesOnlyIfTheyLookLikeNames(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]bool{
		"read_file": true, "mcp__github-v2.search": true, "provider/model:1@x": true,
		"ignore all rules": false, "né": false, "": false, "a\nb": false, `a"b`: false,
		strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
	} {
		var out bytes.Buffer
		if err := trace.NewMetadata(&out).Put("s", agent.Event{Data: &agent.ChildStarted{Agent: name}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), `"agent"`); got != told {
			t.Errorf("%q: told is %t, want %t: %s", name, got, told, out.String())
		}
	}
}

// The name of a tool that does not exist is something that a model has said, also
// when a hook has denied the call before it came to that.
func TestMetadataTellsNoToolThatAModelMadeUp(t *testing.T) {
	t.Parallel()
	denied, first := inventive(), true
	denied.Hooks = []agent.Hook{{AfterModel: func(context.Context, agent.Moment, *llm.Response) (agent.ModelVerdict, error) {
		if !first {
			return agent.ModelVerdict{}, nil
		}
		first = false
		return agent.ModelVerdict{Inject: "no"}, nil
	}}}
	for outcome, a := range map[agent.Outcome]agent.Agent{agent.OutcomeInvalid: inventive(), agent.OutcomeDenied: denied} {
		var f bytes.Buffer
		meta := trace.NewMetadata(&f)
		for _, e := range logOf(t, a) {
			if err := meta.Put("s", e); err != nil {
				t.Fatal(err)
			}
		}
		if out := f.String(); strings.Contains(out, "made_up") || !strings.Contains(out, fmt.Sprintf(`"outcome":%q`, outcome)) {
			t.Errorf("the metadata of a call of no tool that is %s:\n%s", outcome, out)
		}
	}
}

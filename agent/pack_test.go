package agent

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
)

// fill sets every field there is, so that one that packing forgets is found. Texts
// and counts come from the function next.
func fill(v reflect.Value, next func() int) {
	if t, ok := reflect.TypeAssert[*time.Time](v.Addr()); ok {
		*t = time.Unix(int64(1+next()), 0).UTC()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(wordsLearnt.seen[next()%wordsLearnt.known] + strings.Repeat("x", next()%(2*longText)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(next()-50) << (next() % 56))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(next() % 256))
	case reflect.Float64:
		v.SetFloat(float64(next()))
	case reflect.Bool:
		v.SetBool(next()%4 > 0)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), next()%3, 4))
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*llm.ToolResult]() && next()%2 > 0 {
			return // results hold parts, which hold results
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, next)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range next() % 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, next)
			fill(value, next)
			v.SetMapIndex(key, value)
		}
	case reflect.Interface: // an error, which no packed value has
	default:
		panic(fmt.Sprintf("packing knows no %s", v.Type()))
	}
}

func blank(kind EventKind) EventData {
	d := newData(kind)
	switch d := d.(type) { // what a log never lacks
	case *ToolStarted:
		d.Call = new(llm.ToolCall)
	case *ToolEnded:
		d.Result = new(llm.ToolResult)
	case *RunEnded:
		d.Result = new(Result)
	}
	return d
}

func TestPackedLogsComeBackEqual(t *testing.T) {
	t.Parallel()
	kinds := append([]EventKind{KindCustom, KindQuestionAsked, KindContextEdited}, packedKinds[:]...)
	rapid.Check(t, func(t *rapid.T) {
		next := func() int { return rapid.IntRange(0, 1000).Draw(t, "n") }
		var records []record
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			r := record{nanos: int64(next()) * 1e9, turn: next(), run: []string{"", "run", "other"}[next()%3]}
			r.data = blank(rapid.SampledFrom(kinds).Draw(t, "kind"))
			if next()%5 > 0 {
				fill(reflect.ValueOf(r.data).Elem(), next)
			}
			if e, ok := r.data.(*RunEnded); ok && next()%2 > 0 {
				e.Result.Question = nil
			}
			if e, ok := r.data.(*RunEnded); ok && next()%4 == 0 {
				e.Result.Err = &StopError{Stop: StopFailed, Err: ErrClosed}
			}
			records = append(records, r)
		}
		p := packLog("session", 5, records)
		if back := p.unpack("session"); len(back) != len(records) || len(back) > 0 && !reflect.DeepEqual(back, records) {
			t.Fatalf("%s\nwant %s", show(back), show(records))
		}
	})
}

func TestAPackedMemoryComesBackEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		next := func() int { return rapid.IntRange(0, 1000).Draw(t, "n") }
		var history []llm.Message
		fill(reflect.ValueOf(&history).Elem(), next)
		var last *Result
		if next()%4 > 0 {
			fill(reflect.ValueOf(&last).Elem(), next)
			if next()%2 > 0 {
				last.Question = nil
			}
		}
		gotHistory, gotLast := unpackMemory("session", packMemory("session", history, last))
		if len(gotHistory) != len(history) || len(history) > 0 && !reflect.DeepEqual(gotHistory, history) {
			t.Fatalf("%s\nwant %s", show(gotHistory), show(history))
		}
		if !equal(gotLast, last) {
			t.Fatalf("%s\nwant %s", show(gotLast), show(last))
		}
	})
}

func TestWhatAStoreKnowsComesBackEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		next := func() int { return rapid.IntRange(0, 1000).Draw(t, "n") }
		var info SessionInfo
		fill(reflect.ValueOf(&info).Elem(), next)
		info.User = strings.Repeat("long", 100)
		if next()%2 > 0 {
			info.Until = time.Time{}
		}
		if back := unpackInfo(info.ID, packInfo(&info)); !reflect.DeepEqual(*back, info) {
			t.Fatalf("%s\nwant %s", show(back), show(info))
		}
	})
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

func show(v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(text)
}

func TestALongTextIsNotCopiedWhenItIsPacked(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 10_000)
	records := []record{
		{data: &UserMessage{Message: llm.User(long)}},
		{data: &ModelMessage{Message: llm.Assistant(long)}},
	}
	if p := packLog("s", 1, records); len(p.bytes) > 200 {
		t.Errorf("%d bytes, want a few", len(p.bytes))
	}
}

func BenchmarkRest(b *testing.B) {
	run := []record{
		{data: &UserMessage{Message: llm.User("Is it warm?"), Delivery: Queue, Origin: OriginUser}},
		{run: "r", data: &RunStarted{Left: Left{Turns: 100, ToolCalls: 1000, Wall: time.Hour}}},
		{run: "r", turn: 1, data: &TurnStarted{Took: []Seq{2}, Left: Left{Turns: 100, ToolCalls: 1000, Wall: time.Hour}}},
		{run: "r", turn: 1, data: &ModelMessage{Model: "test/lean", Message: llm.Assistant("It is 22 C.")}},
		{run: "r", turn: 1, data: &RunEnded{Result: &Result{Session: "s", Run: "r", Text: "It is 22 C.", Stop: StopDone}}},
	}
	b.ReportAllocs()
	for b.Loop() {
		p := packLog("s", 2, run)
		p.unpack("s")
	}
}

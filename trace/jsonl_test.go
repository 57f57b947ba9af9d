package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/trace"
)

func custom(i int) agent.Event {
	return agent.Event{Seq: agent.Seq(i), Time: at(0), Data: &agent.Custom{Name: "n", Data: json.RawMessage(fmt.Sprintf(`{"i":%d}`, i))}}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestFullFilesGiveBackEqualEvents(t *testing.T) {
	t.Parallel()
	events := append(planted(t), logOf(t, inventive())...)
	var b bytes.Buffer
	sink := trace.NewFull(&b, nil)
	for _, e := range events {
		if err := sink.Put("a session", e); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	for rec, err := range trace.ReadJSONL(&b) {
		if err != nil {
			t.Fatal(err)
		}
		want, got := asJSON(t, events[i]), asJSON(t, rec.Event)
		if want != got || rec.Session != "a session" {
			t.Errorf("read back: %s\nwritten:   %s", got, want)
		}
		if u, ok := events[i].Data.(*agent.Custom); ok && !reflect.DeepEqual(u, rec.Event.Data) {
			t.Errorf("read back: %+v, written: %+v", rec.Event.Data, u)
		}
		i++
	}
	if i != len(events) {
		t.Errorf("read %d events, want %d", i, len(events))
	}
}

func asJSON(t *testing.T, e agent.Event) string {
	t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestManyGoroutinesWriteWholeLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	sink, err := trace.OpenFull(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	const writers, each = 16, 50
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				if err := sink.Put(fmt.Sprint(w), custom(i+1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := sink.Put("s", agent.Event{}); err == nil {
		t.Error("an event without data was written")
	}
	if err := errors.Join(sink.Close(), sink.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if err := sink.Put("s", custom(1)); !errors.Is(err, trace.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
	all := lines(t, path)
	if len(all) != writers*each {
		t.Errorf("%d lines, want %d", len(all), writers*each)
	}
	for _, line := range all {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
}

func TestOpeningAgainAppendsBehindTheLastWholeLine(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]string{
		"whole": "", "half": `{"session":"s","event":{"v":1,`, "long half": `{"session":"` + strings.Repeat("x", 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "events.jsonl")
			for i := range 2 {
				sink, err := trace.OpenFull(path, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(sink.Put("s", custom(i+1)), sink.Close()); err != nil {
					t.Fatal(err)
				}
				appendTo(t, path, tail)
			}
			all := lines(t, path)
			if tail != "" {
				all = all[:len(all)-1]
			}
			if len(all) != 2 || !json.Valid([]byte(all[0])) || !json.Valid([]byte(all[1])) {
				t.Errorf("%d lines, want 2: %.200q", len(all), all)
			}
		})
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreOpenedOnlyWhereTheyCanBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing", "events.jsonl"), dir} {
		if _, err := trace.OpenMetadata(path); err == nil || !strings.Contains(err.Error(), "open event file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// failing writes at most so many bytes, then fails as a full disk does.
type failing struct {
	bytes.Buffer

	room int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	f.Buffer.Write(p[:n])
	if n < len(p) {
		return n, f.err
	}
	return n, nil
}

func TestNothingIsWrittenBehindHalfALine(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]error{"full": errors.New("disk full"), "short": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &failing{room: 150, err: cause}
			sink := trace.NewFull(w, nil)
			if err := sink.Put("s", custom(1)); err != nil {
				t.Fatal(err)
			}
			want := cause
			if want == nil {
				want = io.ErrShortWrite
			}
			if err := sink.Put("s", custom(2)); !errors.Is(err, want) {
				t.Errorf("the write that fails: %v, want %v", err, want)
			}
			w.room = 1 << 20 // too late
			if err := sink.Put("s", custom(3)); !errors.Is(err, want) {
				t.Errorf("the write behind half a line: %v, want %v", err, want)
			}
			n := 0
			for rec, err := range trace.ReadJSONL(&w.Buffer) {
				if n++; n == 2 && !errors.Is(err, trace.ErrCut) || n == 1 && (err != nil || rec.Event.Seq != 1) || n > 2 {
					t.Errorf("line %d: %+v, %v", n, rec, err)
				}
			}
		})
	}
}

// A write of which nothing arrived leaves no half line, so the next one may do.
func TestAWriteThatFailsWholeIsForgotten(t *testing.T) {
	t.Parallel()
	w := &failing{err: errors.New("busy")}
	sink := trace.NewMetadata(w)
	if err := sink.Put("s", custom(1)); !errors.Is(err, w.err) {
		t.Errorf("got %v, want %v", err, w.err)
	}
	w.room = 1 << 20
	if err := sink.Put("s", custom(2)); err != nil {
		t.Error(err)
	}
	if got := strings.Count(w.String(), "\n"); got != 1 {
		t.Errorf("%d lines, want 1: %s", got, w.String())
	}
}

func TestFullFilesKeepNoSecret(t *testing.T) {
	t.Parallel()
	var secrets secret.Registry
	if err := secrets.Register("KEY", `k-<1234567>`, secret.Base64); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	sink := trace.NewFull(&b, &secrets)
	e := agent.Event{Seq: 1, Time: at(0), Data: &agent.Custom{Name: "k-<1234567>", Data: json.RawMessage(`{"a":"k-\u003c1234567>","b":"ay08MTIzNDU2Nz4="}`)}}
	if err := sink.Put("s", e); err != nil {
		t.Fatal(err)
	}
	for rec, err := range trace.ReadJSONL(bytes.NewReader(b.Bytes())) {
		if err != nil || rec.Event.Data.(*agent.Custom).Name != "<redacted:KEY>" {
			t.Errorf("read back: %+v, %v", rec.Event.Data, err)
		}
	}
	if out := b.String(); strings.Contains(out, "1234567") || strings.Contains(out, "MTIzNDU2") {
		t.Errorf("the secret is in %s", out)
	}
}

func TestMetadataFilesAreNoEventFiles(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := trace.NewMetadata(&b).Put("s", custom(1)); err != nil {
		t.Fatal(err)
	}
	for _, err := range trace.ReadJSONL(&b) {
		if err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("got %v, want an error that names the line", err)
		}
	}
}

func FuzzReadJSONL(f *testing.F) {
	var b bytes.Buffer
	sink := trace.NewFull(&b, nil)
	for _, e := range append(planted(f), handmade(childLog()...)...) {
		b.Reset() // short inputs are what a fuzzer changes well
		if err := sink.Put("s", e); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(b.Bytes()))
	}
	b.Reset()
	for _, e := range handmade(childLog()...) {
		if err := sink.Put("s", e); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(bytes.Clone(b.Bytes()))
	f.Add([]byte("\n{\"session\":\"s\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var fold trace.Fold
		var out bytes.Buffer
		again := trace.NewFull(&out, nil)
		n := 0
		for rec, err := range trace.ReadJSONL(bytes.NewReader(data)) {
			if err != nil {
				break
			}
			_ = fold.Put(rec.Session, rec.Event)
			if again.Put(rec.Session, rec.Event) == nil { // not all times can be written
				n++
			}
		}
		for _, run := range fold.Runs() {
			run.Total()
		}
		for _, err := range trace.ReadJSONL(&out) {
			if err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
			n--
		}
		if n != 0 {
			t.Errorf("%d lines are missing", n)
		}
	})
}

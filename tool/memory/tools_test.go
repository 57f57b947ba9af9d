package memory

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helios-go/helios/tool"
)

func TestToolsDoWhatTheNotesDo(t *testing.T) {
	t.Parallel()
	m := notes(t, nil)
	tools := Tools(m.root, nil)
	if len(tools) != 2 {
		t.Fatalf("got %d tools, want 2", len(tools))
	}
	read, write := tools[0], tools[1]
	if read.Spec.Name != "MemoryRead" || read.Effect != tool.ReadOnly || read.Kind != tool.KindRead || read.Err() != nil {
		t.Errorf("got %s, %v, %v, %v", read.Spec.Name, read.Effect, read.Kind, read.Err())
	}
	if write.Spec.Name != "MemoryWrite" || write.Effect != tool.Mutating || write.Kind != tool.KindWrite || write.Err() != nil {
		t.Errorf("got %s, %v, %v, %v", write.Spec.Name, write.Effect, write.Kind, write.Err())
	}
	for _, step := range []struct {
		tool tool.Tool
		args string
		want string // the text, or "!" and a part of the error
	}{
		{read, `{"path":"/memories/","list":true}`, "(empty)"},
		{write, `{"op":"create","path":"/memories/a//b.md","content":"one\ntwo\n"}`, "created /memories/a/b.md"},
		{write, `{"op":"create","path":"/memories/a/b.md","content":""}`, "!it is there already"},
		{write, `{"op":"str_replace","path":"/memories/a/b.md","old_string":"two","new_string":""}`, "changed /memories/a/b.md"},
		{write, `{"op":"insert","path":"/memories/a/b.md","line_number":3,"content":"end"}`, "changed /memories/a/b.md"},
		{read, `{"path":"/memories/a/b.md"}`, "one\n\nend\n"},
		{read, `{"path":"/memories","list":true}`, "/memories/a/b.md"},
		{write, `{"op":"insert","path":"/memories/a/b.md","content":"x"}`, "!line_number is missing"},
		{write, `{"op":"insert","path":"/memories/a/b.md","line_number":1}`, "!content is missing"},
		{write, `{"op":"insert","path":"/memories/a/b.md","line_number":9,"content":"x"}`, "!give 1 to 4"},
		{write, `{"op":"create","path":"/memories/c"}`, "!content is missing"},
		{write, `{"op":"str_replace","path":"/memories/a/b.md","new_string":""}`, "!old_string is missing"},
		{write, `{"op":"str_replace","path":"/memories/a/b.md","old_string":"x"}`, "!new_string is missing"},
		{write, `{"op":"str_replace","path":"/memories/a/b.md","old_string":"x","new_string":""}`, "!not in it"},
		{write, `{"op":"str_replace","path":"/memories/a/b.md","old_string":"n","new_string":""}`, "!more than once"},
		{write, `{"op":"str_replace","path":"/memories/a/b.md","old_string":"","new_string":""}`, "!old_string is empty"},
		{write, `{"op":"rename","path":"/memories/a/b.md"}`, "!op"},
		{write, `{"op":"create","path":"/etc/x","content":""}`, "!begins with /memories/"},
		{write, `{"op":"delete","path":"/memories/a"}`, "!it is a folder"},
		{write, `{"op":"delete","path":"/memories/a/b.md"}`, "deleted /memories/a/b.md"},
		{write, `{"op":"delete","path":"/memories/a/b.md"}`, "!there is no such note"},
		{read, `{"path":"/memories/a/b.md"}`, "!there is no such note"},
	} {
		got, err := call(t.Context(), step.tool, step.args)
		if part, fails := strings.CutPrefix(step.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %q, error %v, want an error with %q", step.args, got, err, part)
			}
		} else if got != step.want || err != nil {
			t.Errorf("%s: got %q, error %v, want %q", step.args, got, err, step.want)
		}
	}
}

func TestPermissionKeyIsTheCleanPath(t *testing.T) {
	t.Parallel()
	for _, tl := range Tools(notes(t, nil).root, &Options{Scope: PerUser}) {
		for path, want := range map[string]string{"/memories//x/../a": "/memories/a", "/memories/": "/memories", "/memories/a/b": "/memories/a/b"} {
			args, err := json.Marshal(map[string]string{"path": path})
			ok(t, err)
			if got, err := tl.Key(args); got != want || err != nil {
				t.Errorf("%s %s: got %q, error %v, want %q", tl.Spec.Name, path, got, err, want)
			}
		}
		if key, err := tl.Key(json.RawMessage(`{"path":"/memories/../x"}`)); err == nil {
			t.Errorf("%s: got key %q, want an error, which denies", tl.Spec.Name, key)
		}
	}
}

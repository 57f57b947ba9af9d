package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/workspace"
)

// Tools returns MemoryRead and MemoryWrite over the notes of a workspace, and
// MemoryRead alone where opts or the workspace say that it can only be read.
func Tools(root *workspace.Root, opts *Options) []tool.Tool { return New(root, opts).Tools() }

// Tools returns the tools of the notes.
func (m *Memory) Tools() []tool.Tool {
	if m.opts.ReadOnly {
		return []tool.Tool{m.Read()}
	}
	return []tool.Tool{m.Read(), m.Write()}
}

type readInput struct {
	Path string `json:"path"           jsonschema:"the note, as in /memories/ada.md, or with list a folder, as in /memories/"`
	List bool   `json:"list,omitempty" jsonschema:"list the paths of the notes in the folder instead of showing a note"`
}

// Read is the tool MemoryRead: it shows a note, or lists those in a folder. Its
// effect is ReadOnly, its kind KindRead.
func (m *Memory) Read() tool.Tool {
	return tool.New("MemoryRead", "Read a note from earlier sessions, or list the notes. Look at the list before you begin.",
		func(ctx context.Context, in readInput) (string, error) {
			if !in.List {
				return m.View(ctx, in.Path)
			}
			paths, err := m.List(ctx, in.Path)
			if err != nil {
				return "", err
			}
			if len(paths) == 0 {
				return "(empty)", nil
			}
			return strings.Join(paths, "\n"), nil
		},
		tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindRead), tool.WithKey(key))
}

type writeInput struct {
	Op      string  `json:"op"                    jsonschema:"create a note, str_replace or insert text in it, or delete it" enum:"create,str_replace,insert,delete"`
	Path    string  `json:"path"                  jsonschema:"the note, as in /memories/projects/ada.md"`
	Content *string `json:"content,omitempty"     jsonschema:"create: the text; insert: the lines"`
	Old     *string `json:"old_string,omitempty"  jsonschema:"str_replace: the text to replace, which must be there exactly once"`
	New     *string `json:"new_string,omitempty"  jsonschema:"str_replace: what replaces it, may be empty"`
	Line    *int    `json:"line_number,omitempty" jsonschema:"insert: the line, from 1, that the new lines come before; one more than there are is the end"`
}

// Write is the tool MemoryWrite: it makes, changes and removes notes. Its effect is
// Mutating, its kind KindWrite.
func (m *Memory) Write() tool.Tool {
	return tool.New("MemoryWrite", "Keep a note for later sessions, under /memories/. create does not overwrite.",
		m.write, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite), tool.WithKey(key))
}

func (m *Memory) write(ctx context.Context, in writeInput) (string, error) {
	missing := func(name string) (string, error) {
		return "", fmt.Errorf("%s %s: %s is missing", in.Op, in.Path, name)
	}
	clean, err := Clean(in.Path)
	if err != nil {
		return "", err
	}
	switch in.Op {
	case "create":
		if in.Content == nil {
			return missing("content")
		}
		return "created " + clean, m.Create(ctx, in.Path, *in.Content)
	case "str_replace":
		if in.Old == nil {
			return missing("old_string")
		}
		if in.New == nil {
			return missing("new_string")
		}
		return "changed " + clean, m.Replace(ctx, in.Path, *in.Old, *in.New)
	case "insert":
		if in.Line == nil {
			return missing("line_number")
		}
		if in.Content == nil {
			return missing("content")
		}
		return "changed " + clean, m.Insert(ctx, in.Path, *in.Line, *in.Content)
	case "delete":
		return "deleted " + clean, m.Delete(ctx, in.Path)
	}
	return "", errors.New("op is create, str_replace, insert or delete")
}

// key is the path as [Clean] spells it. Of a note there is no other spelling:
// what a file system takes for the same is refused.
func key(args json.RawMessage) (string, error) {
	var in struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return "", err
	}
	return Clean(in.Path)
}

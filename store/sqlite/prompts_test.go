package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/helios-go/helios/prompt"
	"github.com/helios-go/helios/prompt/prompttest"
	"github.com/helios-go/helios/store/sqlite"
	"pgregory.net/rapid"
)

func TestPrompts(t *testing.T) {
	t.Parallel()
	prompttest.TestRegistry(t, func(t *testing.T) prompt.Registry {
		return open(t, filepath.Join(t.TempDir(), "s.db")).Prompts()
	})
}

// TestPromptsDoWhatMemoryDoes drives both through the same random calls. They are
// few at a time, since each waits for the disk.
func TestPromptsDoWhatMemoryDoes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path, round := filepath.Join(t.TempDir(), "s.db"), 0
	st := open(t, path)
	rapid.Check(t, func(t *rapid.T) {
		if round++; round%10 == 0 {
			st.Close()
			var err error
			if st, err = sqlite.Open(path, nil); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprint("p", round)
		var memory prompt.Memory
		for range rapid.IntRange(1, 8).Draw(t, "calls") {
			call := randomCall(ctx, t, name)
			got, err := call(st.Prompts())
			want, wantErr := call(&memory)
			got.Created = want.Created
			if got != want || (err == nil) != (wantErr == nil) || err != nil && !errors.As(err, new(*prompt.UnknownError)) {
				t.Fatalf("got %+v, %v; want %+v, %v", got, err, want, wantErr)
			}
			if err := prompttest.Check(ctx, st.Prompts(), name); err != nil {
				t.Fatal(err)
			}
		}
	})
	st.Close()
}

func randomCall(ctx context.Context, t *rapid.T, name string) func(prompt.Registry) (prompt.Prompt, error) {
	content := rapid.StringN(1, 9, -1).Draw(t, "content")
	version := rapid.IntRange(-1, 5).Draw(t, "version")
	return []func(prompt.Registry) (prompt.Prompt, error){
		func(r prompt.Registry) (prompt.Prompt, error) { return r.Register(ctx, name, content) },
		func(r prompt.Registry) (prompt.Prompt, error) { return r.Draft(ctx, name, content) },
		func(r prompt.Registry) (prompt.Prompt, error) { return r.Activate(ctx, name, version) },
		func(r prompt.Registry) (prompt.Prompt, error) { return r.Resolve(ctx, name) },
		func(r prompt.Registry) (prompt.Prompt, error) { return r.Version(ctx, name, version) },
	}[rapid.IntRange(0, 4).Draw(t, "call")]
}

// TestProcessesRegisterPromptsTogether has several processes register and
// activate at the same time.
func TestProcessesRegisterPromptsTogether(t *testing.T) {
	t.Parallel()
	const processes = 4
	dir := t.TempDir()
	prompts := open(t, filepath.Join(dir, "s.db")).Prompts()
	workers := make([]*worker, processes)
	for i := range workers {
		workers[i] = start(t, "prompts", dir, "")
	}
	for _, w := range workers {
		if err := w.Wait(); err != nil {
			t.Errorf("a process: %v: %s", err, w.out.String())
		}
	}
	if err := prompttest.Check(t.Context(), prompts, "shared"); err != nil {
		t.Error(err)
	}
	all, err := prompts.Versions(t.Context(), "shared")
	if err != nil || len(all) != processes*promptsEach {
		t.Errorf("%d versions, %v; want %d", len(all), err, processes*promptsEach)
	}
	if _, err := prompts.Resolve(t.Context(), "shared"); err != nil {
		t.Error(err)
	}
}

const promptsEach = 25

// registerPrompts is what each process does.
func registerPrompts(dir string) error {
	st, err := sqlite.Open(filepath.Join(dir, "s.db"), nil)
	if err != nil {
		return err
	}
	defer st.Close()
	ctx := context.Background()
	last := 0
	for i := range promptsEach {
		p, err := st.Prompts().Register(ctx, "shared", fmt.Sprint("text ", i))
		if err == nil && p.Version <= last {
			err = fmt.Errorf("version %d after %d", p.Version, last)
		}
		if err == nil && i%5 == 4 {
			_, err = st.Prompts().Activate(ctx, "shared", p.Version-1)
		}
		if err != nil {
			return err
		}
		last = p.Version
	}
	return nil
}

// Prompts live in the file of the sessions.
func ExampleStore_Prompts() {
	withStore(func(store *sqlite.Store) error {
		ctx := context.Background()
		if _, err := store.Prompts().Register(ctx, "guide", "You guide {who}."); err != nil {
			return err
		}
		p, err := store.Prompts().Resolve(ctx, "guide")
		if err != nil {
			return err
		}
		fmt.Println(p.Version, p.Render(map[string]string{"who": "Ada"}))
		return nil
	})
	// Output: 1 You guide Ada.
}

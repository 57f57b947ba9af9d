package helioai

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/helioai/tools"
)

// What a program reports and what it leaves in its folder are both its own
// doing: neither may lead a reader, or a viewer, anywhere else.
func TestOnlyPlainFilesOfTheFolderAreFigures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.png")
	for _, path := range []string{secret, filepath.Join(dir, "fig_0_1.png"), filepath.Join(dir, "fig_0_1.pdf"), filepath.Join(dir, "fig_1_1.pdf")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(dir, "fig_1_1.png")); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "fig_2_1.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	store := agent.NewMemoryStore()
	figures := []python.Figure{
		{PNG: "fig_0_1.png", PDF: "fig_0_1.pdf"},
		{PNG: "fig_1_1.png", PDF: "fig_1_1.pdf"}, // a link, a file
		{PNG: "fig_2_1.png", PDF: "fig_2_1.pdf"}, // a folder, nothing
		{PNG: secret, PDF: "../" + filepath.Base(filepath.Dir(secret)) + "/secret.png"},
		{PNG: "..", PDF: ""},
	}
	asked := post(t, store, &agent.UserMessage{})
	post(t, store, ended(t, tools.Data{Tool: "run_python", Figures: figures}))

	a := &Assistant{Store: store}
	got, err := a.figures(t.Context(), &place{id: "s", dir: dir}, asked)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "fig_0_1.png"), filepath.Join(dir, "fig_0_1.pdf"), filepath.Join(dir, "fig_1_1.pdf")}
	if !slices.Equal(got, want) {
		t.Errorf("figures = %q, want %q", got, want)
	}
}

func TestFiguresOfEarlierQuestionsAreNotThisOnes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fig_0_1.png"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	store := agent.NewMemoryStore()
	post(t, store, ended(t, tools.Data{Tool: "run_python", Figures: []python.Figure{{PNG: "fig_0_1.png"}}}))
	asked := post(t, store, &agent.UserMessage{})
	a := &Assistant{Store: store}
	got, err := a.figures(t.Context(), &place{id: "s", dir: dir}, asked)
	if err != nil || got == nil || len(got) > 0 {
		t.Errorf("figures = %#v, %v; want an empty list", got, err)
	}
}

func TestFoldersAreRemovedOnlyWhereNothingIsInThem(t *testing.T) {
	t.Parallel()
	empty, full := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "full")
	for _, dir := range []string{empty, full} {
		if err := makeFolder(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(full, "code_0.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tidy(empty)
	tidy(full)
	if _, err := os.Stat(empty); !os.IsNotExist(err) {
		t.Errorf("the empty folder is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(full, "code_0.py")); err != nil {
		t.Error(err)
	}
}

func ended(t *testing.T, data tools.Data) *agent.ToolEnded {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return &agent.ToolEnded{Data: raw}
}

func post(t *testing.T, store agent.Store, data agent.EventData) agent.Seq {
	t.Helper()
	seq, err := store.Post(t.Context(), "s", []agent.Event{{Data: data}})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

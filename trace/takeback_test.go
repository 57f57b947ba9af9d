package trace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
)

// full is a file on a disk that has room for so many bytes more.
type full struct {
	*os.File

	room int
}

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if f.room >= len(p) {
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:f.room])
	return n, errors.Join(err, errFull)
}

// It is of this package to put a disk that is full under the file.
func TestAFileTakesBackHalfALine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j, err := OpenFull(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	put := func(i int) error {
		return j.Put("s", agent.Event{Seq: agent.Seq(i), Data: &agent.Dropped{N: i}})
	}
	if err := put(1); err != nil {
		t.Fatal(err)
	}
	disk := &full{j.file, 20}
	j.w = disk
	if err := put(2); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
	disk.room = 1 << 20
	if err := errors.Join(put(3), j.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var seqs []agent.Seq
	for rec, err := range ReadJSONL(f) {
		if err != nil {
			t.Error(err)
		}
		seqs = append(seqs, rec.Event.Seq)
	}
	if len(seqs) != 2 || seqs[0] != 1 || seqs[1] != 3 {
		t.Errorf("events %v, want 1 and 3", seqs)
	}
}

func TestAFileThatCannotTakeBackIsNotWrittenAnyMore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j, err := OpenMetadata(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	j.w, j.path = &full{j.file, 20}, filepath.Join(path, "missing")
	e := agent.Event{Seq: 1, Data: &agent.Dropped{N: 1}}
	first := j.Put("s", e)
	second := j.Put("s", e)
	if !errors.Is(first, errFull) || !errors.Is(second, errFull) || !strings.Contains(second.Error(), "cannot be taken back") {
		t.Errorf("got %v, then %v", first, second)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 20 {
		t.Errorf("the file: %v, %v", info, err)
	}
}

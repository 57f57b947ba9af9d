package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"github.com/helios-go/helios/helio/tt"
)

const manifestFile = dataDir + "/manifest.json"

// A manifest lists what is saved in the folder data, by name. Readers see the
// file whole: it is replaced, under a lock that holds between processes.
type manifest struct {
	Datasets map[string]*Dataset `json:"datasets"`
}

// manifestMutex orders the goroutines of this process; a file lock alone would
// not on every system.
var manifestMutex sync.Mutex

// updateManifest runs change on the manifest and writes it back.
func updateManifest(root *os.Root, change func(*manifest) error) error {
	manifestMutex.Lock()
	defer manifestMutex.Unlock()
	lock, err := root.OpenFile(dataDir+"/.lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("lock the list of data: %w", err)
	}
	defer lock.Close()
	if err := lockFile(lock); err != nil {
		return fmt.Errorf("lock the list of data: %w", err)
	}
	m, err := readManifest(root)
	if err != nil {
		return err
	}
	if err := change(m); err != nil {
		return err
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write the list of data: %w", err)
	}
	return replaceFile(root, manifestFile, append(data, '\n'))
}

// readManifest reads the list; none, or a damaged one, is empty: the data can
// be fetched again.
func readManifest(root *os.Root) (*manifest, error) {
	m := &manifest{}
	data, err := root.ReadFile(manifestFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the list of data: %w", err)
	}
	if err != nil || json.Unmarshal(data, m) != nil || m.Datasets == nil {
		m = &manifest{Datasets: map[string]*Dataset{}}
	}
	for name, d := range m.Datasets {
		if d == nil {
			delete(m.Datasets, name)
		}
	}
	return m, nil
}

// find returns the dataset that holds this parameter in this window, as the
// source with that checksum has it.
func (m *manifest) find(root *os.Root, id, sum string, start, stop *tt.Time) *Dataset {
	for _, d := range m.Datasets {
		if !d.holds(id, sum, start, stop) {
			continue
		}
		if info, err := root.Lstat(dataDir + "/" + d.File); err == nil && info.Mode().IsRegular() {
			return d
		}
	}
	return nil
}

// place chooses the name for a dataset: that of the same parameter, window and
// source, else the first free one of base, base_2, base_3. What an earlier state
// of the source gave keeps its name, for earlier answers rest on it.
func (m *manifest) place(base, id, sum string, start, stop *tt.Time) string {
	for name, d := range m.Datasets {
		if d.holds(id, sum, start, stop) {
			return name
		}
	}
	name := base
	for n := 2; m.Datasets[name] != nil; n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	return name
}

// holds reports whether this is that parameter in that window, as the source
// with that checksum has it; "" is a source of which nothing is known.
func (d *Dataset) holds(id, sum string, start, stop *tt.Time) bool {
	return d.ParamID == id && sameTime(d.AskedStart, start) && sameTime(d.AskedStop, stop) &&
		(sum == "" || d.SourceSHA256 == "" || d.SourceSHA256 == sum)
}

func sameTime(a, b *tt.Time) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// Collected is the archive behind a HAPI server whose datasets somebody has
// described in one file, so that listing all parameters takes no request. Data come
// from the server. It does not change and is safe for concurrent use.
type Collected struct {
	server   Archive
	datasets []Dataset
	place    map[string]int // of a dataset
}

var _ Archive = (*Collected)(nil)

// maxHeader is how long the line of one dataset may be.
const maxHeader = 64 << 20

// OpenCatalogue reads descriptions of the datasets of a provider: HAPI headers, one
// JSON object a line, each with the dataset's "id" and "title" in it, gzipped or not.
// Fetch asks server, and may be nil where only the list is wanted. The error names
// the line.
func OpenCatalogue(provider string, r io.Reader, server Archive) (*Collected, error) {
	in, err := plain(r)
	if err != nil {
		return nil, fmt.Errorf("open the catalogue of %s: %w", provider, err)
	}
	c := &Collected{server: server, place: map[string]int{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxHeader)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var of struct{ ID, Title string }
		err := json.Unmarshal(line, &of)
		if err == nil && of.ID == "" {
			err = errors.New("it has no id")
		}
		if _, twice := c.place[of.ID]; err == nil && twice {
			err = fmt.Errorf("there is a dataset %q already", of.ID)
		}
		var header *hapi.Info
		if err == nil {
			header, err = hapi.ParseInfo(line)
		}
		if err != nil {
			return nil, fmt.Errorf("open the catalogue of %s: line %d: %w", provider, n, err)
		}
		c.place[of.ID] = len(c.datasets)
		c.datasets = append(c.datasets, *hapiDataset(provider, of.ID, of.Title, header))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("open the catalogue of %s: after %d datasets: %w", provider, len(c.datasets), err)
	}
	return c, nil
}

// plain undoes gzip where it is.
func plain(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if head, _ := b.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	return gzip.NewReader(b)
}

// Name is that of the server.
func (c *Collected) Name() string {
	if c.server == nil {
		return "catalogue"
	}
	return c.server.Name()
}

// Inventory lists all datasets with their parameters.
func (c *Collected) Inventory(context.Context) ([]Dataset, error) { return c.datasets, nil }

// Describe returns one dataset.
func (c *Collected) Describe(_ context.Context, dataset string) (*Dataset, error) {
	if i, ok := c.place[dataset]; ok {
		return &c.datasets[i], nil
	}
	return nil, &UnknownError{ID: dataset, Nearest: nearestNames(c.datasets, dataset), Alike: true}
}

// Fetch asks the server.
func (c *Collected) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	if c.server == nil {
		return nil, fmt.Errorf("read %s: only a list of the data is here, and no server to ask for them", id)
	}
	return c.server.Fetch(ctx, id, start, stop)
}

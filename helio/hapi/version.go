package hapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/internal/polite"
	"github.com/helios-go/helios/helio/tt"
)

// Capabilities say which version a server speaks and which formats it offers.
type Capabilities struct {
	HAPI    string   // as in "3.2"
	Formats []Format // those of the specification and others, which begin with "x_"
	Raw     json.RawMessage
}

// old reports whether requests must use the names of version 2. Where the version
// is unknown they are used too: servers of version 3 have to understand them.
func (c *Capabilities) old() bool {
	major, _, _ := strings.Cut(c.HAPI, ".")
	return major == "" || major == "1" || major == "2"
}

// Capabilities asks what the server can do. A server that does not know the
// question is taken for one that gives csv under the old names.
func (c *Client) Capabilities(ctx context.Context) (*Capabilities, error) {
	body, err := c.document(ctx, "", "capabilities", nil)
	if _, refused := errors.AsType[*Error](err); refused || notFound(err) {
		body = []byte(`{}`)
		c.remember("capabilities", "", document{body, c.opts.Now()})
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var w struct {
		HAPI    loose
		Formats loose `json:"outputFormats"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, fmt.Errorf("read the capabilities of %s: %w", c.host, describeJSON(err))
	}
	caps := &Capabilities{HAPI: w.HAPI.text(), Raw: body}
	for _, f := range w.Formats.texts() {
		caps.Formats = append(caps.Formats, Format(strings.ToLower(f)))
	}
	if !slices.Contains(caps.Formats, CSV) {
		caps.Formats = append(caps.Formats, CSV) // the specification has it everywhere
	}
	return caps, nil
}

func notFound(err error) bool {
	status, ok := errors.AsType[*polite.StatusError](err)
	return ok && !status.Passing()
}

// About is what a server says of itself. Everything but the id may be empty.
type About struct {
	HAPI, ID, Title, Description string
	Contact, ContactID, Citation string
	Note, Warning                string
	Raw                          json.RawMessage
}

// About asks who the server is. Many servers cannot say, which is an error.
func (c *Client) About(ctx context.Context) (*About, error) {
	body, err := c.document(ctx, "", "about", nil)
	if err != nil {
		return nil, err
	}
	var w struct {
		HAPI, ID, Title, Description loose
		Contact, ContactID           loose
		Citation                     loose `json:"serverCitation"`
		Note, Warning                loose
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, fmt.Errorf("read what %s says of itself: %w", c.host, describeJSON(err))
	}
	return &About{
		HAPI: w.HAPI.text(), ID: w.ID.text(), Title: w.Title.text(), Description: w.Description.text(),
		Contact: w.Contact.text(), ContactID: w.ContactID.text(), Citation: w.Citation.text(),
		Note: strings.Join(w.Note.texts(), "; "), Warning: strings.Join(w.Warning.texts(), "; "), Raw: body,
	}, nil
}

// An Entry of the catalogue is a dataset.
type Entry struct {
	ID    string
	Title string // may be empty
}

// Catalog lists the datasets, in the server's order.
func (c *Client) Catalog(ctx context.Context) ([]Entry, error) {
	body, err := c.document(ctx, "", "catalog", nil)
	if err != nil {
		return nil, err
	}
	var w struct {
		Catalog []struct{ ID, Title loose }
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, fmt.Errorf("read the catalogue of %s: %w", c.host, describeJSON(err))
	}
	list := make([]Entry, 0, len(w.Catalog))
	for _, e := range w.Catalog {
		if id := e.ID.text(); id != "" {
			list = append(list, Entry{ID: id, Title: e.Title.text()})
		}
	}
	return list, nil
}

// Info asks for the header of a dataset, with all its parameters. What the server
// refuses is an [*Error].
func (c *Client) Info(ctx context.Context, dataset string) (*Info, error) {
	var fields []field
	if !c.opts.Offline {
		caps, err := c.Capabilities(ctx)
		if err != nil {
			return nil, err
		}
		fields = []field{{"dataset", dataset}}
		if caps.old() {
			fields[0].name = "id"
		}
	}
	body, err := c.document(ctx, dataset, "info", fields)
	if err != nil {
		return nil, err
	}
	info, err := ParseInfo(body)
	if err != nil {
		return nil, fmt.Errorf("%s, dataset %s: %w", c.host, dataset, err)
	}
	if len(info.Parameters) == 0 {
		return nil, fmt.Errorf("%s, dataset %s: the header lists no parameters", c.host, dataset)
	}
	return info, nil
}

// names are the fields of a request for data in the words of a version.
func names(old bool) (dataset, start, stop string) {
	if old {
		return "id", "time.min", "time.max"
	}
	return "dataset", "start", "stop"
}

// window are those fields with their values.
func window(old bool, dataset string, start, stop tt.Time) []field {
	d, a, b := names(old)
	return []field{{d, dataset}, {a, start.String()}, {b, stop.String()}}
}

package hapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/internal/polite"
)

// maxDocument is how long a header or a list may be.
const maxDocument = 256 << 20

// A document is an answer that is read whole.
type document struct {
	body    []byte
	checked time.Time
}

// OfflineError says what an offline client was asked for and does not have.
type OfflineError struct {
	Host    string
	Dataset string // "" where it is about the server
	Missing string // what is not in the cache
}

func (e *OfflineError) Error() string {
	of := e.Host
	if e.Dataset != "" {
		of += ", dataset " + e.Dataset
	}
	return fmt.Sprintf("%s: %s is not in the cache, and nothing may be fetched (offline); fetch it once with a network", of, e.Missing)
}

// document returns the answer of an endpoint: from memory or the cache while it is
// young or the client is offline, else from the server, asked whether it has
// changed.
func (c *Client) document(ctx context.Context, dataset, name string, fields []field) ([]byte, error) {
	c.mu.Lock()
	doc, have := c.memory[name+"\x00"+dataset]
	c.mu.Unlock()
	if have && c.young(doc.checked) {
		return doc.body, nil
	}
	key := cache.Key{Server: c.server, Dataset: dataset, Chunk: name}
	var known cache.Meta
	if c.opts.Cache != nil {
		var err error
		if doc.body, known, have, err = c.opts.Cache.Get(key); err != nil {
			return nil, err
		}
		doc.checked = known.Checked
	}
	if have && (c.young(doc.checked) || c.opts.Offline) {
		c.remember(name, dataset, doc)
		return doc.body, nil
	}
	if c.opts.Offline {
		what := "its " + name
		if name == "info" {
			what = "its header"
		}
		return nil, &OfflineError{Host: c.host, Dataset: dataset, Missing: what}
	}
	fresh, meta, err := c.ask(ctx, name, query(fields), known)
	if err != nil {
		if have && ctx.Err() == nil && polite.Transient(err) {
			return doc.body, nil // what was kept may do; the data will tell
		}
		return nil, err
	}
	meta.Checked = c.opts.Now()
	if fresh == nil && !have {
		return nil, fmt.Errorf("%s: it says that its %s has not changed, and was not asked that", c.host, name)
	}
	if fresh == nil {
		err = c.opts.Cache.Confirm(key, meta)
	} else {
		doc.body = fresh
		if c.opts.Cache != nil {
			err = c.opts.Cache.Put(key, meta, fresh)
		}
	}
	doc.checked = meta.Checked
	c.remember(name, dataset, doc)
	return doc.body, err
}

func (c *Client) young(checked time.Time) bool {
	age := c.opts.Now().Sub(checked)
	return age >= 0 && age < c.opts.Age
}

func (c *Client) remember(name, dataset string, doc document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 64 // headers may be long
	if len(c.memory) >= most {
		clear(c.memory)
	}
	c.memory[name+"\x00"+dataset] = doc
}

// ask asks an endpoint whether its answer has changed. A nil body says that it has
// not.
func (c *Client) ask(ctx context.Context, endpoint, query string, known cache.Meta) ([]byte, cache.Meta, error) {
	header := http.Header{}
	if known.ETag != "" {
		header.Set("If-None-Match", known.ETag)
	}
	if known.Modified != "" {
		header.Set("If-Modified-Since", known.Modified)
	}
	body, resp, err := c.http.GetAll(ctx, c.address(endpoint, query), header, maxDocument) //nolint:bodyclose // it is spent
	if err != nil {
		return nil, known, c.refusal(err)
	}
	if resp.StatusCode == http.StatusNotModified {
		return nil, known, nil
	}
	status, found := reasonStatus(resp.Status)
	if !found {
		status, found = bodyStatus(body)
	}
	if found && status.Code >= UserError {
		return nil, known, &Error{Status: status, Host: c.host, HTTP: resp.StatusCode}
	}
	if body == nil {
		body = []byte{}
	}
	return body, cache.Meta{Modified: resp.Header.Get("Last-Modified"), ETag: resp.Header.Get("ETag")}, nil
}

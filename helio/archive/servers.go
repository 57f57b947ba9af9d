package archive

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed servers.json
var serversJSON []byte

// A Server is one line of the table of archives: where an archive is, and what
// speaks to it.
type Server struct {
	ID   string `json:"id"`   // provider, the first part of its parameters' ids
	Kind string `json:"kind"` // "hapi", "amda", "cdaweb", "csa" or "sscweb"
	Name string `json:"name"` // for people
	Base string `json:"base"` // address of the service
	// Developing says that its makers do not call it finished.
	Developing bool `json:"developing,omitempty"`
	// Try is a small request that should give data; nil where none is known.
	Try *Trial `json:"try,omitempty"`
}

// A Trial is a request that shows whether a server works.
type Trial struct {
	Dataset   string `json:"dataset"`
	Parameter string `json:"parameter"`
	Start     string `json:"start"`
	Stop      string `json:"stop"`
}

// Servers returns the archives that this package knows of: the HAPI servers of the
// public lists of August 2026 and the services with an interface of their own. The
// caller owns the slice.
func Servers() []Server { return slices.Clone(builtin()) }

var builtin = sync.OnceValue(func() []Server {
	servers, err := ReadServers(bytes.NewReader(serversJSON))
	if err != nil {
		panic(err) // a test reads the table
	}
	return servers
})

// ReadServers reads a table of archives, a JSON array of [Server]. The error is one
// sentence that names the entry.
func ReadServers(r io.Reader) ([]Server, error) {
	dec := json.NewDecoder(io.LimitReader(r, 1<<22))
	dec.DisallowUnknownFields()
	var servers []Server
	if err := dec.Decode(&servers); err != nil {
		return nil, fmt.Errorf("read the table of archives: %w; it is a JSON array of objects with id, kind, name and base", err)
	}
	if dec.More() {
		return nil, errors.New("read the table of archives: something follows the array")
	}
	seen := map[string]bool{}
	for i, s := range servers {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("read the table of archives: entry %d (%q): %w", i+1, s.ID, err)
		}
		if seen[s.ID] {
			return nil, fmt.Errorf("read the table of archives: entry %d (%q): there is one of this id already", i+1, s.ID)
		}
		seen[s.ID] = true
	}
	return servers, nil
}

var serverID = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,39}$`)

func (s *Server) check() error {
	if !serverID.MatchString(s.ID) || s.ID == Provider {
		return fmt.Errorf("an id has 1 to 40 of the characters a-z 0-9 . _ - and is not %q", Provider)
	}
	if !slices.Contains(kinds, s.Kind) {
		return fmt.Errorf("there is no kind %q; give one of %s", s.Kind, strings.Join(kinds, ", "))
	}
	if fixed, ok := fixedIDs[s.Kind]; ok && s.ID != fixed {
		return fmt.Errorf("there is one archive of kind %q, and its id is %q", s.Kind, fixed)
	}
	u, err := url.Parse(s.Base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("base must be an http or https address")
	}
	if u.User != nil || u.RawQuery != "" {
		return errors.New("base must be an address without a user, a password or a query")
	}
	return nil
}

// MergeServers puts a table of the user's over another: entries of the same id
// take the place of the old ones, others follow.
func MergeServers(servers, own []Server) []Server {
	out := slices.Clone(servers)
	for _, s := range own {
		if i := slices.IndexFunc(out, func(o Server) bool { return o.ID == s.ID }); i >= 0 {
			out[i] = s
			continue
		}
		out = append(out, s)
	}
	return out
}

// Open returns the archive of a server. It asks nobody.
func (s Server) Open(opts *Options) (Archive, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("open the archive %q: %w", s.ID, err)
	}
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Base == "" {
		o.Base = s.Base
	}
	switch s.Kind {
	case "amda":
		return NewAMDA(&o), nil
	case "cdaweb":
		return NewCDAWeb(&o), nil
	case "csa":
		return NewCSA(&o), nil
	case "sscweb":
		return NewSSCWeb(&o), nil
	}
	return NewHAPI(s.ID, s.Name, &o), nil
}

// kinds are the ways to speak to an archive.
var kinds = []string{"hapi", "amda", "cdaweb", "csa", "sscweb"}

// fixedIDs are the ids of archives of which there is one.
var fixedIDs = map[string]string{"amda": "amda", "cdaweb": "cdaweb", "csa": "csa", "sscweb": "ssc"}

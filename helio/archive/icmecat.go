package archive

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/catalog"
)

// ICMECAT is the HELIO4CAST catalogue of interplanetary coronal mass ejections,
// version 2.3: one list, helio4cast/icmecat, of events from the arrival of the shock
// or sheath to the end of the magnetic obstacle. It is kept for a week; a kept one
// is used beyond that where the service does not answer, and its notes say so. It is
// safe for concurrent use.
type ICMECAT struct{ *remote }

var _ catalog.Source = (*ICMECAT)(nil)

const (
	icmeID       = "helio4cast/icmecat"
	icmeAddress  = "https://helioforecast.space/static/sync/icmecat"
	icmeFile     = "/HELIO4CAST_ICMECAT_v23.csv"
	icmeAge      = 7 * 24 * time.Hour
	icmeName     = "HELIO4CAST ICMECAT v2.3"
	icmeDOI      = "10.1002/2017SW001614"
	icmeCitation = "Möstl et al. 2017, Space Weather 15, doi:" + icmeDOI
)

// NewICMECAT returns the source. It asks nobody.
func NewICMECAT(opts *Options) *ICMECAT {
	return &ICMECAT{newRemote("helio4cast", icmeAddress, opts)}
}

// Name says what it is.
func (*ICMECAT) Name() string { return "HELIO4CAST" }

// Catalogs lists the one catalogue.
func (a *ICMECAT) Catalogs(ctx context.Context) ([]catalog.Summary, error) {
	c, err := a.Catalog(ctx, icmeID)
	if err != nil {
		return nil, err
	}
	return []catalog.Summary{c.Summary()}, nil
}

// Catalog reads it. Rows without a start or the end of the obstacle are left out and
// counted.
func (a *ICMECAT) Catalog(ctx context.Context, id string) (*catalog.Catalog, error) {
	if id != icmeID {
		return nil, &catalog.UnknownError{ID: id, Has: []string{icmeID}}
	}
	body, stale, err := a.document(ctx, kept{
		key: cache.Key{Server: a.server(), Dataset: "icmecat"}, maxAge: icmeAge, get: a.getKept(icmeFile, nil),
		check: func(body []byte) error { _, err := parseICMECAT(body); return err },
	})
	if err != nil {
		return nil, a.failed("read "+id, err)
	}
	c, err := parseICMECAT(body)
	if err != nil {
		return nil, a.failed("read "+id, err)
	}
	if stale != nil {
		c.Notes = append(c.Notes, fmt.Sprintf("this is a kept copy, older than %d days, since the service failed: %v", int(icmeAge.Hours()/24), stale))
	}
	return c, nil
}

func parseICMECAT(body []byte) (*catalog.Catalog, error) {
	c, err := catalog.ReadCSV(bytes.NewReader(body), &catalog.CSVOptions{Start: "icme_start_time", Stop: "mo_end_time"})
	if err != nil {
		return nil, err
	}
	c.ID, c.Name, c.Kind, c.Citation, c.DOI = icmeID, icmeName, catalog.Catalogue, icmeCitation, icmeDOI
	c.Description = "Interplanetary coronal mass ejections at many spacecraft: from icme_start_time to mo_end_time, the end of the magnetic obstacle."
	return c, nil
}

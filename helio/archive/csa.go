package archive

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helio/votable"
)

// CSA is ESA's Cluster Science Archive (Cluster and Double Star), over its TAP
// service and its data service. Parameters there carry the dataset behind their
// names, as in "B_vec_xyz_gse__C1_CP_FGM_SPIN"; an id may leave that away. It is safe
// for concurrent use.
type CSA struct{ *remote }

var _ Archive = (*CSA)(nil)

const (
	csaAddress = "https://csa.esac.esa.int/csa-sl-tap"
	csaStep    = 7 * 24 * time.Hour
	csaLists   = 24 * time.Hour
	csaThanks  = "Data from the Cluster Science Archive (CSA), ESA"

	// What can be delivered as CDF.
	csaDatasets = "csa.v_dataset WHERE dataset_id like '%GRMB' OR (is_cef='true' AND is_istp='true')"
)

// NewCSA returns the archive. It asks nobody.
func NewCSA(opts *Options) *CSA { return &CSA{newRemote("csa", csaAddress, opts)} }

// Name says what it is.
func (*CSA) Name() string { return "Cluster Science Archive" }

// query asks the TAP service, for CSV: it is read without a library, and every TAP
// service has it.
func (a *CSA) query(ctx context.Context, adql string) (*csvTable, error) {
	q := url.Values{"REQUEST": {"doQuery"}, "LANG": {"ADQL"}, "FORMAT": {"csv"}, "QUERY": {adql}}
	body, _, err := a.get(ctx, "/tap/sync?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	return parseTAP(body)
}

// A csvTable is an answer of TAP.
type csvTable struct {
	column map[string]int
	rows   [][]string
}

// get returns a cell, "" where there is no such column.
func (t *csvTable) get(row []string, column string) string {
	i, ok := t.column[column]
	if !ok || row[i] == "null" {
		return ""
	}
	return strings.TrimSpace(row[i])
}

func parseTAP(data []byte) (*csvTable, error) {
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '<' {
		_, err := votable.Read(bytes.NewReader(data))
		if refused, ok := errors.AsType[*votable.QueryError](err); ok {
			return nil, refused
		}
		return nil, errors.New("the answer is a page, and not CSV")
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("the answer is no CSV that can be read: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("the answer is empty, without even the names of columns")
	}
	t := &csvTable{column: map[string]int{}, rows: rows[1:]}
	for i, name := range rows[0] {
		t.column[strings.ToLower(strings.TrimSpace(name))] = i
	}
	return t, nil
}

// table returns the text of all rows of a table, which is kept. A service that cuts
// its answers off does not say so in CSV, so the rows are counted.
func (a *CSA) table(ctx context.Context, key cache.Key, from string) (*csvTable, error) {
	body, _, err := a.document(ctx, kept{key: key, maxAge: csaLists, get: func(ctx context.Context, _ cache.Meta) ([]byte, cache.Meta, error) {
		q := url.Values{"REQUEST": {"doQuery"}, "LANG": {"ADQL"}, "FORMAT": {"csv"}, "QUERY": {"SELECT * FROM " + from}}
		body, _, err := a.get(ctx, "/tap/sync?"+q.Encode(), nil)
		return body, cache.Meta{}, err
	}, check: func(body []byte) error {
		t, err := parseTAP(body)
		if err != nil {
			return err
		}
		n, err := a.count(ctx, from)
		if err == nil && n != len(t.rows) {
			err = fmt.Errorf("the service gives %d rows of %d; it cuts its answers off", len(t.rows), n)
		}
		return err
	}})
	if err != nil {
		return nil, err
	}
	return parseTAP(body)
}

func (a *CSA) count(ctx context.Context, from string) (int, error) {
	t, err := a.query(ctx, "SELECT COUNT(*) AS n FROM "+from)
	if err != nil {
		return 0, err
	}
	if len(t.rows) != 1 || len(t.rows[0]) != 1 {
		return 0, errors.New("the service does not say how many rows there are")
	}
	return strconv.Atoi(t.rows[0][0])
}

// Inventory lists the datasets.
func (a *CSA) Inventory(ctx context.Context) ([]Dataset, error) {
	t, err := a.table(ctx, cache.Key{Server: a.server(), Dataset: "datasets"}, csaDatasets)
	if err != nil {
		return nil, a.failed("list the datasets", err)
	}
	out := make([]Dataset, 0, len(t.rows))
	for _, row := range t.rows {
		id := t.get(row, "dataset_id")
		if id == "" {
			continue
		}
		d := Dataset{
			ID: id, Title: firstOf(t.get(row, "title"), t.get(row, "description"), id), Provider: "csa", Source: "CSA",
			Mission: firstOf(t.get(row, "mission"), t.get(row, "missions"), csaMission(id)), Instrument: firstOf(t.get(row, "instruments"), t.get(row, "instrument_name")),
			Start: looseTime(t.get(row, "start_date")), Stop: looseTime(firstOf(t.get(row, "end_date"), t.get(row, "stop_date"))),
			Type: t.get(row, "measurement_type"), SPASE: spaseIn(t.get(row, "spase_id")), DOI: doiIn(t.get(row, "doi")),
			Modified: t.get(row, "date_last_update"), Acknowledgement: firstOf(t.get(row, "acknowledgement"), csaThanks),
			ResourceURL: "https://csa.esac.esa.int", Partial: true,
		}
		if seconds, err := strconv.ParseFloat(t.get(row, "time_resolution"), 64); err == nil && seconds > 0 && seconds < 1e9 {
			d.Cadence = time.Duration(seconds * float64(time.Second))
		}
		out = append(out, d)
	}
	return out, nil
}

// csaMission goes by the beginning of an id: C1 to C4 and CL are Cluster, D1, D2 and
// DX Double Star.
func csaMission(id string) string {
	switch {
	case strings.HasPrefix(id, "C"):
		return "Cluster"
	case strings.HasPrefix(id, "D"):
		return "Double Star"
	}
	return ""
}

// Describe returns one dataset with its parameters.
func (a *CSA) Describe(ctx context.Context, dataset string) (*Dataset, error) {
	all, err := a.Inventory(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(d Dataset) bool { return d.ID == dataset })
	if i < 0 {
		return nil, unknownDataset("csa", all, dataset)
	}
	d := all[i]
	t, err := a.table(ctx, cache.Key{Server: a.server(), Dataset: dataset, Parameter: "parameters"},
		"csa.v_parameter WHERE dataset_id='"+strings.ReplaceAll(dataset, "'", "''")+"' AND data_type='Data' AND value_type<>'CHAR'")
	if err != nil {
		return nil, a.failed("read about "+dataset, err)
	}
	for _, row := range t.rows {
		name := t.get(row, "parameter_id")
		if name == "" {
			continue
		}
		p := Parameter{
			ID: JoinID("csa", d.ID, name), Dataset: d.ID, Name: name, Description: firstOf(t.get(row, "catdesc"), t.get(row, "description"), t.get(row, "fieldnam")),
			Units: t.get(row, "units"), Role: "data", Mission: d.Mission, Start: d.Start, Stop: d.Stop, Cadence: d.Cadence,
		}
		short, _, _ := strings.Cut(name, "__")
		p.Columns = []string{short}
		p.Frame = frameIn(short, p.Description, t.get(row, "coordinate_system"))
		d.Parameters = append(d.Parameters, p)
	}
	d.Partial = false
	return &d, nil
}

// Fetch reads one parameter, as [Archive] says.
func (a *CSA) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	provider, dataset, name, err := SplitID(id)
	if err != nil {
		return nil, err
	}
	d, err := a.Describe(ctx, dataset)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == name || p.Name == name+"__"+dataset })
	if i < 0 || provider != "csa" {
		return nil, Unknown([]Dataset{*d}, id)
	}
	p := &d.Parameters[i]
	if start, stop, err = p.window(start, stop); err != nil {
		return nil, err
	}
	s, err := a.parameter(ctx, p, chunkJob{
		start: start, stop: stop, step: csaStep, modified: d.Modified,
		get: func(ctx context.Context, start, stop tt.Time) (*series.Series, error) {
			return a.chunk(ctx, p, start, stop)
		},
	})
	if err != nil {
		return nil, err
	}
	m := &s.Meta
	m.Dataset, m.DatasetTitle, m.Mission, m.Source = d.ID, d.Title, firstOf(m.Mission, d.Mission), "CSA"
	m.DOI, m.SPASE, m.ResourceURL = firstOf(m.DOI, d.DOI), firstOf(m.SPASE, d.SPASE), d.ResourceURL
	m.Acknowledgement = firstOf(m.Acknowledgement, d.Acknowledgement)
	s.Units = firstOf(s.Units, p.Units)
	return s, nil
}

// chunk asks for one piece, a tar with a CDF in it.
func (a *CSA) chunk(ctx context.Context, p *Parameter, start, stop tt.Time) (*series.Series, error) {
	if a.opts.Offline {
		return nil, errOffline
	}
	q := url.Values{
		"RETRIEVAL_TYPE": {"product"}, "DATASET_ID": {p.Dataset}, "START_DATE": {start.Format(0)}, "END_DATE": {stop.Add(time.Second - 1).Format(0)},
		"DELIVERY_FORMAT": {"CDF_ISTP"}, "DELIVERY_INTERVAL": {"all"},
	}
	var parts []*series.Series
	err := a.client.Read(ctx, a.address("/data?"+q.Encode()+"&NON_BROWSER"), nil, func(resp *http.Response) error {
		parts = nil
		return eachCDF(resp.Body, func(member string, data []byte) error {
			s, err := cdfSeries("the CDF from CSA", data, p.Name, p.ID, start, stop)
			if errors.Is(err, errUnknown) {
				return fmt.Errorf("the CDF that came has no variable %q", p.Name)
			}
			if err == nil {
				parts = append(parts, s)
			}
			return err
		})
	})
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	return series.Concat(parts...)
}

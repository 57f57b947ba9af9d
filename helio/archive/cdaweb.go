package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/internal/polite"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// CDAWeb is NASA's Coordinated Data Analysis Web over its own web services, which
// give CDFs: with the attributes of the files, and with the variables that the
// service computes, which HAPI leaves out. Its inventory has datasets without their
// variables (Dataset.Partial); units and shapes come with the data. It is safe for
// concurrent use.
//
// The list of datasets is taken from the service and not from SPDF's all.xml: it is
// one request as well, and has DOIs and SPASE ids.
type CDAWeb struct{ *remote }

var _ Archive = (*CDAWeb)(nil)

const (
	cdawebAddress = "https://cdaweb.gsfc.nasa.gov/WS/cdasr/1/dataviews/sp_phys"
	cdawebLists   = 24 * time.Hour     // how long lists are believed
	cdawebAge     = 7 * 24 * time.Hour // how long data are believed
	cdawebThanks  = "Data from the Coordinated Data Analysis Web (CDAWeb), NASA Space Physics Data Facility"
)

// NewCDAWeb returns the archive. It asks nobody.
func NewCDAWeb(opts *Options) *CDAWeb {
	return &CDAWeb{newRemote("cdaweb", cdawebAddress, opts)}
}

// Name says what it is.
func (*CDAWeb) Name() string { return "CDAWeb web services" }

var jsonHeader = http.Header{"Accept": {"application/json"}}

// Inventory lists the datasets.
func (a *CDAWeb) Inventory(ctx context.Context) ([]Dataset, error) {
	body, _, err := a.document(ctx, kept{
		key: cache.Key{Server: a.server(), Dataset: "datasets"}, maxAge: cdawebLists, get: a.getKept("/datasets", jsonHeader),
		check: func(body []byte) error { _, err := parseCDAWebDatasets(body); return err },
	})
	if err == nil {
		var all []Dataset
		if all, err = parseCDAWebDatasets(body); err == nil {
			return all, nil
		}
	}
	return nil, a.failed("list the datasets", err)
}

func parseCDAWebDatasets(data []byte) ([]Dataset, error) {
	var answer struct {
		DatasetDescription []struct {
			ID, Label, PiName, PiAffiliation, Notes, Doi string
			Observatory, Instrument                      loosely
			ObservatoryGroup, InstrumentType             loosely
			ResourceID                                   loosely
			TimeInterval                                 struct{ Start, End string }
			DatasetLink                                  []struct{ URL string }
		}
	}
	if err := decodeJSON(data, &answer); err != nil {
		return nil, err
	}
	if answer.DatasetDescription == nil {
		return nil, errors.New("the answer has no list of datasets")
	}
	out := make([]Dataset, 0, len(answer.DatasetDescription))
	for _, e := range answer.DatasetDescription {
		if e.ID == "" {
			continue
		}
		d := Dataset{
			ID: e.ID, Title: e.Label, Provider: "cdaweb", Source: "CDAWeb", Mission: firstOf(e.Observatory.join(), e.ObservatoryGroup.join()), Instrument: e.Instrument.join(),
			Type: e.InstrumentType.join(), Start: looseTime(e.TimeInterval.Start), Stop: looseTime(e.TimeInterval.End),
			DOI: doiIn(e.Doi), SPASE: spaseIn(e.ResourceID...), Acknowledgement: cdawebThanks, Partial: true,
		}
		if pi := strings.Trim(e.PiName+", "+e.PiAffiliation, ", "); pi != "" {
			d.Acknowledgement += "; principal investigator " + pi
		}
		for _, link := range e.DatasetLink {
			d.ResourceURL = firstOf(d.ResourceURL, link.URL)
		}
		out = append(out, d)
	}
	return out, nil
}

// loosely is a list of texts, or one.
type loosely []string

func (l *loosely) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = loosely{one}
		return nil
	}
	var all []string
	if json.Unmarshal(b, &all) == nil {
		*l = all
	}
	return nil
}

func (l loosely) join() string { return strings.Join(l, ", ") }

// decodeJSON reads one document. What is a page in its place is said to be one.
func decodeJSON(data []byte, to any) error {
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '<' {
		return errors.New("the answer is a page, and not JSON")
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("the answer is no JSON that can be read: %w", err)
	}
	return nil
}

// Describe returns one dataset with its variables.
func (a *CDAWeb) Describe(ctx context.Context, dataset string) (*Dataset, error) {
	all, err := a.Inventory(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(d Dataset) bool { return d.ID == dataset })
	if i < 0 {
		return nil, unknownDataset("cdaweb", all, dataset)
	}
	d := all[i]
	body, _, err := a.document(ctx, kept{
		key: cache.Key{Server: a.server(), Dataset: dataset, Parameter: "variables"}, maxAge: cdawebLists,
		get:   a.getKept("/datasets/"+url.PathEscape(dataset)+"/variables", jsonHeader),
		check: func(body []byte) error { _, err := parseCDAWebVariables(body, &d); return err },
	})
	if err == nil {
		d.Parameters, err = parseCDAWebVariables(body, &d)
	}
	if err != nil {
		return nil, a.failed("read about "+dataset, err)
	}
	d.Partial = false
	return &d, nil
}

func parseCDAWebVariables(data []byte, d *Dataset) ([]Parameter, error) {
	var answer struct {
		VariableDescription []struct{ Name, ShortDescription, LongDescription string }
	}
	if err := decodeJSON(data, &answer); err != nil {
		return nil, err
	}
	out := []Parameter{}
	for _, v := range answer.VariableDescription {
		if v.Name == "" {
			continue
		}
		description := firstOf(v.LongDescription, v.ShortDescription)
		out = append(out, Parameter{
			ID: JoinID("cdaweb", d.ID, v.Name), Dataset: d.ID, Name: v.Name, Description: description, Role: "data",
			Frame: frameIn(v.Name, description), Mission: d.Mission, Start: d.Start, Stop: d.Stop,
		})
	}
	return out, nil
}

// Fetch reads one variable, as [Archive] says.
func (a *CDAWeb) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	provider, dataset, name, err := SplitID(id)
	if err != nil {
		return nil, err
	}
	d, err := a.Describe(ctx, dataset)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 || provider != "cdaweb" {
		return nil, Unknown([]Dataset{*d}, id)
	}
	p := &d.Parameters[i]
	if start, stop, err = p.window(start, stop); err != nil {
		return nil, err
	}
	s, err := a.parameter(ctx, p, chunkJob{
		start: start, stop: stop, step: cdawebStep(dataset), maxAge: cdawebAge,
		get: func(ctx context.Context, start, stop tt.Time) (*series.Series, error) {
			return a.chunk(ctx, d, name, id, start, stop)
		},
	})
	if err != nil {
		return nil, err
	}
	m := &s.Meta
	m.Dataset, m.DatasetTitle, m.Source = d.ID, firstOf(d.Title, m.DatasetTitle), "CDAWeb"
	m.DOI, m.SPASE, m.ResourceURL = firstOf(m.DOI, d.DOI), firstOf(m.SPASE, d.SPASE), firstOf(m.ResourceURL, d.ResourceURL)
	m.Acknowledgement = firstOf(m.Acknowledgement, d.Acknowledgement)
	return s, nil
}

// cdawebStep is how much is asked for at a time: bursts of MMS are dense.
func cdawebStep(dataset string) time.Duration {
	if strings.HasPrefix(dataset, "MMS") && strings.Contains(dataset, "_BRST") {
		return 2 * time.Hour
	}
	return 7 * 24 * time.Hour
}

// chunk asks for the CDFs of one piece.
func (a *CDAWeb) chunk(ctx context.Context, d *Dataset, name, id string, start, stop tt.Time) (*series.Series, error) {
	path := fmt.Sprintf("/datasets/%s/data/%s,%s/%s?format=cdf", url.PathEscape(d.ID), compactTime(start), compactTime(stop.Add(time.Second-1)), url.PathEscape(name))
	body, _, err := a.get(ctx, path, jsonHeader)
	if status, ok := errors.AsType[*polite.StatusError](err); ok && status.Code == http.StatusNotFound && cdawebSaysEmpty(status.Body) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files, err := parseCDAWebFiles(body)
	if err != nil {
		return nil, err
	}
	var parts []*series.Series
	for _, address := range files {
		data, _, err := a.get(ctx, address, nil)
		if err != nil {
			return nil, err
		}
		s, err := cdfSeries("the CDF from CDAWeb", data, name, id, start, stop)
		if errors.Is(err, errUnknown) {
			return nil, fmt.Errorf("the CDF that came has no variable %q of numbers over time", name)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return series.Concat(parts...)
}

// cdawebSaysEmpty reports whether a refusal only says that there are no data.
func cdawebSaysEmpty(body []byte) bool {
	var answer struct{ Message loosely }
	return json.Unmarshal(body, &answer) == nil && slices.ContainsFunc(answer.Message, func(m string) bool {
		return strings.Contains(strings.ToLower(m), "no data")
	})
}

// parseCDAWebFiles returns the addresses of the files that a request has made.
func parseCDAWebFiles(data []byte) ([]string, error) {
	var answer struct {
		FileDescription []struct{ Name string }
		Error, Message  loosely
	}
	if err := decodeJSON(data, &answer); err != nil {
		return nil, err
	}
	if len(answer.FileDescription) == 0 {
		if cdawebSaysEmpty(data) {
			return nil, nil
		}
		if said := firstOf(append(answer.Error, answer.Message...)...); said != "" {
			return nil, fmt.Errorf("CDAWeb says: %s", strings.Join(strings.Fields(said), " "))
		}
		return nil, nil
	}
	out := make([]string, len(answer.FileDescription))
	for i, f := range answer.FileDescription {
		if !strings.HasPrefix(f.Name, "http://") && !strings.HasPrefix(f.Name, "https://") {
			return nil, fmt.Errorf("the answer names a file without an address, %.60q", f.Name)
		}
		out[i] = f.Name
	}
	return out, nil
}

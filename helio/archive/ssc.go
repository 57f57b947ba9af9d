package archive

import (
	"bytes"
	"context"
	"encoding/xml"
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
)

// SSCWeb is NASA's Satellite Situation Center: where spacecraft are. A dataset is a
// spacecraft, a parameter its position in one coordinate system, in km:
// "ssc/ace/gse". It is safe for concurrent use.
type SSCWeb struct{ *remote }

var _ Archive = (*SSCWeb)(nil)

// sscAddress is where the service is.
const sscAddress = "https://sscweb.gsfc.nasa.gov/WS/sscr/2"

// sscSystems are the coordinate systems that the service knows, with the name of the
// frame.
var sscSystems = []struct{ id, frame, title string }{
	{"gse", "GSE", "geocentric solar ecliptic"},
	{"gsm", "GSM", "geocentric solar magnetospheric"},
	{"sm", "SM", "solar magnetic"},
	{"geo", "GEO", "geographic"},
	{"gm", "MAG", "geomagnetic"},
	{"gei_tod", "GEI", "geocentric equatorial inertial, true of date"},
	{"gei_j_2000", "J2000", "geocentric equatorial inertial, J2000"},
}

const (
	sscStep  = 10 * 24 * time.Hour // of one request; the service takes up to 60 days
	sscDay   = tt.Time(24 * time.Hour)
	sscLists = 12 * time.Hour     // how long the list of spacecraft is believed
	sscAge   = 7 * 24 * time.Hour // how long positions are believed
)

// NewSSCWeb returns the archive. It asks nobody.
func NewSSCWeb(opts *Options) *SSCWeb { return &SSCWeb{newRemote("ssc", sscAddress, opts)} }

// Name says what it is.
func (*SSCWeb) Name() string { return "SSCWeb orbits" }

var sscHeader = http.Header{"Accept": {"application/xml"}}

// Inventory lists the spacecraft.
func (a *SSCWeb) Inventory(ctx context.Context) ([]Dataset, error) {
	body, _, err := a.document(ctx, kept{
		key:    cache.Key{Server: a.server(), Dataset: "observatories"},
		maxAge: sscLists, get: a.getKept("/observatories", sscHeader),
		check: func(body []byte) error { _, err := parseSSCObservatories(body); return err },
	})
	if err == nil {
		var all []Dataset
		if all, err = parseSSCObservatories(body); err == nil {
			return all, nil
		}
	}
	return nil, a.failed("list the spacecraft", err)
}

// Describe returns one spacecraft.
func (a *SSCWeb) Describe(ctx context.Context, dataset string) (*Dataset, error) {
	all, err := a.Inventory(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(d Dataset) bool { return d.ID == dataset }); i >= 0 {
		return &all[i], nil
	}
	return nil, Unknown(all, JoinDatasetID("ssc", dataset)+"/gse")
}

// Fetch reads positions, as [Archive] says.
func (a *SSCWeb) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	provider, dataset, system, err := SplitID(id)
	if err != nil {
		return nil, err
	}
	d, err := a.Describe(ctx, dataset)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == system })
	if i < 0 || provider != "ssc" {
		return nil, Unknown([]Dataset{*d}, id)
	}
	p := &d.Parameters[i]
	if start, stop, err = p.window(start, stop); err != nil {
		return nil, err
	}
	return a.parameter(ctx, p, chunkJob{
		start: start, stop: stop, step: sscStep, maxAge: sscAge,
		get: func(ctx context.Context, start, stop tt.Time) (*series.Series, error) {
			return a.locations(ctx, d, p, start, stop)
		},
	})
}

// locations asks for positions. The service pads what is shorter than a day.
func (a *SSCWeb) locations(ctx context.Context, d *Dataset, p *Parameter, start, stop tt.Time) (*series.Series, error) {
	end := max(stop, start+sscDay)
	path := fmt.Sprintf("/locations/%s/%s,%s/%s/", url.PathEscape(d.ID), compactTime(start), compactTime(end), p.Name)
	body, _, err := a.get(ctx, path, sscHeader)
	if err != nil {
		return nil, err
	}
	times, values, err := parseSSCLocations(body)
	if err != nil || len(times) == 0 {
		return nil, err
	}
	return &series.Series{
		ID: p.ID, Name: p.Name, Units: p.Units, Description: p.Description, Columns: p.Columns, Dims: p.Dims, Time: times, Values: values,
		Meta: series.Meta{
			Dataset: d.ID, DatasetTitle: d.Title, Mission: d.Mission, Frame: p.Frame, Role: p.Role, Source: "SSCWeb",
			SPASE: d.SPASE, Acknowledgement: d.Acknowledgement, ResourceURL: d.ResourceURL,
		},
	}, nil
}

// sscThanks is how the service asks to be acknowledged, in our words.
const sscThanks = "Orbits from the Satellite Situation Center (SSCWeb), NASA Space Physics Data Facility"

func parseSSCObservatories(data []byte) ([]Dataset, error) {
	var answer struct {
		XMLName     xml.Name
		Observatory []struct {
			Id, Name, Resolution, StartTime, EndTime, ResourceId string
		}
	}
	if err := decodeXML(data, &answer); err != nil {
		return nil, err
	}
	if answer.XMLName.Local != "ObservatoryResponse" {
		return nil, fmt.Errorf("the answer is <%s>, and not a list of spacecraft", answer.XMLName.Local)
	}
	out := make([]Dataset, 0, len(answer.Observatory))
	for _, o := range answer.Observatory {
		id := strings.TrimSpace(o.Id)
		if id == "" {
			continue
		}
		d := Dataset{
			ID: id, Title: o.Name, Provider: "ssc", Source: "SSCWeb", Mission: o.Name, Start: looseTime(o.StartTime), Stop: looseTime(o.EndTime),
			SPASE: spaseIn(o.ResourceId), Acknowledgement: sscThanks, ResourceURL: "https://sscweb.gsfc.nasa.gov", Type: "ephemeris",
		}
		if seconds, err := strconv.Atoi(strings.TrimSpace(o.Resolution)); err == nil && seconds > 0 && seconds < 1e9 {
			d.Cadence = time.Duration(seconds) * time.Second
		}
		for _, s := range sscSystems {
			d.Parameters = append(d.Parameters, Parameter{
				ID: JoinID("ssc", id, s.id), Dataset: id, Name: s.id, Description: "position of " + firstOf(o.Name, id) + " in " + s.frame + ", " + s.title,
				Units: "km", Columns: []string{"X " + s.frame, "Y " + s.frame, "Z " + s.frame}, Dims: []int{3}, Frame: s.frame, Role: "data",
				Mission: d.Mission, Start: d.Start, Stop: d.Stop, Cadence: d.Cadence,
			})
		}
		out = append(out, d)
	}
	return out, nil
}

// parseSSCLocations reads positions, x y z in km for each time. None is no error.
func parseSSCLocations(data []byte) ([]tt.Time, []float64, error) {
	var answer struct {
		XMLName xml.Name
		Result  *struct {
			StatusCode, StatusSubCode string
			StatusText                []string
			Data                      []struct {
				Coordinates []struct{ X, Y, Z []string }
				Time        []string
			}
		}
	}
	if err := decodeXML(data, &answer); err != nil {
		return nil, nil, err
	}
	if answer.XMLName.Local != "Response" || answer.Result == nil {
		return nil, nil, fmt.Errorf("the answer is <%s> without a result", answer.XMLName.Local)
	}
	r := answer.Result
	if r.StatusCode != "Success" || r.StatusSubCode != "Success" {
		if strings.Contains(r.StatusSubCode, "NoData") || strings.Contains(r.StatusSubCode, "MissingRequest") {
			return nil, nil, nil
		}
		return nil, nil, fmt.Errorf("the service answers %s (%s)", firstOf(r.StatusCode, "nothing"), firstOf(strings.Join(r.StatusText, "; "), r.StatusSubCode))
	}
	if len(r.Data) == 0 || len(r.Data[0].Time) == 0 {
		return nil, nil, nil
	}
	d := r.Data[0]
	if len(d.Coordinates) == 0 {
		return nil, nil, errors.New("the answer has times and no coordinates")
	}
	c, n := d.Coordinates[0], len(d.Time)
	if len(c.X) != n || len(c.Y) != n || len(c.Z) != n {
		return nil, nil, fmt.Errorf("the answer has %d times and %d, %d, %d coordinates", n, len(c.X), len(c.Y), len(c.Z))
	}
	times, values := make([]tt.Time, n), make([]float64, 0, 3*n)
	for i := range times {
		var err error
		if times[i], err = tt.Parse(d.Time[i]); err != nil {
			return nil, nil, fmt.Errorf("record %d: %w", i, err)
		}
		for _, text := range []string{c.X[i], c.Y[i], c.Z[i]} {
			v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				return nil, nil, fmt.Errorf("record %d: %.40q is no coordinate", i, text)
			}
			values = append(values, v)
		}
	}
	series.MaskFill(values, 3, nil)
	return times, values, nil
}

// decodeXML reads one document, and refuses what is cut off or followed by more.
func decodeXML(data []byte, to any) error {
	dec := xml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(to); err != nil {
		line, _ := dec.InputPos()
		return fmt.Errorf("the answer is no XML that can be read, at line %d, byte %d: %w", line, dec.InputOffset(), err)
	}
	return nil
}

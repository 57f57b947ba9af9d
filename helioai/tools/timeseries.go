package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/tool"
)

const (
	maxSaved       = 100 << 20 // bytes of one dataset
	maxStatColumns = 16        // wider records are spectra: nobody asks for the mean of channel 57
	previewRows    = 10
	previewColumns = 8
)

type timeseriesInput struct {
	ParamID string `json:"param_id"        jsonschema:"full parameter id as search_parameters returned it, such as local/ac_h0_mfi_20230102_v07/BGSM"`
	Start   string `json:"start,omitempty" jsonschema:"start of the window, ISO UTC, inside the window; leave out for the start of the coverage"`
	Stop    string `json:"stop,omitempty"  jsonschema:"end of the window, ISO UTC, not inside the window; leave out for the end of the coverage"`
}

// timeseriesOutput begins with the dataset's name on purpose: it is what the
// next call needs.
type timeseriesOutput struct {
	Dataset           string       `json:"dataset"`
	DatasetNote       string       `json:"dataset_note"`
	ParamID           string       `json:"param_id"`
	Name              string       `json:"name"`
	Start             string       `json:"start"`
	Stop              string       `json:"stop"`
	AlreadyDownloaded bool         `json:"already_downloaded,omitempty"`
	Note              string       `json:"note,omitempty"`
	Units             string       `json:"units"`
	Components        []string     `json:"components"`
	Frame             string       `json:"frame,omitempty"`
	Cadence           string       `json:"cadence"`
	CadenceMS         float64      `json:"cadence_ms"`
	Mission           string       `json:"mission,omitempty"`
	Instrument        string       `json:"instrument,omitempty"`
	Shape             []int        `json:"shape"`
	NPoints           int          `json:"n_points"`
	NValid            int          `json:"n_valid"`
	ObtainedStart     string       `json:"obtained_start"`
	ObtainedStop      string       `json:"obtained_stop"`
	CoverageNote      string       `json:"coverage_note,omitempty"`
	WindowNote        string       `json:"window_note,omitempty"`
	AvailableStart    string       `json:"available_start,omitempty"`
	AvailableStop     string       `json:"available_stop,omitempty"`
	Quality           *Quality     `json:"quality,omitempty"`
	Stats             []ColumnStat `json:"stats"`
	StatsNote         string       `json:"stats_note,omitempty"`
	Preview           string       `json:"preview,omitempty"`
}

func getTimeseries(env *Env) tool.Tool {
	return tool.New("get_timeseries",
		"Fetch one parameter in a window of time and keep it at full resolution for run_python, where load_data(dataset) "+
			"returns it with fill values as NaN. Returns cadence, quality, and per column the statistics, each of which is in "+
			"the ledger as KEY_STAT, such as bgsm_bz_gsm_min or magnitude_max_time: KEY is the column's key, STAT one of "+
			"mean, median, std, min, max, min_time, max_time, n_samples, n_missing. Fetch a parameter once per window.",
		env.timeseries, tool.WithEffect(tool.ReadOnly))
}

func (e *Env) timeseries(ctx context.Context, in timeseriesInput) (tool.Result, error) {
	start, err := parseTime("start", in.Start)
	if err != nil {
		return tool.Result{}, err
	}
	stop, err := parseTime("stop", in.Stop)
	if err != nil {
		return tool.Result{}, err
	}
	if start != nil && stop != nil && *start >= *stop {
		return tool.Result{}, fmt.Errorf("the window starts at %v and stops at %v, which is not later; swap or correct them", *start, *stop)
	}
	root, err := e.openDir()
	if err != nil {
		return tool.Result{}, err
	}
	defer func() { _ = root.Close() }() // each file was closed with its error

	d, err := e.saved(ctx, root, in.ParamID, start, stop)
	if err != nil {
		return tool.Result{}, err
	}
	if d != nil {
		out := e.describe(ctx, d, start, stop)
		out.AlreadyDownloaded, out.Note = true, "this parameter and window were fetched before; nothing was fetched again"
		return reply(out, &Data{Tool: "get_timeseries", Dataset: d})
	}

	s, err := e.Archive.Fetch(ctx, in.ParamID, open(start), open(stop))
	if err != nil {
		return fetchFailure(ctx, err)
	}
	valid := validRecords(s)
	switch {
	case s.Len() == 0:
		return failure(map[string]any{"error": "the parameter " + in.ParamID + " has no records", "suggestion": "search for another parameter"}, nil)
	case valid == 0:
		return failure(map[string]any{
			"error":      fmt.Sprintf("every value of %s in this window is fill, so nothing was kept", in.ParamID),
			"suggestion": "try another window, or another parameter of the same quantity",
			"n_points":   s.Len(), "missing_pct": 100.0,
		}, nil)
	case len(s.Values) > maxSaved/8:
		return tool.Result{}, fmt.Errorf("%s has %d values in this window, more than the %d MB that are kept of one dataset; ask for a shorter window", in.ParamID, len(s.Values), maxSaved>>20)
	}
	d, values, err := e.save(ctx, root, s, valid, start, stop)
	if err != nil {
		return tool.Result{}, err
	}
	origin := ledger.Origin{Tool: "get_timeseries", Inputs: []ledger.Input{d.input()}}
	if err := e.record(ctx, origin, values); err != nil {
		return tool.Result{}, err
	}
	out := e.describe(ctx, d, start, stop)
	out.Preview = preview(s)
	return reply(out, &Data{Tool: "get_timeseries", Dataset: d, Values: values})
}

// saved returns what is kept of a parameter in a window, nil when it has to be
// fetched: also when its file has changed since. A dataset whose statistics the
// ledger has lost is fetched again.
func (e *Env) saved(ctx context.Context, root *os.Root, id string, start, stop *tt.Time) (*Dataset, error) {
	m, err := readManifest(root)
	if err != nil {
		return nil, err
	}
	if m.find(root, id, "", start, stop) == nil {
		return nil, nil
	}
	d := m.find(root, id, e.sourceSum(ctx, id), start, stop)
	if d == nil || e.Ledger == nil {
		return d, nil
	}
	known := map[string]bool{}
	for _, entry := range e.Ledger.Entries() {
		known[entry.Name] = true
	}
	for _, key := range d.Keys {
		if !known[key+"_n_samples"] {
			return nil, nil
		}
	}
	return d, nil
}

// sourceSum is the checksum of the file that a parameter stands in, as it is
// now; "" where the archive knows none.
func (e *Env) sourceSum(ctx context.Context, id string) string {
	files, ok := e.Archive.(interface {
		SHA256(ctx context.Context, dataset string) (string, error)
	})
	if !ok {
		return ""
	}
	_, dataset, _, err := archive.SplitID(id)
	if err != nil {
		return ""
	}
	sum, err := files.SHA256(ctx, dataset)
	if err != nil {
		return ""
	}
	return sum
}

// save keeps a series in the folder data and lists it.
func (e *Env) save(ctx context.Context, root *os.Root, s *series.Series, valid int, start, stop *tt.Time) (d *Dataset, values []ledger.Entry, err error) {
	err = updateManifest(root, func(m *manifest) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var npz bytes.Buffer
		if err := s.WriteNPZ(&npz); err != nil {
			return err
		}
		d = newDataset(s, m.place(datasetName(s.Name), s.ID, s.Meta.SHA256, start, stop), start, stop)
		d.Stats, values = statistics(s, d)
		d.NValid, d.Quality = valid, describeQuality(s.Quality())
		d.MissingPct = d.Quality.MissingPct
		d.Created = strconv.FormatInt(e.now().Unix(), 10)
		sum := sha256.Sum256(npz.Bytes())
		d.SHA256 = hex.EncodeToString(sum[:])
		if err := replaceFile(root, dataDir+"/"+d.File, npz.Bytes()); err != nil {
			return err
		}
		m.Datasets[d.Key] = d
		return nil
	})
	return d, values, err
}

func newDataset(s *series.Series, name string, start, stop *tt.Time) *Dataset {
	shape := []int{s.Len()}
	if s.Width() > 1 {
		if shape = append(shape, s.Dims...); len(s.Dims) == 0 {
			shape = append(shape, s.Width())
		}
	}
	d := &Dataset{
		Kind: "timeseries", Key: name, File: name + ".npz",
		ParamID: s.ID, Name: s.Name, Description: s.Description, Units: s.Units, Columns: s.Columns,
		Shape: shape, Frame: s.Meta.Frame,
		AskedStart: start, AskedStop: stop, Start: slices.Min(s.Time), Stop: slices.Max(s.Time),
		CadenceMS: float64(s.Cadence()) / float64(time.Millisecond),
		Source:    s.Meta.Source, SourceSHA256: s.Meta.SHA256, Title: s.Meta.DatasetTitle,
		Mission: s.Meta.Mission, Instrument: s.Meta.Instrument, DOI: s.Meta.DOI,
		Acknowledgement: s.Meta.Acknowledgement, Synthetic: s.Meta.Synthetic,
	}
	if len(d.Columns) == 0 {
		d.Columns = []string{s.Name}
	}
	if s.Width() <= maxStatColumns {
		d.Keys = columnKeys(name, d.Columns)
	} else {
		d.Keys = []string{}
	}
	return d
}

func (e *Env) describe(ctx context.Context, d *Dataset, start, stop *tt.Time) *timeseriesOutput {
	out := &timeseriesOutput{
		Dataset:     d.Key,
		DatasetNote: fmt.Sprintf("load_data(%q) in run_python", d.Key),
		ParamID:     d.ParamID, Name: d.Name, Units: d.Units, Components: d.Columns, Frame: d.Frame,
		Cadence: wording.Interval(d.Cadence()), CadenceMS: d.CadenceMS,
		Mission: d.Mission, Instrument: cut(d.Instrument, 80),
		Shape: d.Shape, NPoints: d.Shape[0], NValid: d.NValid, Quality: d.Quality, Stats: d.Stats,
		ObtainedStart: d.Start.String(), ObtainedStop: d.Stop.String(),
	}
	out.Start, out.Stop = out.ObtainedStart, out.ObtainedStop
	if start != nil {
		out.Start = start.String()
	}
	if stop != nil {
		out.Stop = stop.String()
	}
	if len(d.Keys) == 0 {
		out.StatsNote = fmt.Sprintf("the records have %d columns; compute statistics of the ones you need in run_python", len(d.Columns))
	}
	if d.Synthetic {
		out.DatasetNote += "; the data are synthetic, not measured: say so"
	}
	e.noteCoverage(ctx, out, d, start, stop)
	return out
}

// noteCoverage says where the data end before the window that was asked for.
func (e *Env) noteCoverage(ctx context.Context, out *timeseriesOutput, d *Dataset, start, stop *tt.Time) {
	var short tt.Time // the larger of what is missing at either end
	window := d.Stop - d.Start
	if start != nil && stop != nil {
		window = *stop - *start
	}
	if start != nil {
		short = max(short, d.Start-*start)
	}
	if stop != nil {
		short = max(short, *stop-d.Stop)
	}
	if slack := max(tt.Time(time.Minute), window/20, 2*tt.Time(d.Cadence())); short > slack {
		out.WindowNote = fmt.Sprintf("obtained %v to %v (asked %s to %s)", d.Start, d.Stop, out.Start, out.Stop)
	}
	p := e.parameter(ctx, d.ParamID)
	if p == nil || p.Start == tt.Fill {
		return // coverage is not known, which never stands in the way
	}
	cadence := tt.Time(d.Cadence())
	if (start != nil && *start < p.Start-cadence) || (stop != nil && *stop > p.Stop+2*cadence) {
		out.CoverageNote = fmt.Sprintf("the parameter covers %v to %v only, so part of the window has no data", p.Start, p.Stop)
		out.AvailableStart, out.AvailableStop = p.Start.String(), p.Stop.String()
	}
}

// parameter looks an id up in the inventory; nil where it is not listed.
func (e *Env) parameter(ctx context.Context, id string) *archive.Parameter {
	datasets, err := e.Archive.Inventory(ctx)
	if err != nil {
		return nil
	}
	for i := range datasets {
		for j := range datasets[i].Parameters {
			if p := &datasets[i].Parameters[j]; p.ID == id {
				return p
			}
		}
	}
	return nil
}

// fetchFailure words what an archive refuses, with the coverage where that
// helps.
func fetchFailure(ctx context.Context, err error) (tool.Result, error) {
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	var empty *archive.EmptyError
	var window *archive.WindowError
	first, last := tt.Fill, tt.Fill
	switch {
	case errors.As(err, &empty):
		first, last = empty.First, empty.Last
	case errors.As(err, &window):
		first, last = window.First, window.Last
	}
	if first == tt.Fill {
		return tool.Result{}, err
	}
	return failure(map[string]any{
		"error":           err.Error(),
		"suggestion":      "choose a window inside the coverage, or another parameter",
		"available_start": first.String(),
		"available_stop":  last.String(),
	}, nil)
}

func parseTime(what, text string) (*tt.Time, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	t, err := tt.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return &t, nil
}

func open(t *tt.Time) tt.Time {
	if t == nil {
		return tt.Fill
	}
	return *t
}

// validRecords counts the records with at least one value.
func validRecords(s *series.Series) int {
	n := 0
	for i := range s.Len() {
		if slices.ContainsFunc(s.Row(i), func(v float64) bool { return !math.IsNaN(v) }) {
			n++
		}
	}
	return n
}

package tools

import (
	"time"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/python"
)

// Data is what a result keeps for programs, as JSON in the session's log: a
// terminal shows figures from it, a notebook is a fold over it. Only the fields
// of the tool that made it are set.
type Data struct {
	Tool  string `json:"tool"`
	Error string `json:"error,omitempty"` // why the call failed; what is beside it still holds

	Dataset *Dataset `json:"dataset,omitempty"` // get_timeseries
	Script  *Script  `json:"script,omitempty"`  // run_python, run_recipe
	Formula *Formula `json:"formula,omitempty"` // the plasma formulas
	Plan    *Plan    `json:"plan,omitempty"`    // present_plan

	Figures []python.Figure `json:"figures,omitempty"` // file names in the session's folder
	Files   []string        `json:"files,omitempty"`   // other files that the script wrote there
	Values  []ledger.Entry  `json:"values,omitempty"`  // what went into the ledger, in order

	// final_answer
	Answer     string         `json:"answer,omitempty"`
	Unanswered bool           `json:"unanswered,omitempty"`
	Claims     []check.Claim  `json:"claims,omitempty"`
	Verdict    *check.Verdict `json:"verdict,omitempty"`
}

// A Dataset is a parameter in a window, saved in the session's folder. It is
// also an entry of data/manifest.json.
type Dataset struct {
	Kind   string `json:"kind"`    // "timeseries"
	Key    string `json:"dataset"` // what load_data knows it by
	File   string `json:"file"`    // in the folder data
	SHA256 string `json:"sha256"`  // of that file

	ParamID     string   `json:"param_id"`
	Name        string   `json:"name"` // the variable's own
	Description string   `json:"description,omitempty"`
	Units       string   `json:"units"`
	Columns     []string `json:"columns"`
	// Keys name the columns in the ledger: key_mean, key_max_time and so on.
	// Wide spectra have no statistics, and no keys.
	Keys  []string `json:"keys"`
	Shape []int    `json:"shape"`
	Frame string   `json:"frame,omitempty"`

	// AskedStart and AskedStop are the window asked for, half open; nil is an
	// open side. Start and Stop are the first and the last record in it.
	AskedStart *tt.Time `json:"asked_start"`
	AskedStop  *tt.Time `json:"asked_stop"`
	Start      tt.Time  `json:"start"`
	Stop       tt.Time  `json:"stop"`

	CadenceMS  float64      `json:"cadence_ms"`
	MissingPct float64      `json:"missing_pct"`
	NValid     int          `json:"n_valid"` // records with at least one value
	Quality    *Quality     `json:"quality,omitempty"`
	Stats      []ColumnStat `json:"stats"`

	Source          string `json:"source"`        // the file that the data come from
	SourceSHA256    string `json:"source_sha256"` // of that file
	Title           string `json:"title,omitempty"`
	Mission         string `json:"mission,omitempty"`
	Instrument      string `json:"instrument,omitempty"`
	DOI             string `json:"doi,omitempty"`
	Acknowledgement string `json:"acknowledgement,omitempty"`
	Synthetic       bool   `json:"synthetic,omitempty"`
	Created         string `json:"created"` // Unix seconds
}

// Cadence is the median step of the records with data.
func (d *Dataset) Cadence() time.Duration {
	return time.Duration(d.CadenceMS * float64(time.Millisecond))
}

// input is the dataset as something that a value was computed from.
func (d *Dataset) input() ledger.Input {
	in := ledger.Input{ID: d.ParamID, Dataset: d.Key, SHA256: d.SourceSHA256, Start: d.Start, Stop: d.Stop + 1}
	if d.AskedStart != nil {
		in.Start = *d.AskedStart
	}
	if d.AskedStop != nil {
		in.Stop = *d.AskedStop
	}
	return in
}

// A Script is one run of Python.
type Script struct {
	Index  int    `json:"index"`
	Name   string `json:"name"` // "code_3.py", in the session's folder
	Code   string `json:"code"`
	SHA256 string `json:"sha256"` // of the code
	OK     bool   `json:"ok"`

	Stdout   string            `json:"stdout,omitempty"` // cut as the model sees it
	Seconds  float64           `json:"seconds"`
	Versions map[string]string `json:"versions,omitempty"` // of Python and its libraries
	Loaded   []string          `json:"loaded,omitempty"`   // datasets that it read
	Recipe   *RecipeRun        `json:"recipe,omitempty"`
}

// A RecipeRun says which recipe a script is a run of: Code is Bindings, the
// recipe's source and Call.
type RecipeRun struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	SHA256    string `json:"sha256"` // of the source
	Reference string `json:"reference"`
	Bindings  string `json:"bindings"`
	Call      string `json:"call"`
}

// A Formula is one plasma quantity computed from given values.
type Formula struct {
	Name       string         `json:"name"`   // of the tool
	Inputs     map[string]any `json:"inputs"` // arguments by name
	Expression string         `json:"expression"`
	Convention string         `json:"convention"`
	Source     string         `json:"source"`
	Constants  string         `json:"constants"`
}

// A Plan is what the agent means to do, in order.
type Plan struct {
	Title string `json:"title"`
	Steps []Step `json:"steps"`
}

// A Step is one line of a plan.
type Step struct {
	Description string `json:"description"    jsonschema:"what this step does"`
	Tool        string `json:"tool,omitempty" jsonschema:"the tool it mainly uses"`
}

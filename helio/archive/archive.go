// Package archive is where measurements come from: something that can say what
// it holds and hand over one parameter in a window of time.
//
// [Local] is the archive over files on this machine, CDF and CSV, or over files
// embedded in a program:
//
//	arch, err := archive.OpenLocal([]string{"ac_h0_mfi_20230102_v07.cdf"})
//	if err != nil {
//		return err
//	}
//	datasets, err := arch.Inventory(ctx)       // headers and time axes, no data
//	...
//	s, err := arch.Fetch(ctx, "local/ac_h0_mfi_20230102_v07/Magnitude", start, stop)
//
// An id is provider/dataset/parameter ([JoinID], [SplitID]); the dataset of a
// local file is its name without folder and ending.
//
// What it promises: listing never reads data; fill values are NaN in what Fetch
// returns; and each error is one sentence that says what to do next, of a type
// that a program can tell apart ([UnknownError], [WindowError], [EmptyError],
// [FormatError], [MissingError], [NothingError]).
package archive

import (
	"context"
	"time"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// An Archive lists datasets and fetches their parameters. Implementations are
// safe for concurrent use.
type Archive interface {
	// Name is a short name for people, as in "local files".
	Name() string
	// Inventory lists all datasets in a stable order. It reads headers and
	// time axes, never data. Where listing the parameters of thousands of
	// datasets would take thousands of requests, they are left out and
	// Dataset.Partial says so. The caller must not change what it returns.
	Inventory(ctx context.Context) ([]Dataset, error)
	// Describe returns one dataset with all that is known of it: parameters,
	// coverage, and how to cite it. The caller must not change it. The error
	// for one that is not there is an [*UnknownError].
	Describe(ctx context.Context, dataset string) (*Dataset, error)
	// Fetch reads one parameter in [start, stop); [tt.Fill] leaves that side
	// open. Fill values are NaN. The series is the caller's own.
	Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error)
}

// A Dataset is a set of parameters that belong together: what an archive gives a
// name, or one local file.
type Dataset struct {
	ID         string // as in "ac_h0_mfi_20230102_v07"
	Title      string
	Provider   string // first part of the ids, as in "local"
	Source     string // path or name of the file
	Mission    string // as in "ACE"; "" where unknown
	Instrument string

	// Coverage of all parameters together; [tt.Fill] when there is no record.
	Start, Stop tt.Time
	Cadence     time.Duration // of the parameter with most records; 0 when unknown
	Records     int           // of the parameter with most records

	Region string // where it was measured, as in "solar wind"; "" where unknown
	Type   string // kind of measurement, as in "magnetic field"; "" where unknown

	DOI             string
	SPASE           string // SPASE resource id
	Citation        string // how the source wants its data cited
	ResourceURL     string // a page about the data
	License         string
	Acknowledgement string
	Modified        string // when the data last changed, in the source's words
	Synthetic       bool   // the file says that its data are made up

	// Partial says that Parameters is not the whole list, see [Archive.Describe].
	Partial    bool
	Parameters []Parameter
}

// A Parameter is one time-dependent variable of a dataset.
type Parameter struct {
	ID          string // as in "local/ac_h0_mfi_20230102_v07/BGSM"
	Dataset     string // the dataset's id
	Name        string // as in "BGSM"
	Description string
	Units       string    // as the file writes it; "" where it says nothing
	Columns     []string  // labels, one for a scalar; nil where the source names none of very many
	Dims        []int     // shape of one record; nil for a scalar
	Text        bool      // its values are words, which a Series cannot hold
	Template    *Template // what is left to choose; nil where nothing is
	Frame       string    // coordinate frame, as in "GSM"; "" where unknown
	Role        string    // "data", "support_data" or "metadata"
	Mission     string

	// Start and Stop are the first and the last instant of the time axis, both
	// inside; [tt.Fill] when there is no record.
	Start, Stop tt.Time
	Cadence     time.Duration // median step of the time axis
	Records     int
	// TimeAxis is the name of the variable that holds the times, which parameters of
	// one dataset may share or not; "" where all share one, or nothing is known.
	TimeAxis string
	// TimeDecimals is how many decimals of a second the times need: 3, 6 or 9; 0
	// where nothing is known.
	TimeDecimals int
	// Axes are the bins of the dimensions, as in a Series; those that change from
	// record to record have only their name and unit. nil where none are known.
	Axes []series.Axis
}

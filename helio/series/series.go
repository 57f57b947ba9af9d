// Package series holds one measured quantity over time: a time axis in TT2000,
// the values row by row, and what is known about them (units, labels, frame,
// where they came from).
//
//	s, err := arch.Fetch(ctx, "local/ac_h0_mfi_20230102_v07/BGSM", tt.Fill, tt.Fill)
//	if err != nil {
//		return err
//	}
//	bz := s.Stats(2)                            // mean, median, extremes and when
//	fmt.Printf("%.3f %v\n", bz.Min, bz.MinTime) // -4.394 2023-01-02T21:00:13Z
//	fmt.Println(s.Cadence())                    // 16s
//	err = s.WriteNPZ(file)                      // np.load reads it
//
// Series of different instruments are brought together, smoothed, summed over
// energies and written:
//
//	hourly, err := s.Resample(tt.Fill, tt.Fill, time.Hour, nil) // means; [Series.ResampleAt] for given times
//	both, err := series.Join([]*series.Series{a, b}, &series.JoinOptions{Method: series.Mean})
//	smooth, err := s.Rolling(10*time.Minute, nil)
//	flux, err := spectrum.Integrated(0, 30, 100) // keV, where the axis is in keV
//	err = series.WriteFile("both.csv", both...)  // or .npz .hapi .json .vot
//
// What it promises: a missing value is NaN and nothing else, because the fill
// rule ([MaskFill]) is applied once, where the data enter, with the fill value
// that the file declares for that very variable. Everything after it only has
// to know NaN. Intervals of time are half-open. Nothing is filled in: where
// there is no datum there is NaN, and what reaches between data, [Nearest] and
// [Linear], stops at gaps. Times are compared where their intervals have their
// middle, as far as TimeStampLocation tells. No method changes the series that
// it is called on. A result may share slices with what it was made from.
package series

import (
	"slices"
	"sort"

	"github.com/helios-go/helios/helio/tt"
)

// A Series is one variable on a time axis of N instants, each with a record of
// C values (C is 1 for a scalar, 3 for a field vector, more for a spectrum).
//
// The zero value is an empty scalar series. A Series may be read by several
// goroutines at once; whoever holds it owns its slices, which [Series.Window]
// shares with what it returns.
type Series struct {
	// ID is the full identifier, as in "local/ac_h0_mfi_20230102_v07/BGSM".
	ID string
	// Name is the variable's own name, as in "BGSM".
	Name string
	// Units is the unit as the source writes it, as in "nT"; "" where it says
	// nothing, which does not mean dimensionless.
	Units string
	// Description is one line for people.
	Description string

	// Time has N instants. Records without a valid time are dropped when the
	// data are read; the order is the file's, which is increasing in nearly
	// all files but not guaranteed.
	Time []tt.Time
	// Columns has C labels, as in "Bx GSM"; one for a scalar.
	Columns []string
	// Values has N*C numbers, record after record. Missing is NaN.
	Values []float64
	// Dims is the shape of one record; nil for a scalar, [3] for a vector.
	Dims []int
	// Axes says what the places along each of Dims stand for, such as energies;
	// nil where nothing is said, otherwise one for each of Dims.
	Axes []Axis

	Meta Meta
}

// An Axis gives the bins along one dimension of a record of n places: energies
// of a spectrum, for one. The zero value is a dimension that is not binned, as
// that of a vector's components.
type Axis struct {
	Name  string // as in "energy"; "" where nothing is said
	Units string // as the source writes it, as in "keV"
	// Centers has n values, or N*n record after record when Varying; nil where
	// only ranges are known.
	Centers []float64
	// Ranges has n pairs of lower and upper limit, or N*n when Varying; nil
	// where only centers are known.
	Ranges  []float64
	Varying bool // each record has bins of its own
}

// Binned reports whether the axis has bins.
func (a Axis) Binned() bool { return len(a.Centers) > 0 || len(a.Ranges) > 0 }

// window returns the axis for the records from lo to hi of n.
func (a Axis) window(lo, hi, n int) Axis {
	if !a.Varying || n == 0 {
		return a
	}
	if w := len(a.Centers) / n; w > 0 {
		a.Centers = a.Centers[lo*w : hi*w : hi*w]
	}
	if w := len(a.Ranges) / n; w > 0 {
		a.Ranges = a.Ranges[lo*w : hi*w : hi*w]
	}
	return a
}

// Meta is what the source says about a series, besides its name and units.
type Meta struct {
	Dataset      string `json:"dataset,omitempty"` // the dataset's id, as in "ac_h0_mfi_20230102_v07"
	DatasetTitle string `json:"title,omitempty"`
	Mission      string `json:"mission,omitempty"` // as in "ACE"
	Instrument   string `json:"instrument,omitempty"`
	Frame        string `json:"frame,omitempty"` // coordinate frame, as in "GSM"; "" where unknown
	Role         string `json:"role,omitempty"`  // "data" or "support_data"

	Fill     []float64 `json:"fill,omitempty"`     // fill values as declared, already applied; one, or one a column
	ValidMin []float64 `json:"validMin,omitempty"` // lower limit as declared, not applied; one, or one a column
	ValidMax []float64 `json:"validMax,omitempty"` // upper limit as declared, not applied; one, or one a column

	Source          string `json:"source,omitempty"` // name of the file that the data were read from
	SHA256          string `json:"sha256,omitempty"` // of that file's bytes, in hex
	DOI             string `json:"doi,omitempty"`
	SPASE           string `json:"spase,omitempty"`       // SPASE resource id, as in "spase://NASA/NumericalData/ACE/MAG/L2/PT16S"
	Citation        string `json:"citation,omitempty"`    // how the source wants its data cited
	ResourceURL     string `json:"resourceURL,omitempty"` // a page about the data
	License         string `json:"license,omitempty"`     // name or address of it
	Acknowledgement string `json:"acknowledgement,omitempty"`
	Synthetic       bool   `json:"synthetic,omitempty"` // the source says that its data are made up
	// Notes are what a careful reader should know of how the data were obtained, one
	// sentence each: that a choice was made for him, for one.
	Notes []string `json:"notes,omitempty"`

	// TimeStampLocation says where in its interval a record's time lies:
	// "begin", "center", "end" or "other"; "" where the source says nothing.
	TimeStampLocation string `json:"timeStampLocation,omitempty"`
}

// Len returns N, the number of records.
func (s *Series) Len() int { return len(s.Time) }

// Width returns C, the number of values in a record; 1 for a scalar.
func (s *Series) Width() int {
	if len(s.Columns) == 0 {
		return 1
	}
	return len(s.Columns)
}

// Column returns a copy of the N values of column i. It panics when there is
// no such column.
func (s *Series) Column(i int) []float64 {
	w := s.Width()
	if i < 0 || i >= w {
		panic("series: no such column")
	}
	out := make([]float64, s.Len())
	for r := range out {
		out[r] = s.Values[r*w+i]
	}
	return out
}

// Row returns the C values of record i, a view into Values.
func (s *Series) Row(i int) []float64 {
	w := s.Width()
	return s.Values[i*w : (i+1)*w : (i+1)*w]
}

// Ordered reports whether the time axis never goes back.
func (s *Series) Ordered() bool { return slices.IsSorted(s.Time) }

// Window returns the records in [start, stop): start is inside, stop is not.
// [tt.Fill] leaves that side open. On an ordered axis the result shares its
// slices with s; otherwise they are copied.
func (s *Series) Window(start, stop tt.Time) *Series {
	out := *s
	if s.Ordered() {
		lo, hi := Bounds(s.Time, start, stop)
		w := s.Width()
		out.Time = s.Time[lo:hi:hi]
		out.Values = s.Values[lo*w : hi*w : hi*w]
		out.Axes = slices.Clone(s.Axes)
		for i, a := range s.Axes {
			out.Axes[i] = a.window(lo, hi, s.Len())
		}
		return &out
	}
	out.Time, out.Values, out.Axes = nil, nil, slices.Clone(s.Axes)
	for i := range out.Axes {
		if out.Axes[i].Varying {
			out.Axes[i].Centers, out.Axes[i].Ranges = nil, nil
		}
	}
	for i, t := range s.Time {
		if t < start || (stop != tt.Fill && t >= stop) {
			continue
		}
		out.Time = append(out.Time, t)
		out.Values = append(out.Values, s.Row(i)...)
		for j, a := range s.Axes {
			if !a.Varying {
				continue
			}
			one := a.window(i, i+1, s.Len())
			out.Axes[j].Centers = append(out.Axes[j].Centers, one.Centers...)
			out.Axes[j].Ranges = append(out.Axes[j].Ranges, one.Ranges...)
		}
	}
	return &out
}

// Bounds returns the index range of the instants in [start, stop) on an
// ordered axis; [tt.Fill] leaves that side open. The range is empty, never
// inverted.
func Bounds(axis []tt.Time, start, stop tt.Time) (lo, hi int) {
	hi = len(axis)
	if start != tt.Fill {
		lo = sort.Search(len(axis), func(i int) bool { return axis[i] >= start })
	}
	if stop != tt.Fill {
		hi = sort.Search(len(axis), func(i int) bool { return axis[i] >= stop })
	}
	return lo, max(lo, hi)
}

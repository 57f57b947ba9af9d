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
// What it promises: a missing value is NaN and nothing else, because the fill
// rule ([MaskFill]) is applied once, where the data enter, with the fill value
// that the file declares for that very variable. Everything after it only has
// to know NaN. No method changes the series that it is called on.
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

	Meta Meta
}

// Meta is what the source says about a series, besides its name and units.
type Meta struct {
	Dataset      string // the dataset's id, as in "ac_h0_mfi_20230102_v07"
	DatasetTitle string
	Mission      string // as in "ACE"
	Instrument   string
	Frame        string // coordinate frame, as in "GSM"; "" where unknown
	Role         string // "data" or "support_data"

	Fill     []float64 // fill values as declared, already applied; one, or one a column
	ValidMin []float64 // lower limit as declared, not applied; one, or one a column
	ValidMax []float64 // upper limit as declared, not applied; one, or one a column

	Source          string // name of the file that the data were read from
	SHA256          string // of that file's bytes, in hex
	DOI             string
	Acknowledgement string
	Synthetic       bool // the source says that its data are made up
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
		return &out
	}
	out.Time, out.Values = nil, nil
	for i, t := range s.Time {
		if t < start || (stop != tt.Fill && t >= stop) {
			continue
		}
		out.Time = append(out.Time, t)
		out.Values = append(out.Values, s.Row(i)...)
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

package series_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

// Everything in three real files goes through a CSV file unchanged, and hours
// made of it hold each value once.
func TestRealSeriesSurviveFilesAndHours(t *testing.T) {
	t.Parallel()
	a, err := archive.OpenLocal([]string{
		testdata.File(t, "data/ac_h0_mfi_20230102_v07.cdf"),
		testdata.File(t, "data/omni_coho1hr_merged_mag_plasma_20240901_v01.cdf"),
		testdata.File(t, "data/ge_k0_cpi_19921231_v02.cdf"),
	})
	if err != nil {
		t.Fatal(err)
	}
	datasets, err := a.Inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, d := range datasets {
		for _, p := range d.Parameters {
			s, err := a.Fetch(t.Context(), p.ID, tt.Fill, tt.Fill)
			if err != nil || s.Len() == 0 {
				continue // what is no numbers over time
			}
			checked++
			got, err := series.ReadCSV(bytes.NewReader(write(t, series.CSV, s)), nil)
			if err != nil || len(got) != 1 || !same(got[0], s) {
				t.Errorf("%s does not read back: %v", s.ID, err)
			}
			hours, err := s.Resample(tt.Fill, tt.Fill, time.Hour, &series.ResampleOptions{Method: series.Count})
			if err != nil {
				t.Errorf("%s: %v", s.ID, err)
				continue
			}
			for c := range s.Width() {
				n := 0.0
				for _, v := range hours.Column(c) {
					n += v
				}
				if st := s.Stats(c); n != float64(st.Valid) {
					t.Errorf("%s column %d: %v values in hours, %d valid", s.ID, c, n, st.Valid)
				}
			}
			for _, f := range []series.Format{series.NPZ, series.HAPI, series.JSON, series.VOTable} {
				if len(write(t, f, s)) == 0 {
					t.Errorf("%s as %s is empty", s.ID, f)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d parameters were checked", checked)
	}
}

// The magnitude that ACE's file holds is the mean of 16 seconds of them; that
// of the mean vector is never larger.
func TestMagnitudesOfRealVectorsAreThoseInTheFile(t *testing.T) {
	t.Parallel()
	a, err := archive.OpenLocal([]string{testdata.File(t, "data/ac_h0_mfi_20230102_v07.cdf")})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := fetchReal(t, a, "local/ac_h0_mfi_20230102_v07/BGSEc").Magnitude()
	if err != nil {
		t.Fatal(err)
	}
	theirs := fetchReal(t, a, "local/ac_h0_mfi_20230102_v07/Magnitude")
	both, err := series.Join([]*series.Series{ours, theirs}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range both[1].Values {
		if d := v - both[0].Values[i]; d < -2e-3 {
			t.Fatalf("at %v: magnitude %v of the vector, %v in the file", both[0].Time[i], both[0].Values[i], v)
		}
	}
	if m := both[0].Stats(0).Mean; math.Abs(m-3.670545) > 0.1 {
		t.Errorf("mean magnitude: got %v, want a little below 3.67", m)
	}
}

func fetchReal(t *testing.T, a archive.Archive, id string) *series.Series {
	t.Helper()
	s, err := a.Fetch(t.Context(), id, tt.Fill, tt.Fill)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

package archive_test

import (
	"math"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

func TestRealFilesHoldTheirKnownTruths(t *testing.T) {
	t.Parallel()
	const ace, omni = "ac_h0_mfi_20230102_v07", "omni_coho1hr_merged_mag_plasma_20240901_v01"
	a, err := archive.OpenLocal([]string{testdata.File(t, "data/"+ace+".cdf"), testdata.File(t, "data/"+omni+".cdf")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id        string
		column    int
		n, valid  int
		what      string
		want, tol float64
		when      string
	}{
		{ace + "/Magnitude", 0, 5400, 5400, "mean", 3.670545, 5e-7, ""},
		{ace + "/Magnitude", 0, 5400, 5400, "min", 0.544, 1e-6, "2023-01-02T14:35:25"},
		{ace + "/Magnitude", 0, 5400, 5400, "max", 5.261, 1e-6, "2023-01-02T03:41:01"},
		{ace + "/BGSEc", 0, 5400, 5400, "mean", -0.918113, 5e-7, ""},
		{ace + "/BGSEc", 1, 5400, 5400, "mean", 1.473871, 5e-7, ""},
		{ace + "/BGSEc", 2, 5400, 5400, "mean", -0.351447, 5e-7, ""},
		{ace + "/BGSM", 1, 5400, 5400, "mean", 1.494923, 5e-7, ""},
		{ace + "/BGSM", 2, 5400, 5400, "mean", -0.160452, 5e-7, ""},
		{ace + "/BGSM", 2, 5400, 5400, "min", -4.394, 1e-6, "2023-01-02T21:00:13"},
		{ace + "/SC_pos_GSE", 0, 5400, 5400, "min", 1424183, 0.5, ""},
		{ace + "/SC_pos_GSE", 0, 5400, 5400, "max", 1425920, 0.5, ""},
		{ace + "/dBrms", 0, 5400, 5400, "max", 3.2, 1e-6, "2023-01-02T19:13:49"},
		{omni + "/ABS_B", 0, 720, 709, "mean", 8.157828, 5e-7, ""},
		{omni + "/ABS_B", 0, 720, 709, "max", 28.4, 1e-5, "2024-09-12T14"},
		{omni + "/V", 0, 720, 720, "mean", 408.715278, 5e-7, ""},
		{omni + "/V", 0, 720, 720, "max", 574, 0, "2024-09-12T18"},
		{omni + "/N", 0, 720, 720, "max", 30, 0, "2024-09-12T09"},
		{omni + "/T", 0, 720, 720, "max", 574620, 0, "2024-09-12T10"},
		{omni + "/BN", 0, 720, 709, "min", -19.6, 1e-5, ""},
		{omni + "/BR", 0, 720, 709, "max", 13.4, 1e-5, "2024-09-12T17"},
	} {
		s := fetch(t, a, "local/"+c.id)
		st := s.Stats(c.column)
		got, when := st.Mean, tt.Fill
		switch c.what {
		case "min":
			got, when = st.Min, st.MinTime
		case "max":
			got, when = st.Max, st.MaxTime
		}
		if st.N != c.n || st.Valid != c.valid || math.Abs(got-c.want) > c.tol {
			t.Errorf("%s %s of column %d: got %v of %d in %d, want %v of %d in %d", c.id, c.what, c.column, got, st.Valid, st.N, c.want, c.valid, c.n)
		}
		if c.when != "" && when != at(t, c.when) {
			t.Errorf("%s %s: got it at %v, want %s", c.id, c.what, when, c.when)
		}
	}
	if s := fetch(t, a, "local/"+ace+"/Time_PB5"); s.Len() != 0 {
		t.Errorf("Time_PB5 has no records, got %d", s.Len())
	}
}

func TestAGeotailFileOf1993ListsAndReads(t *testing.T) {
	t.Parallel()
	a, err := archive.OpenLocal([]string{testdata.File(t, "data/ge_k0_cpi_19921231_v02.cdf")})
	if err != nil {
		t.Fatal(err)
	}
	d := inventory(t, a)[0]
	if d.Mission != "Geotail" || d.Records != 1090 || d.Cadence != 64*time.Second || len(d.Parameters) != 17 {
		t.Errorf("got %+v", d)
	}
	for _, p := range d.Parameters {
		s := fetch(t, a, p.ID)
		if s.Len() != 1090 || s.Stats(0).Valid == 0 {
			t.Errorf("%s: got %d records, %+v", p.ID, s.Len(), s.Stats(0))
		}
	}
}

func TestAListedParameterIsDescribedAsItIsFetched(t *testing.T) {
	t.Parallel()
	a, err := archive.OpenLocal([]string{testdata.File(t, "data")})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range inventory(t, a) {
		for _, p := range d.Parameters {
			s := fetch(t, a, p.ID)
			if s.ID != p.ID || s.Name != p.Name || s.Units != p.Units || s.Width() != len(p.Columns) || s.Len() != p.Records ||
				s.Meta.Frame != p.Frame || s.Meta.Mission != p.Mission || s.Meta.Dataset != d.ID || s.Meta.DatasetTitle != d.Title {
				t.Errorf("%s: listed %+v, fetched %+v", p.ID, p, s.Meta)
			}
			if s.Len() > 0 && (s.Time[0] != p.Start || s.Time[s.Len()-1] != p.Stop) {
				t.Errorf("%s: listed %v to %v, fetched %v to %v", p.ID, p.Start, p.Stop, s.Time[0], s.Time[s.Len()-1])
			}
		}
	}
}

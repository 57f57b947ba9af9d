package archive

import (
	"math"
	"os"
	"testing"

	"github.com/helios-go/helios/internal/testdata"
)

func TestARealAnswerOfSSCWeb(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(testdata.File(t, "data/sscweb_trajectory.xml"))
	if err != nil {
		t.Fatal(err)
	}
	times, values, err := parseSSCLocations(data)
	if err != nil || len(times) != 61 || len(values) != 183 {
		t.Fatalf("%d times, %d values, %v", len(times), len(values), err)
	}
	if times[0] != instant(t, "2006-01-08T01:00") || times[60] != instant(t, "2006-01-08T02:00") {
		t.Errorf("from %v to %v", times[0], times[60])
	}
	if values[0] != -102719.89954676693 || values[1] != 366124.3077098972 || values[180] != -106043.05851515925 {
		t.Errorf("positions %v and %v", values[:3], values[180:])
	}
	// The file gives the distance as well: to its precision the two agree.
	if r := math.Sqrt(values[180]*values[180] + values[181]*values[181] + values[182]*values[182]); math.Abs(r-380700.25481944886) > 1e-3 {
		t.Errorf("the last distance is %v km", r)
	}
	for n := 0; n < len(data); n += 7 {
		if _, _, err := parseSSCLocations(data[:n]); err == nil {
			t.Fatalf("cut at %d of %d: no error", n, len(data))
		}
	}
}

func FuzzSSC(f *testing.F) {
	f.Add([]byte(`<Response><Result><StatusCode>Success</StatusCode><StatusSubCode>Success</StatusSubCode><Data><Coordinates><X>1</X><Y>2</Y><Z>-1e31</Z></Coordinates><Time>2006-01-08T01:00:00.000Z</Time></Data></Result></Response>`))
	f.Add([]byte(`<ObservatoryResponse><Observatory><Id>ace</Id><Resolution>720</Resolution></Observatory></ObservatoryResponse>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if times, values, err := parseSSCLocations(data); err == nil && len(values) != 3*len(times) {
			t.Errorf("%d values for %d times", len(values), len(times))
		}
		if all, err := parseSSCObservatories(data); err == nil {
			for _, d := range all {
				if _, _, _, err := SplitID(d.Parameters[0].ID); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

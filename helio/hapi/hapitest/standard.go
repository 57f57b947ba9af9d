package hapitest

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Datasets are those that a server has when it is given none.
func Datasets() []*Dataset {
	return []*Dataset{Kinds(), Minutes(), Unicode(), Gaps(), Images(), References()}
}

func day(year, month, dayOfMonth int) time.Time {
	return time.Date(year, time.Month(month), dayOfMonth, 0, 0, 0, 0, time.UTC)
}

// wave is the scalar of the kinds: sin(pi s/600), s seconds after the start.
func wave(i int64) float64 { return math.Sin(math.Pi * float64(i) / 600) }

var bins = map[string]any{
	"name": "frequency", "units": "Hz",
	"centers": []any{1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0},
	"ranges":  []any{[]any{0.0, 2.0}, []any{2.0, 4.0}, []any{4.0, 6.0}, []any{6.0, 8.0}, []any{8.0, 10.0}, []any{10.0, 12.0}, []any{12.0, 14.0}, []any{14.0, 16.0}, []any{16.0, 18.0}, []any{18.0, 20.0}},
}

// Kinds has one parameter of every kind, one record a second.
func Kinds() *Dataset {
	angle := map[string]any{"name": "pitch angle", "units": "degrees", "centers": []any{10.0, 45.0, 80.0}}
	const fill = -1e31
	filled := func(n int) func(int64, time.Time) any {
		return func(i int64, _ time.Time) any {
			v := make([]float64, n)
			for j := range v {
				if v[j] = wave(i) + float64(j); (i+int64(j))%5 == 4 {
					v[j] = fill
				}
			}
			if n == 1 {
				return v[0]
			}
			return v
		}
	}
	spectrum := func(n int) func(int64, time.Time) any {
		return func(i int64, _ time.Time) any {
			v := make([]float64, n)
			for j := range v {
				v[j] = float64(i%7) + 1/float64(j+1)
			}
			return v
		}
	}
	return &Dataset{
		ID: "kinds", Title: "A parameter of every kind", Start: day(1970, 1, 1), Stop: day(1970, 1, 11), Cadence: time.Second,
		More: map[string]any{
			"timeStampLocation": "BEGIN", "modificationDate": "2024-05-11T02:14:00Z", "resourceURL": "https://example.org/kinds",
			"datasetCitation": "https://doi.org/10.0/kinds", "unitsSchema": "udunits2", "coordinateSystemSchema": "spase2.4.1",
			"geoLocation": []any{11.0, 48.0, 520.0}, "x_own": map[string]any{"anything": 1},
		},
		Params: []Param{
			{Name: "scalar", Type: "double", Units: "m", Fill: "-1e31", Value: filled(1),
				More: map[string]any{"description": "sin(pi t/600)", "label": "a scalar"}},
			{Name: "integer", Type: "integer", Units: nil, Fill: "-2147483648", Value: func(i int64, _ time.Time) any {
				if i%5 == 4 {
					return math.MinInt32
				}
				return int(i) - 3
			}},
			{Name: "string", Type: "string", Length: 12, Units: nil, Fill: "_", Value: func(i int64, _ time.Time) any {
				return []string{"plain", "with, comma", `with "quote"`, "_", "  blanks ", ""}[i%6]
			}},
			{Name: "isotime", Type: "isotime", Length: 20, Units: "UTC", Fill: "0000-00-00T00:00:00Z", Value: func(i int64, t time.Time) any {
				if i%5 == 4 {
					return "0000-00-00T00:00:00Z"
				}
				return t.Add(time.Hour).Format("2006-01-02T15:04:05Z")
			}},
			{Name: "category", Type: "integer", Units: nil, Fill: "99", Value: func(i int64, _ time.Time) any { return int(i % 3) }},
			{Name: "without fill", Type: "double", Units: "nT", Fill: nil, Value: func(i int64, _ time.Time) any { return 99999.9 + float64(i%3) }},
			{Name: "vector", Type: "double", Size: []int{3}, Units: "nT", Fill: "-1e31", Value: filled(3),
				More: map[string]any{"coordinateSystemName": "GSM", "vectorComponents": []any{"x", "y", "z"}, "label": []any{"Bx", "By", "Bz"}}},
			{Name: "vectorint", Type: "integer", Size: []int{3}, Units: []any{"a", "b", "c"}, Fill: "-1", Value: func(i int64, _ time.Time) any {
				return []int{int(i), -1, int(i) + 2}
			}},
			{Name: "vectorstr", Type: "string", Size: []int{3}, Length: 8, Units: nil, Fill: nil, Value: func(i int64, _ time.Time) any {
				return []string{fmt.Sprint("x", i%10), "y,y", `"z"`}
			}},
			{Name: "matrix", Type: "double", Size: []int{2, 3}, Units: "m", Fill: "-1e31", Value: filled(6)},
			{Name: "tensor", Type: "double", Size: []int{3, 3}, Units: "m", Fill: "-1e31", Value: filled(9)},
			{Name: "single", Type: "double", Size: []int{1}, Units: []any{"m"}, Fill: "NaN", Value: func(i int64, _ time.Time) any {
				if i%5 == 4 {
					return []float64{math.NaN()}
				}
				return []float64{wave(i)}
			}},
			{Name: "spectrum", Type: "double", Size: []int{10}, Units: "eV", Fill: "0", Value: spectrum(10), More: map[string]any{"bins": []any{bins}}},
			{Name: "spectrum100", Type: "double", Size: []int{100}, Units: "eV", Fill: nil, Value: spectrum(100), More: map[string]any{"bins": []any{many(100)}}},
			{Name: "spectrum2", Type: "double", Size: []int{3, 10}, Units: "eV", Fill: nil, Value: spectrum(30), More: map[string]any{"bins": []any{angle, bins}}},
			{Name: "unbinned", Type: "double", Size: []int{3, 10}, Units: "eV", Fill: nil, Value: spectrum(30),
				More: map[string]any{"bins": []any{map[string]any{"name": "row", "units": nil, "centers": nil}, bins}}},
			{Name: "varying", Type: "double", Size: []int{4}, Units: "eV", Fill: "-1e31", Value: spectrum(4),
				More: map[string]any{"bins": []any{map[string]any{"name": "energy", "units": "keV", "centers": "energies", "ranges": "limits"}}}},
			{Name: "energies", Type: "double", Size: []int{4}, Units: "keV", Fill: "-1e31", Value: filled(4)},
			{Name: "limits", Type: "double", Size: []int{4, 2}, Units: "keV", Fill: "-1e31", Value: filled(8)},
			{Name: "unicode", Type: "string", Length: 16, Units: nil, Fill: nil, Value: func(i int64, _ time.Time) any {
				return []string{"Aα☃👍", "é", "", "Zürich"}[i%4]
			}},
		},
	}
}

func many(n int) map[string]any {
	centers := make([]any, n)
	for i := range centers {
		centers[i] = float64(i) + 0.5
	}
	return map[string]any{"name": "channel", "units": "Hz", "centers": centers}
}

// Minutes has a magnitude and a vector a minute, for years.
func Minutes() *Dataset {
	field := func(i int64) [3]float64 {
		x := float64(i%100003) / 777
		return [3]float64{round(4 * math.Sin(x)), round(4 * math.Cos(1.7*x)), round(3 * math.Sin(2.3*x+1))}
	}
	return &Dataset{
		ID: "minutes", Title: "Magnetic field, 1 min", Start: day(2020, 1, 1), Stop: day(2025, 1, 1), Cadence: time.Minute,
		More: map[string]any{"modificationDate": "2025-02-01T00:00:00Z"},
		Params: []Param{
			{Name: "Magnitude", Type: "double", Units: "nT", Fill: "-1.0E31", Value: func(i int64, _ time.Time) any {
				b := field(i)
				return round(math.Sqrt(b[0]*b[0] + b[1]*b[1] + b[2]*b[2]))
			}},
			{Name: "B_GSE", Type: "double", Size: []int{3}, Units: "nT", Fill: "-1.0E31", Value: func(i int64, _ time.Time) any {
				b := field(i)
				if i%1000 == 999 {
					b = [3]float64{-1e31, -1e31, -1e31}
				}
				return b[:]
			}, More: map[string]any{"coordinateSystemName": "GSE"}},
			{Name: "Quality", Type: "integer", Units: nil, Fill: "255", Value: func(i int64, _ time.Time) any { return int(i % 4) }},
		},
	}
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

// Unicode has an id with Greek letters, a snowman, an emoji and slashes, and names
// with blanks and signs.
func Unicode() *Dataset {
	return &Dataset{
		ID: "Aα☃👍/definitive/PT1M", Title: "Names of all sorts", Start: day(2014, 1, 1), Stop: day(2014, 1, 8), Cadence: time.Minute,
		Params: []Param{
			{Name: "unicodevector (A;α;☃;👍)", Type: "string", Size: []int{4}, Length: 4, Value: func(int64, time.Time) any { return []string{"A", "α", "☃", "👍"} }},
			{Name: "name with a blank", Type: "double", Units: "km/s", Value: func(i int64, _ time.Time) any { return float64(i) / 8 }},
			{Name: "a+b&c=d%", Type: "integer", Value: func(i int64, _ time.Time) any { return int(i) }},
		},
	}
}

// Gaps has days without a record, and one of nothing but fill.
func Gaps() *Dataset {
	return &Dataset{
		ID: "gaps", Title: "Days without data", Start: day(2023, 1, 1), Stop: day(2023, 2, 1), Cadence: time.Minute,
		Absent: func(_ int64, t time.Time) bool { d := t.Day(); return d >= 10 && d < 13 || d == 20 && t.Hour() > 3 },
		Params: []Param{{Name: "V", Type: "double", Units: "km/s", Fill: "9999.99", Value: func(i int64, t time.Time) any {
			if t.Day() == 15 {
				return 9999.99
			}
			return float64(i%5000) / 10
		}}},
	}
}

// Images has addresses of images, at no cadence that the header tells.
func Images() *Dataset {
	return &Dataset{
		ID: "images", Title: "Addresses of images", Start: day(1981, 9, 16), Stop: day(1981, 10, 17), Cadence: 7 * time.Hour, Hidden: true,
		More: map[string]any{"timeStampLocation": "begin"},
		Params: []Param{
			{Name: "TimeEnd", Type: "isotime", Length: 17, Units: "UTC", Value: func(_ int64, t time.Time) any { return t.Add(time.Hour).Format("2006-01-02T15:04Z") }},
			{Name: "URI", Type: "string", Length: 64, More: map[string]any{"stringType": map[string]any{"uri": map[string]any{"mediaType": "image/png", "scheme": "https"}}},
				Value: func(i int64, _ time.Time) any { return fmt.Sprintf("https://example.org/a,b/%05d.png", i) }},
		},
	}
}

// References has a header that refers to its own definitions.
func References() *Dataset {
	ref := func(name string) any { return map[string]any{"$ref": "#/definitions/" + name} }
	return &Dataset{
		ID: "references", Title: "A header with definitions", Start: day(2001, 1, 1), Stop: day(2001, 1, 2), Cadence: time.Second,
		More: map[string]any{
			"maxRequestDuration": "PT6H",
			"definitions": map[string]any{
				"fill": "-1e31", "unit": "keV", "centers": []any{1.0, 3.0}, "bins": map[string]any{"name": "energy", "units": "keV", "centers": []any{1.0, 3.0}},
			},
		},
		Params: []Param{
			{Name: "flux", Type: "double", Size: []int{2}, Units: ref("unit"), Fill: ref("fill"), More: map[string]any{"bins": []any{ref("bins")}},
				Value: func(i int64, _ time.Time) any { return []float64{float64(i), -1e31} }},
			{Name: strings.Repeat("long", 20), Type: "double", Units: "m", Fill: ref("fill"), Value: func(i int64, _ time.Time) any { return -float64(i) }},
		},
	}
}

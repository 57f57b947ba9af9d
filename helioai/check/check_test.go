package check_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
)

func at(t testing.TB, s string) tt.Time {
	t.Helper()
	x, err := tt.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// ace is the ledger after the statistics of one day of a 16 s field and of a
// month of hourly data.
func ace(t testing.TB) []ledger.Entry {
	o := ledger.Origin{Tool: "run_python", Code: "code_0.py", Inputs: []ledger.Input{{
		ID: "local/ac_h0_mfi_20230102_v07/Magnitude", Start: at(t, "2023-01-02"), Stop: at(t, "2023-01-03")}}}
	h := ledger.Origin{Tool: "get_timeseries", Inputs: []ledger.Input{{ID: "local/omni/ABS_B", Start: at(t, "2024-09-01"), Stop: at(t, "2024-10-01")}}}
	return []ledger.Entry{
		ledger.NewNumber("magnitude_mean", 3.67048, "nT", o),
		ledger.NewNumber("magnitude_max", 5.2612, "nT", o),
		ledger.NewTime("magnitude_max_time", at(t, "2023-01-02T03:41:01"), 16*time.Second, o),
		ledger.NewNumber("bgsm_bz_min", -4.3942, "nT", o),
		ledger.NewCount("magnitude_n_samples", 5400, "", o),
		ledger.NewNumber("abs_b_max", 28.4, "nT", h),
		ledger.NewTime("abs_b_max_time", at(t, "2024-09-12T14:00"), time.Hour, h),
		ledger.NewNumber("bulk_speed_mean", 408.7345, "km/s", h),
		ledger.NewCount("abs_b_n_samples", 720, "", h),
		ledger.NewCount("abs_b_n_missing", 11, "", h),
	}
}

func claim(name string, value any, units string) check.Claim {
	return check.Claim{Name: name, Value: value, Units: units}
}

func num(s string) json.Number { return json.Number(s) }

// lines renders a verdict for comparison: one "text: status entry" per line.
func lines(v *check.Verdict) []string {
	var out []string
	for _, l := range v.Claims {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s", l.Text, l.Status, l.Entry)))
	}
	for _, l := range v.Numbers {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s", l.Text, l.Status, l.Entry)))
	}
	return out
}

func expect(t *testing.T, v *check.Verdict, want ...string) {
	t.Helper()
	if got := lines(v); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("verdict:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestAnAnswerWhoseNumbersAreAllRecorded(t *testing.T) {
	t.Parallel()
	v := check.Answer(check.Input{
		Question: "What is the mean and the maximum of the field magnitude, and when was the maximum?",
		Answer:   "The mean field magnitude was 3.6705 nT. The maximum, 5.261 nT, came at 03:41:01 UTC on 2023-01-02.",
		Claims: []check.Claim{
			claim("magnitude_mean", num("3.6705"), "nT"),
			claim("magnitude_max", num("5.261"), "nT"),
			claim("magnitude_max_time", "2023-01-02T03:41:01Z", ""),
		},
		Entries: ace(t),
	})
	expect(t, v,
		"magnitude_mean = 3.6705 nT: matched magnitude_mean",
		"magnitude_max = 5.261 nT: matched magnitude_max",
		"magnitude_max_time = 2023-01-02T03:41:01Z: matched magnitude_max_time")
	if !v.AllMatched() || v.Summary() != "3 matched" {
		t.Errorf("AllMatched = %v, summary %q", v.AllMatched(), v.Summary())
	}
}

func TestTheSameAnswerWithoutClaimsIsReadFromItsProse(t *testing.T) {
	t.Parallel()
	v := check.Answer(check.Input{
		Question: "Strongest field and mean speed in September 2024?",
		Answer: "In September 2024 the strongest field was 28.4 nT (2024-09-12T14). The mean speed was 408.7 km/s. " +
			"Of the 720 hours, 11 have no field.",
		Entries: ace(t),
	})
	expect(t, v,
		"September 2024: given",
		"28.4 nT: matched abs_b_max",
		"2024-09-12T14: matched abs_b_max_time",
		"408.7 km/s: matched bulk_speed_mean",
		"720 hours: matched abs_b_n_samples",
		"11: matched abs_b_n_missing")
	if !v.AllMatched() {
		t.Errorf("AllMatched = false: %s", v.Summary())
	}
}

func TestClaimsAreDecidedByTheEntryTheyName(t *testing.T) {
	t.Parallel()
	entries := append(ace(t), ledger.NewNumber("b_upstream", 13.02, "nT", ledger.Origin{}), ledger.NewNumber("b_downstream", 14.5, "nT", ledger.Origin{}))
	for _, c := range []struct {
		claim  check.Claim
		status check.Status
		entry  string
	}{
		{claim("b_downstream", num("14.5"), "nT"), check.Matched, "b_downstream"},
		{claim("b_downstream", num("13.02"), "nT"), check.Contradicted, "b_downstream"}, // the value of another entry
		{claim("downstream field", num("14.5"), "nT"), check.Unsourced, ""},             // names nothing
		{check.Claim{Name: "downstream field", Value: num("14.5"), Units: "nT", Source: "b_downstream"}, check.Matched, "b_downstream"},
		{check.Claim{Name: "b_upstream", Value: num("14.5"), Units: "nT", Source: "b_downstream"}, check.Matched, "b_downstream"},
		{claim("B downstream", num("14.5"), "nT"), check.Matched, "b_downstream"}, // but for case and blanks
		{check.Claim{Name: "b_downstream", Value: num("99"), Units: "nT", Source: "literature"}, check.Unsourced, ""},
		{check.Claim{Name: "b_downstream", Value: num("99"), Units: "nT", Source: "asserted: by Smith"}, check.Unsourced, ""},

		// Small whole numbers are decided too, and exactly.
		{claim("abs_b_n_missing", num("11"), ""), check.Matched, "abs_b_n_missing"},
		{claim("abs_b_n_missing", num("11.0"), ""), check.Matched, "abs_b_n_missing"},
		{claim("abs_b_n_missing", num("12"), ""), check.Contradicted, "abs_b_n_missing"},
		{claim("abs_b_n_missing", num("11"), "hours"), check.Matched, "abs_b_n_missing"},
		{claim("abs_b_n_missing", num("11"), "samples"), check.Matched, "abs_b_n_missing"},
		{claim("magnitude_n_samples", num("5400"), ""), check.Matched, "magnitude_n_samples"},
		{claim("magnitude_n_samples", num("5401"), ""), check.Contradicted, "magnitude_n_samples"}, // within 0.5 % and wrong
		{claim("magnitude_n_samples", num("5.4e3"), ""), check.Matched, "magnitude_n_samples"},
		{claim("magnitude_n_samples", num("5.5e3"), ""), check.Contradicted, "magnitude_n_samples"},

		// Units.
		{claim("magnitude_max", num("5261"), "pT"), check.Matched, "magnitude_max"},
		{claim("magnitude_max", num("0.005261"), "uT"), check.Matched, "magnitude_max"},
		{claim("magnitude_max", num("5.261"), "uT"), check.Contradicted, "magnitude_max"},
		{claim("magnitude_max", num("5.261"), "km/s"), check.Contradicted, "magnitude_max"},
		{claim("magnitude_max", num("5.261"), "gizmos"), check.Unsourced, "magnitude_max"}, // cannot be judged
		{claim("magnitude_max", num("5.261"), ""), check.Matched, "magnitude_max"},
		{claim("magnitude_max", num("0.005261"), ""), check.Unsourced, "magnitude_max"}, // no unit: no accusation
		{claim("bulk_speed_mean", num("408734.5"), "m/s"), check.Matched, "bulk_speed_mean"},

		// Signs.
		{claim("bgsm_bz_min", num("-4.394"), "nT"), check.Matched, "bgsm_bz_min"},
		{claim("bgsm_bz_min", num("4.394"), "nT"), check.Contradicted, "bgsm_bz_min"},
		{claim("bgsm_bz_min", "−4.394 nT", ""), check.Matched, "bgsm_bz_min"},

		// Times at the precision shown, within the cadence.
		{claim("magnitude_max_time", "2023-01-02T03:41", ""), check.Matched, "magnitude_max_time"},
		{claim("magnitude_max_time", "03:41", ""), check.Matched, "magnitude_max_time"},
		{claim("magnitude_max_time", "2023-01-02T03:41:10", ""), check.Matched, "magnitude_max_time"},
		{claim("magnitude_max_time", "2023-01-02T03:41:17", ""), check.Contradicted, "magnitude_max_time"},
		{claim("magnitude_max_time", "2023-01-02T03:42", ""), check.Contradicted, "magnitude_max_time"},
		{claim("magnitude_max_time", "2023-01-03T03:41:01", ""), check.Contradicted, "magnitude_max_time"},
		{claim("magnitude_max_time", "2023-01-02 03:41:01+00:00", ""), check.Matched, "magnitude_max_time"},
		{claim("magnitude_max_time", "2023-01-02T04:41:01+01:00", ""), check.Matched, "magnitude_max_time"},
		{claim("magnitude_max_time", "2023-002T03:41:01.000000000", ""), check.Matched, "magnitude_max_time"},
		{claim("magnitude_max_time", "2 January 2023", ""), check.Matched, "magnitude_max_time"},
		{claim("magnitude_max_time", num("3.68"), "h"), check.Unsourced, "magnitude_max_time"},
		{claim("abs_b_max_time", "2024-09-12T14", ""), check.Matched, "abs_b_max_time"},
		{claim("abs_b_max_time", "2024-09-12T14:30", ""), check.Matched, "abs_b_max_time"},
		{claim("abs_b_max_time", "2024-09-12T13", ""), check.Contradicted, "abs_b_max_time"}, // a whole cadence away
		{claim("abs_b_max_time", "2024-09-12T15", ""), check.Contradicted, "abs_b_max_time"},
		{claim("abs_b_max_time", "2024-09-13", ""), check.Contradicted, "abs_b_max_time"},
		{claim("magnitude_max", "2023-01-02T03:41:01", ""), check.Unsourced, "magnitude_max"},

		// What is no number.
		{claim("magnitude_max", "large", "nT"), check.Unsourced, "magnitude_max"},
		{claim("magnitude_max", nil, "nT"), check.Unsourced, "magnitude_max"},
		{claim("magnitude_max", "NaN", "nT"), check.Contradicted, "magnitude_max"},
		{claim("", nil, ""), check.Unsourced, ""},
	} {
		v := check.Answer(check.Input{Claims: []check.Claim{c.claim}, Entries: entries})
		l := v.Claims[0]
		if l.Status != c.status || l.Entry != c.entry {
			t.Errorf("claim %+v: %s by %q (%s), want %s by %q", c.claim, l.Status, l.Entry, l.Note, c.status, c.entry)
		}
		if l.Status == check.Contradicted && l.Ledger == "" {
			t.Errorf("claim %+v: contradicted without saying by what", c.claim)
		}
	}
}

func TestToleranceIsHalfAPercentOrTheLastDecimal(t *testing.T) {
	t.Parallel()
	one := func(v float64, units string) []ledger.Entry {
		return []ledger.Entry{ledger.NewNumber("x", v, units, ledger.Origin{})}
	}
	for _, c := range []struct {
		recorded float64
		ru       string
		claimed  string
		cu       string
		status   check.Status
	}{
		{2.5848, "", "2.59", "", check.Matched},
		{2.5848, "", "2.61", "", check.Contradicted},
		{57.16, "deg", "57.2", "deg", check.Matched},
		{57.16, "deg", "57", "deg", check.Matched},
		{57.16, "deg", "0.9976", "rad", check.Matched},
		{57.16, "deg", "62.7", "deg", check.Contradicted},
		{57.16, "deg", "57.2", "km/s", check.Contradicted},
		{0.0153, "", "0.02", "", check.Matched}, // rounded as shown
		{0.0153, "", "0.01", "", check.Contradicted},
		{0.3, "nT", "0", "nT", check.Matched},
		{-0.3, "nT", "0.3", "nT", check.Contradicted},
		{5.7e5, "K", "5.7e5", "K", check.Matched},
		{5.72e5, "K", "5.7e5", "K", check.Matched},
		{5.79e5, "K", "5.7e5", "K", check.Contradicted},
		{5.7e5, "K", "0.57", "MK", check.Matched},
		{116045, "K", "10", "eV", check.Derived}, // by temperature-energy equivalence, said so
		{116045, "K", "20", "eV", check.Contradicted},
		{0.0153, "fraction", "1.53", "%", check.Matched},
		{0.0153, "fraction", "0.0153", "%", check.Contradicted},
		{1.53, "%", "1.53", "%", check.Matched},
		{1.53, "%", "0.0153", "ratio", check.Matched},
		{1.53, "%", "1.53", "ratio", check.Contradicted},
		{5, "cm^-3", "5", "#/cc", check.Matched},
		{5, "cm^-3", "5e6", "m^-3", check.Matched},
		{math.NaN(), "nT", "3", "nT", check.Contradicted},
		{math.NaN(), "nT", "NaN", "nT", check.Matched},
		{math.Inf(1), "nT", "1e300", "nT", check.Contradicted},
	} {
		v := check.Answer(check.Input{Claims: []check.Claim{claim("x", c.claimed, c.cu)}, Entries: one(c.recorded, c.ru)})
		if l := v.Claims[0]; l.Status != c.status {
			t.Errorf("%v %s claimed as %s %s: %s (%s), want %s", c.recorded, c.ru, c.claimed, c.cu, l.Status, l.Note, c.status)
		}
	}
}

func TestPercentAndFractionByTheEntrysName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		recorded float64
		claimed  string
		status   check.Status
	}{
		{"fraction_below", 0.0153, "1.53", check.Matched},
		{"fraction_below", 0.0153, "0.0153", check.Contradicted},
		{"missing_pct", 1.53, "1.53", check.Matched},
		{"missing_pct", 1.53, "153", check.Contradicted},
		{"below", 0.0153, "1.53", check.Matched}, // the ledger leaves it open
	} {
		v := check.Answer(check.Input{Claims: []check.Claim{claim(c.name, c.claimed, "%")},
			Entries: []ledger.Entry{ledger.NewNumber(c.name, c.recorded, "", ledger.Origin{})}})
		if l := v.Claims[0]; l.Status != c.status {
			t.Errorf("%s = %v claimed as %s %%: %s, want %s", c.name, c.recorded, c.claimed, l.Status, c.status)
		}
	}
}

func TestArraysStateTheirStatisticsButNeverAccuse(t *testing.T) {
	t.Parallel()
	b := ledger.Entry{Name: "b_window", Kind: ledger.KindSeries, Units: "nT", Mean: 10.077, Min: 8.2, Max: 12.4, Std: 0.5, N: 100, NaN: 3, Shape: []int{103}}
	small := ledger.Entry{Name: "normal", Kind: ledger.KindSeries, Mean: 0.2, Min: -0.3714, Max: 0.7428, Std: 0.4, N: 3, Shape: []int{3}, Sample: []float64{0.5571, 0.7428, -0.3714}}
	for _, c := range []struct {
		claim  check.Claim
		status check.Status
	}{
		{claim("b_window", "0.0101", "uT"), check.Matched},
		{claim("b_window", "10.4", "nT"), check.Matched}, // within one standard deviation
		{claim("b_window", "30", "nT"), check.Unsourced},
		{claim("b_window", "12.4", "nT"), check.Matched},
		{claim("b_window", "103", "samples"), check.Matched},
		{claim("b_window", "3", ""), check.Matched}, // missing ones
		{claim("normal", "-0.371", ""), check.Matched},
		{claim("normal", "0.99", ""), check.Unsourced},
	} {
		v := check.Answer(check.Input{Claims: []check.Claim{c.claim}, Entries: []ledger.Entry{b, small}})
		if l := v.Claims[0]; l.Status != c.status {
			t.Errorf("claim %+v: %s (%s), want %s", c.claim, l.Status, l.Note, c.status)
		}
	}
	v := check.Answer(check.Input{Answer: "The normal is (0.557, 0.743, −0.371).", Entries: []ledger.Entry{b, small}})
	expect(t, v, "0.557: matched normal", "0.743: matched normal", "−0.371: matched normal")
}

func TestAnyRunOfANameMayBeTheSource(t *testing.T) {
	t.Parallel()
	entries := []ledger.Entry{ledger.NewNumber("theta_bn", 57.16, "deg", ledger.Origin{Code: "code_1.py"}), ledger.NewNumber("theta_bn", 60.9, "deg", ledger.Origin{Code: "code_2.py"})}
	v := check.Answer(check.Input{Claims: []check.Claim{claim("theta_bn", "57.2", "deg"), claim("theta_bn", "60.9", "deg"), claim("theta_bn", "54", "deg")}, Entries: entries})
	expect(t, v, "theta_bn = 54 deg: contradicted theta_bn", "theta_bn = 57.2 deg: matched theta_bn", "theta_bn = 60.9 deg: matched theta_bn")
	if l := v.Claims[1]; l.Code != "code_1.py" || !strings.Contains(l.Note, "earlier") {
		t.Errorf("the older value is said to come from %s: %q", l.Code, l.Note)
	}
	if l := v.Claims[0]; l.Ledger != "60.9" || l.LedgerUnits != "deg" {
		t.Errorf("contradicted by %s %s, want the latest, 60.9 deg", l.Ledger, l.LedgerUnits)
	}
}

func TestTextEntries(t *testing.T) {
	t.Parallel()
	entries := []ledger.Entry{
		ledger.NewText("regime", "quasi-perpendicular", ledger.Origin{}),
		ledger.NewText("when", "2023-01-02 03:41:01", ledger.Origin{}),
		ledger.NewText("fit", "slope -1.67 over 3 decades", ledger.Origin{}),
	}
	v := check.Answer(check.Input{Claims: []check.Claim{
		claim("regime", "Quasi-perpendicular", ""), claim("regime", "quasi-parallel", ""),
		claim("when", "2023-01-02T03:41:01Z", ""), claim("when", "2023-01-02T05:00", ""), claim("fit", "-1.67", ""), claim("fit", "-2.5", ""),
	}, Entries: entries})
	expect(t, v,
		"regime = quasi-parallel: contradicted regime", "when = 2023-01-02T05:00: contradicted when",
		"fit = -2.5: unsourced fit",
		"regime = Quasi-perpendicular: matched regime", "when = 2023-01-02T03:41:01Z: matched when", "fit = -1.67: matched fit")
}

func TestClaimsKeepTheDecimalsOfTheirJSON(t *testing.T) {
	t.Parallel()
	var claims []check.Claim
	if err := json.Unmarshal([]byte(`[{"name":"x","value":2.50},{"name":"x","value":2.5},{"name":"x","value":"2.50"}]`), &claims); err != nil {
		t.Fatal(err)
	}
	v := check.Answer(check.Input{Claims: claims, Entries: []ledger.Entry{ledger.NewNumber("x", 2.54, "", ledger.Origin{})}})
	expect(t, v, "x = 2.50: contradicted x", "x = 2.50: contradicted x", "x = 2.5: matched x")
}

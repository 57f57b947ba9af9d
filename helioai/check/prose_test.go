package check_test

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
)

func TestProseNumbers(t *testing.T) {
	t.Parallel()
	n := func(name string, v float64, units string) ledger.Entry {
		return ledger.NewNumber(name, v, units, ledger.Origin{})
	}
	count := func(name string, v int64) ledger.Entry { return ledger.NewCount(name, v, "", ledger.Origin{}) }
	for _, c := range []struct {
		why, question, answer string
		entries               []ledger.Entry
		want                  []string
	}{
		{"the name around a number decides", "", "B downstream was 13.02 nT.",
			[]ledger.Entry{n("B_upstream", 13.02, "nT"), n("B_downstream", 14.5, "nT")},
			[]string{"13.02 nT: contradicted B_downstream"}},
		{"each number goes to the nearest name", "", "The mean magnitude was 3.67 nT and the maximum 5.261 nT.",
			ace(t), []string{"3.67 nT: matched magnitude_mean", "5.261 nT: matched magnitude_max"}},
		{"swapped values are seen", "", "The mean magnitude was 5.261 nT and the maximum 3.67 nT.",
			ace(t), []string{"5.261 nT: contradicted magnitude_mean", "3.67 nT: contradicted magnitude_max"}},
		{"names may stand behind", "", "Magnitude: 3.67 nT (mean), 5.261 nT (max).",
			ace(t), []string{"3.67 nT: matched magnitude_mean", "5.261 nT: matched magnitude_max"}},
		{"another component is not accused", "", "The minimum of By was −3.2 nT.",
			[]ledger.Entry{n("bgsm_bz_min", -4.394, "nT")}, []string{"−3.2 nT: unsourced"}},
		{"another statistic is not accused", "", "The maximum speed was 550 km/s.",
			[]ledger.Entry{n("speed", 408.7, "km/s")}, []string{"550 km/s: unsourced"}},
		{"without a name the value decides", "", "We find 3.67 nT and 9.9 nT.",
			ace(t), []string{"3.67 nT: matched magnitude_mean", "9.9 nT: unsourced"}},
		{"units are converted", "", "That is 3670 pT or 0.00367 uT, not 3.67 uT.",
			ace(t), []string{"3670 pT: matched magnitude_mean", "0.00367 uT: matched magnitude_mean", "3.67 uT: unsourced"}},
		{"signs count", "", "Bz reached 4.394 nT; Bz reached −4.394 nT; Bz reached -4.394 nT.",
			ace(t), []string{"4.394 nT: unsourced", "−4.394 nT: matched bgsm_bz_min", "-4.394 nT: matched bgsm_bz_min"}},
		{"scientific notation", "", "5.7e5 K, 5.7×10^5 K, 5.7 × 10⁵ K, 5.7 x 10^5 K and $5.7 \\times 10^{5}$ K, not 5.7e6 K",
			[]ledger.Entry{n("t_p", 5.7e5, "K")},
			[]string{"5.7e5 K: matched t_p", "5.7×10^5 K: matched t_p", "5.7 × 10⁵ K: matched t_p", "5.7 x 10^5 K: matched t_p", "5.7 \\times 10^{5}$ K: matched t_p", "5.7e6 K: unsourced"}},
		{"decimal commas", "", "9,79 nT aus 1,800 Werten, -0,657",
			[]ledger.Entry{n("b", 9.79, "nT"), n("r", -0.657, "1"), n("q", 1.8, "1")},
			[]string{"9,79 nT: matched b", "1,800: matched q", "-0,657: matched r"}},
		{"thousands", "", "1,800 points of 1\u202f234\u202f567 and 12,345.6 K",
			[]ledger.Entry{count("n_points", 1800), count("n_all", 1234567), n("temp", 12345.6, "K")},
			[]string{"1,800: matched n_points", "1 234 567: matched n_all", "12,345.6 K: matched temp"}},
		{"a comma with no other sign is what the ledger knows", "", "The field was 5,261 nT.",
			ace(t), []string{"5,261 nT: matched magnitude_max"}},
		{"counts are exact", "", "11 of 720 hours have no field; elsewhere 12 of 721 hours.",
			ace(t), []string{"11: matched abs_b_n_missing", "720 hours: matched abs_b_n_samples", "12: unsourced", "721 hours: unsourced"}},
		{"a share follows from counts", "", "That is 1.5 % of the hours, 98.5 % are good, 709 hours; 7.3 % is a guess.",
			ace(t), []string{"1.5 %: derived", "98.5 %: derived", "709 hours: derived", "7.3 %: derived"}},
		{"a difference of counts", "", "So 709 remain.", ace(t), []string{"709: derived"}},
		{"shown arithmetic is repeated", "", "5.261 nT − 3.67 nT = 1.591 nT, and 5.261 nT - 3.67 nT = 2.5 nT, 5.261 nT / 3.67 nT = 1.43",
			ace(t), []string{"5.261 nT: matched magnitude_max", "3.67 nT: matched magnitude_mean", "1.591 nT: derived",
				"5.261 nT: matched magnitude_max", "3.67 nT: matched magnitude_mean", "2.5 nT: unsourced",
				"5.261 nT: matched magnitude_max", "3.67 nT: matched magnitude_mean", "1.43: derived"}},
		{"a dash is no arithmetic", "", "The field — 12.3 nT — was strong.", ace(t), []string{"12.3 nT: unsourced"}},
		{"a ratio is derived", "", "The field rose 1.43 times.", ace(t), []string{"1.43: derived"}},
		{"ranges and uncertainties share the unit", "", "between 3.67 and 5.261 nT, 3.67–5.261 nT, θ = 57.2 ± 3.1 deg",
			append(ace(t), n("theta", 57.16, "deg"), n("theta_err", 3.1, "deg")),
			[]string{"3.67: matched magnitude_mean", "5.261 nT: matched magnitude_max", "3.67: matched magnitude_mean", "5.261 nT: matched magnitude_max",
				"57.2: matched theta", "3.1 deg: matched theta_err"}},
		{"limits are judged as limits", "", "The maximum magnitude exceeded 5 nT. The maximum magnitude exceeded 6 nT.",
			ace(t), []string{"5 nT: matched magnitude_max", "6 nT: contradicted magnitude_max"}},
		{"the question's numbers are given", "How often was Bz below -3 nT between 06:00 and 12:00 on 2023-01-02? n = 5 cm^-3, B = 5 nT",
			"On 2023-01-02 from 06:00 to 12:00, Bz was below −3 nT for 5 of 720 hours. With n = 5 cm^-3 and B = 5 nT: 48.773 km/s.",
			append(ace(t), n("alfven_speed_km_s", 48.7732, "km/s"), count("hours_below", 5)),
			[]string{"2023-01-02: given", "06:00: given", "12:00: given", "−3 nT: given", "5: given", "720 hours: matched abs_b_n_samples",
				"5 cm^-3: given", "5 nT: given", "48.773 km/s: matched alfven_speed_km_s"}},
		{"the question does not excuse a named value", "Is the maximum magnitude 6 nT?", "The maximum magnitude was 6 nT.",
			ace(t), []string{"6 nT: contradicted magnitude_max"}},
		{"tables", "", "| Quantity | Mean (nT) | Max (nT) |\n|---|---|---|\n| magnitude | 3.67 | 6.1 |\n",
			ace(t), []string{"3.67: matched magnitude_mean", "6.1: contradicted magnitude_max"}},
		{"tables with a unit column", "", "| Statistic | Value | Unit |\n|:--|--:|:--|\n| magnitude mean | 3.67 | nT |\n| magnitude max | 9.99 | nT |",
			ace(t), []string{"3.67: matched magnitude_mean", "9.99: contradicted magnitude_max"}},
		{"lists", "", "Field magnitude:\n- mean: 3.67 nT\n- max: 7.5 nT\n\n1. The minimum Bz is −4.394 nT\n2. Then 28.4 nT",
			ace(t), []string{"3.67 nT: matched magnitude_mean", "7.5 nT: contradicted magnitude_max", "−4.394 nT: matched bgsm_bz_min", "28.4 nT: matched abs_b_max"}},
		{"a bare number is no field strength", "", "It happened 5 times and 4 times.", ace(t), []string{"5: unsourced", "4: unsourced"}},
		{"a value without a unit is not accused", "", "The mean magnitude was 9.9.", ace(t), []string{"9.9: unsourced magnitude_mean"}},
		{"values in code spans count", "", "`B = 3.67 nT` and `mean(b[0:5400]) = 9.9 nT`", ace(t), []string{"3.67 nT: matched magnitude_mean", "9.9 nT: unsourced"}},
		{"a change is not the value", "", "The mean magnitude rose by 1.5 nT, to within 0.2 nT of the mean magnitude, 3.67 ± 0.9 nT.",
			ace(t), []string{"1.5 nT: unsourced", "0.2 nT: unsourced", "3.67: matched magnitude_mean", "0.9 nT: unsourced"}},
		{"the cadence is known", "", "16-second averages and hourly (1 h) ones, not 64 s", ace(t),
			[]string{"16-second: matched magnitude_max_time", "1 h: matched abs_b_max_time", "64 s: unsourced"}},
		{"three statistics in a row", "", "The mean magnitude over the day was 3.67 nT, with a standard deviation of 0.86 nT, and the median 9 nT.",
			append(ace(t), n("magnitude_std", 0.8581, "nT"), n("magnitude_median", 3.61, "nT")),
			[]string{"3.67 nT: matched magnitude_mean", "0.86 nT: matched magnitude_std", "9 nT: contradicted magnitude_median"}},
		{"no ledger", "", "It was 3.67 nT.", nil, []string{"3.67 nT: unsourced"}},
	} {
		v := check.Answer(check.Input{Question: c.question, Answer: c.answer, Entries: c.entries})
		if got := lines(v); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q\n  %s\nwant\n  %s", c.why, c.answer, strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
		}
	}
}

func TestDigitsThatAreNoNumbers(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"AC_H0_MFI, AC_H0_MFI/BGSM and cda/AC_H0_MFI/Magnitude",
		"`local/ac_h0_mfi_20230102_v07/BGSM`, ac_h0_mfi_20230102_v07.cdf and 20230102.cdf",
		`local/my%20data%20(v2)/B_2 and (local/sp%20ace%20'q"%20$5/B)`,
		"see data/fig_1_0.png, /tmp/x/2023/01/a.csv, ./code_3.py and C:\\data\\5\\b.txt",
		"B_GSM, B_x2, n_p1, H2O, He2+, O7+/O6+, MMS1, GOES-16, L1, 3DP",
		"at 1 AU from the Sun",
		"CDF 2.4, version 3.9, v1.2.3, Python 3.11, numpy 1.26.4, release 7",
		"1. First\n2. Second\n   3. Third",
		"## 2 Results\n### 2.1 Field",
		"Schwartz (1998), Smith et al., 2001, Sonnerup & Scheible (1998), (Shue, 1998), eq. 10.3, section 4.2",
		"Figure 2, Table 3, Eq. 4, step 5, Cluster 4, solar cycle 25, Level 2 data",
		"as found before [12] and elsewhere [3,4]",
		"(1) the field, (2) the flow",
		"https://doi.org/10.1029/2023JA031234 and doi:10.3389/fspas.2022.1058810",
		"[link](figures/5/6.png)",
		"sha256 3f2a9c1d7e and e3b0c44298fc1c149afbf4c8996fb924",
		"```python\nx = 5.5\nprint(17)\n```",
		"2 spacecraft, 3 components, 4 panels, a 2-D plot, a 3-component vector, the 1990s, the 2nd and 3rd",
		"session 01936f2a-7134-7982-9123-012345678901",
		"&#39;quoted&#39; and #5",
		"cm^-3, s^-1, nT^2/Hz",
	} {
		if v := check.Answer(check.Input{Answer: answer, Entries: ace(t)}); len(v.Numbers) != 0 {
			t.Errorf("%q: %s", answer, strings.Join(lines(v), "; "))
		}
	}
}

func TestProseTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, question, answer string
		want                  []string
	}{
		{"every way to write it", "", "2023-01-02T03:41:01Z, 2023-01-02 03:41, 03:41:01, 3:41 am, 2 January 2023 at 03:41:01 UTC, January 2, 2023, 03:41 UT, 2023-002T03:41, day 2 of 2023, DOY 002 2023, 20230102T034101Z, 03h41",
			[]string{"2023-01-02T03:41:01Z: matched magnitude_max_time", "2023-01-02 03:41: matched magnitude_max_time", "03:41:01: matched magnitude_max_time",
				"3:41 am: matched magnitude_max_time", "2 January 2023 at 03:41:01 UTC: matched magnitude_max_time", "January 2, 2023, 03:41 UT: matched magnitude_max_time",
				"2023-002T03:41: matched magnitude_max_time", "day 2 of 2023: matched", "DOY 002 2023: matched", "20230102T034101Z: matched magnitude_max_time", "03h41: matched magnitude_max_time"}},
		{"hours", "", "The strongest field came on 2024-09-12 at 14 UT, or 12 September 2024 14:00, or 1400 UT, 14–20 UT.",
			[]string{"2024-09-12 at 14 UT: matched abs_b_max_time", "12 September 2024 14:00: matched abs_b_max_time", "1400 UT: matched abs_b_max_time", "14–20 UT: matched abs_b_max_time", "14–20 UT: unsourced"}},
		{"a wrong time beside its name", "", "The maximum magnitude of 5.261 nT came at 03:45.",
			[]string{"5.261 nT: matched magnitude_max", "03:45: contradicted magnitude_max_time"}},
		{"a wrong time without a name", "", "It came at 07:45.", []string{"07:45: unsourced"}},
		{"the asked window is context", "Field on 2 January 2023 from 06:00 to 12:00?", "2023-01-02T06:00 to 2023-01-02T12:00, that is 2 January 2023; not 2023-01-05 or 09:00.",
			[]string{"2023-01-02T06:00: given", "2023-01-02T12:00: given", "2 January 2023: given", "2023-01-05: unsourced", "09:00: unsourced"}},
		{"the ends of an asked month", "the field in September 2019", "2019-09-01 to 2019-09-30T23:59:59, or until 2019-10-01T00:00; 17 September 2019 was calm",
			[]string{"2019-09-01: given", "2019-09-30T23:59:59: given", "2019-10-01T00:00: given", "17 September 2019: unsourced"}},
		{"the window of the data is known", "", "Data from 2024-09-01T00:00 to 2024-10-01.",
			[]string{"2024-09-01T00:00: matched", "2024-10-01: matched"}},
		{"a day and month", "What happened on 17 March 2015?", "17 March 2015, 17 March, 17 March 2016", []string{"17 March 2015: given", "17 March: given", "17 March 2016: unsourced"}},
		{"a day of the month", "the field in September 2024?", "It was strongest on the 12th at 14:00, not on the 13th at 14:00.", []string{"on the 12th at 14:00: matched abs_b_max_time", "on the 13th at 14:00: unsourced"}},
		{"years", "the storm of 2015", "In 2015, in 2016 and in 2024; 2016 samples", []string{"2015: given", "2016: unsourced", "2024: matched", "2016: unsourced"}},
		{"impossible dates are numbers or nothing", "", "2023-02-30", []string{"2023: given", "02: unsourced", "30: unsourced"}},
	} {
		v := check.Answer(check.Input{Question: c.question, Answer: c.answer, Entries: ace(t)})
		if got := lines(v); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q\n  %s\nwant\n  %s", c.why, c.answer, strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
		}
	}
}

func TestClaimsConsumeTheirNumbersInTheProse(t *testing.T) {
	t.Parallel()
	claims := []check.Claim{claim("magnitude_max", num("5.2612"), "nT"), claim("magnitude_max_time", "2023-01-02T03:41:01Z", ""), claim("abs_b_n_missing", num("11"), "")}
	head := []string{"magnitude_max = 5.2612 nT: matched magnitude_max", "magnitude_max_time = 2023-01-02T03:41:01Z: matched magnitude_max_time", "abs_b_n_missing = 11: matched abs_b_n_missing"}
	for _, c := range []struct {
		why, question, answer string
		more                  []string
	}{
		{"as it is, rounded, converted, again", "", "5.2612 nT, that is 5.26 nT or 5261 pT, at 03:41:01, at 03:41, for 11 hours", nil},
		{"in another unit it is another number", "", "5.2612 km/s", []string{"5.2612 km/s: unsourced"}},
		{"a small count is not the field", "", "5 of 720 hours", []string{"5: unsourced", "720 hours: matched abs_b_n_samples"}},
		{"a threshold is not the field", "above 5 nT?", "above 5 nT", []string{"5 nT: given"}},
		{"another time is not the time", "", "03:41:30", []string{"03:41:30: unsourced"}},
		{"swapped in the sentence", "", "the mean magnitude was 5.2612 nT", []string{"5.2612 nT: contradicted magnitude_mean"}},
	} {
		v := check.Answer(check.Input{Question: c.question, Answer: c.answer, Claims: claims, Entries: ace(t)})
		want := append(append([]string(nil), head...), c.more...)
		if got := lines(v); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %q\n  %s\nwant\n  %s", c.why, c.answer, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}

func TestWhatIsBeyondTheBoundsGetsOneLine(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"many numbers": strings.Repeat("5 nT, ", 2100),
		"much text":    "3.67 nT" + strings.Repeat(" and so on", 8000),
	} {
		v := check.Answer(check.Input{Answer: answer, Entries: ace(t)})
		if last := v.Numbers[len(v.Numbers)-1]; !strings.Contains(last.Note, "longer than") || last.Status != check.Unsourced || len(v.Numbers) > 2001 {
			t.Errorf("%s: %d lines, the last is %+v", name, len(v.Numbers), last)
		}
	}
}

func TestAShorterNameDoesNotAccuseWhatAClaimStates(t *testing.T) {
	t.Parallel()
	n := func(name string, v float64, units string) ledger.Entry {
		return ledger.NewNumber(name, v, units, ledger.Origin{})
	}
	for _, c := range []struct {
		why, answer string
		entries     []ledger.Entry
		claims      []check.Claim
		more        []string
	}{
		{"B stands in what another parameter is called", "- B-field magnitude: mean 3.6705 nT.\n- B: mean 2 nT.\n",
			[]ledger.Entry{n("magnitude_data_mean", 3.6705, "nT"), n("b_mean", 2, "nT")},
			[]check.Claim{claim("magnitude_data_mean", num("3.6705"), "nT"), claim("b_mean", num("2"), "nT")}, nil},
		{"the name was another file's", "Bz (local/vec/B): mean 3.",
			[]ledger.Entry{n("b_mean", 2, "nT"), n("b_2_bz_mean", 3, "")},
			[]check.Claim{claim("b_2_bz_mean", num("3"), "")}, nil},
		{"a component that is swapped is still seen", "By: mean 3 nT.",
			[]ledger.Entry{n("by_mean", 2, "nT"), n("bz_mean", 3, "nT")},
			[]check.Claim{claim("bz_mean", num("3"), "nT")}, []string{"3 nT: contradicted by_mean"}},
		{"and a quantity", "The mean density was 408 cm^-3.",
			[]ledger.Entry{n("density_mean", 6.8, "cm^-3"), n("count_mean", 408, "cm^-3")},
			[]check.Claim{claim("count_mean", num("408"), "cm^-3")}, []string{"408 cm^-3: contradicted density_mean"}},
	} {
		v := check.Answer(check.Input{Answer: c.answer, Claims: c.claims, Entries: c.entries})
		if got := lines(v)[len(c.claims):]; v.Matched != len(c.claims) || strings.Join(got, "\n") != strings.Join(c.more, "\n") {
			t.Errorf("%s: %q\n  %s", c.why, c.answer, strings.Join(lines(v), "\n  "))
		}
	}
}

func TestWhatAnArchiveHoldsAsAWholeDoesNotAccuse(t *testing.T) {
	t.Parallel()
	entries := []ledger.Entry{
		ledger.NewCount("b_size", 225, "", ledger.Origin{Tool: "run_python"}),
		ledger.NewCount("ace_2023_records", 5400, "", ledger.Origin{Tool: "inventory"}),
	}
	claims := []check.Claim{claim("b_size", num("225"), "")}
	answer := "B (local/ace_2023/B): 225 records, of the 5400 records that ace_2023 holds."
	want := "b_size = 225: matched b_size\n5400: matched ace_2023_records"
	v := check.Answer(check.Input{Answer: answer, Claims: claims, Entries: entries})
	if got := strings.Join(lines(v), "\n"); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	v = check.Answer(check.Input{Answer: answer, Entries: entries[1:]})
	if v.Contradicted != 0 || v.Unsourced != 1 || v.Matched != 1 {
		t.Errorf("without a claim: %v", lines(v))
	}
}

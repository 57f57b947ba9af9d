package formulary_test

import (
	"bufio"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/formulary"
	"github.com/helios-go/helios/internal/testdata"
)

// must unwraps a formula's result inside a table.
func must(r *formulary.Result, err error) *formulary.Result {
	if err != nil {
		panic(err)
	}
	return r
}

func value(t *testing.T, r *formulary.Result, name string) float64 {
	t.Helper()
	v, ok := r.Value(name)
	if !ok {
		t.Fatalf("%s has no value %q", r.Formula, name)
	}
	return v
}

func near(got, want, rtol float64) bool { return math.Abs(got-want) <= rtol*math.Abs(want) }

// vectors are the rows of plasma.tsv that these formulas cover. The input is
// repeated so that an edited row cannot keep a stale expectation.
var vectors = map[string]struct {
	input  string
	result *formulary.Result
	name   string
	scale  float64 // from the result's unit to the table's; 0 is 1
}{
	"V01": {"B=5 nT, p+", must(formulary.Gyrofrequency(5, formulary.Proton)), "angular_frequency_rad_s", 0},
	"V02": {"B=5 nT, p+", must(formulary.Gyrofrequency(5, formulary.Proton)), "frequency_Hz", 0},
	"V03": {"B=5 nT, e-", must(formulary.Gyrofrequency(5, formulary.Electron)), "angular_frequency_rad_s", 0},
	"V04": {"B=5 nT, e-", must(formulary.Gyrofrequency(5, formulary.Electron)), "frequency_Hz", 0},
	"V06": {"B=5 nT, alpha", must(formulary.Gyrofrequency(5, formulary.Alpha)), "frequency_Hz", 0},
	"V07": {"B=50000 nT, p+", must(formulary.Gyrofrequency(50000, formulary.Proton)), "angular_frequency_rad_s", 0},
	"V08": {"B=50000 nT, p+", must(formulary.Gyrofrequency(50000, formulary.Proton)), "frequency_Hz", 0},
	"V09": {"B=20 nT, O+", must(formulary.Gyrofrequency(20, formulary.Oxygen)), "angular_frequency_rad_s", 0},
	"V24": {"n=10 cm^-3, Te=10 eV", must(formulary.DebyeLength(10, 10)), "debye_length_m", 0},
	"V26": {"n=1 cm^-3, Te=100 eV", must(formulary.DebyeLength(1, 100)), "debye_length_m", 0},
	"V27": {"n=1e+06 cm^-3, Te=100 eV", must(formulary.DebyeLength(1e6, 100)), "debye_length_m", 0},
	"V28": {"n=1e7 cm^-3, Te=1e6 K", must(formulary.DebyeLength(1e7, formulary.KelvinToEV(1e6))), "debye_length_m", 1e3},
	"V29": {"n=10 cm^-3, p+", must(formulary.InertialLength(10, formulary.Proton)), "inertial_length_km", 0},
	"V31": {"n=5 cm^-3, p+", must(formulary.InertialLength(5, formulary.Proton)), "inertial_length_km", 0},
	"V32": {"n=0.1 cm^-3, p+", must(formulary.InertialLength(0.1, formulary.Proton)), "inertial_length_km", 0},
	"V33": {"B=5 nT, n=5 cm^-3, H+ only", must(formulary.AlfvenSpeed(5, 5, nil)), "alfven_speed_km_s", 0},
	"V34": {"B=5 nT, n=10 cm^-3, H+ only", must(formulary.AlfvenSpeed(5, 10, nil)), "alfven_speed_km_s", 0},
	"V36": {"B=50 nT, n=0.05 cm^-3, H+ only", must(formulary.AlfvenSpeed(50, 0.05, nil)), "alfven_speed_km_s", 0},
	"V37": {"B=10 nT, n=17.43 cm^-3, H+ only", must(formulary.AlfvenSpeed(10, 17.43, nil)), "alfven_speed_km_s", 0},
	"V38": {"B=5 nT, np=5 cm^-3, n_alpha/np=0.04", must(formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{AlphaRatio: 0.04})), "alfven_speed_km_s", 0},
	"V39": {"B=5 nT, n=5 cm^-3", must(formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{Electrons: true})), "alfven_speed_km_s", 0},
	"V49": {"B=5 nT, n=10 cm^-3, T=10 eV", must(formulary.PlasmaBeta(5, 10, 10)), "beta", 0},
	"V51": {"B=40 nT, n=0.05 cm^-3, T=500 eV", must(formulary.PlasmaBeta(40, 0.05, 500)), "beta", 0},
	"V52": {"B=5 nT, n=5 cm^-3, T=17.2347 eV", must(formulary.PlasmaBeta(5, 5, 17.2347)), "beta", 0},
	"V53": {"B=5 nT, n=10 cm^-3", must(formulary.PlasmaBeta(5, 10, 10+10)), "beta", 0},
}

func TestValuesAgreeWithTheVectorTable(t *testing.T) {
	t.Parallel()
	file, err := os.Open(testdata.File(t, "vectors/plasma.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		row := strings.Split(lines.Text(), "\t")
		vector, ok := vectors[row[0]]
		if !ok {
			continue
		}
		seen++
		if row[2] != vector.input {
			t.Errorf("%s: the table's input is %q, the test's %q", row[0], row[2], vector.input)
		}
		want, err1 := strconv.ParseFloat(row[3], 64)
		rtol, err2 := strconv.ParseFloat(row[5], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: unreadable row %q", row[0], row)
		}
		got := value(t, vector.result, vector.name)
		if vector.scale != 0 {
			got *= vector.scale
		}
		if !near(got, want, rtol) {
			t.Errorf("%s %s (%s): got %.9g, want %.9g %s", row[0], row[1], row[2], got, want, row[4])
		}
	}
	if seen != len(vectors) {
		t.Errorf("found %d of %d vectors in the table", seen, len(vectors))
	}
}

// The values that HelioAI's documentation quotes, to the digits it gives.
func TestQuotedReferenceValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what   string
		result *formulary.Result
		name   string
		want   string
	}{
		{"beta(5 nT, 10, 20 eV)", must(formulary.PlasmaBeta(5, 10, 20)), "beta", "3.221367"},
		{"beta(5 nT, 10, 10 eV)", must(formulary.PlasmaBeta(5, 10, 10)), "beta", "1.610684"},
		{"beta(20 nT, 30, 50 eV)", must(formulary.PlasmaBeta(20, 30, 50)), "beta", "1.510016"},
		{"beta(40 nT, 0.05, 500 eV)", must(formulary.PlasmaBeta(40, 0.05, 500)), "beta", "0.006292"},
		{"f_cp(5 nT)", must(formulary.Gyrofrequency(5, formulary.Proton)), "frequency_Hz", "0.0762"},
		{"omega_cp(5 nT)", must(formulary.Gyrofrequency(5, formulary.Proton)), "angular_frequency_rad_s", "0.4789"},
		{"period_cp(5 nT)", must(formulary.Gyrofrequency(5, formulary.Proton)), "period_s", "13.118895"},
		{"f_ce(5 nT)", must(formulary.Gyrofrequency(5, formulary.Electron)), "frequency_Hz", "139.9624"},
		{"lambda_D(10, 12 eV)", must(formulary.DebyeLength(10, 12)), "debye_length_m", "8.143475"},
		{"v_A(5, 5)", must(formulary.AlfvenSpeed(5, 5, nil)), "alfven_speed_km_s", "48.773"},
		{"v_A with electrons", must(formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{Electrons: true})), "alfven_speed_km_s", "48.760"},
		{"v_A of 1 u and electrons", must(formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{IonMassAMU: 1, Electrons: true})), "alfven_speed_km_s", "48.937"},
		{"the same in m/s", must(formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{IonMassAMU: 1, Electrons: true})), "alfven_speed_m_s", "48936.9"},
		{"d_p(5)", must(formulary.InertialLength(5, formulary.Proton)), "inertial_length_km", "101.8354"},
	} {
		_, decimals, _ := strings.Cut(tt.want, ".")
		got := strconv.FormatFloat(value(t, tt.result, tt.name), 'f', len(decimals), 64)
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.what, got, tt.want)
		}
	}
}

func TestTheRecipesRoundedConstantsStayWithinTheirTolerance(t *testing.T) {
	t.Parallel()
	b, n := 5e-9, 5e6
	recipe := b / math.Sqrt(4*math.Pi*1e-7*n*1.6726e-27) / 1000
	if got := must(formulary.AlfvenSpeed(5, 5, nil)).Main(); !near(got, recipe, 1e-4) {
		t.Errorf("got %.6f km/s, the recipes' constants give %.6f", got, recipe)
	}
}

func TestFusionRangeInputsAgreeWithPlasmaPy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what      string
		got, want float64
	}{
		{"gyrofrequency(0.1 T, e-)", value(t, must(formulary.Gyrofrequency(1e8, formulary.Electron)), "angular_frequency_rad_s"), 1.75882001077e10},
		{"Debye_length(5e6 K, 5e15 m^-3)", must(formulary.DebyeLength(5e9, formulary.KelvinToEV(5e6))).Main(), 2.18225557947e-3},
		// PlasmaPy adds the electrons.
		{"Alfven_speed(0.014 T, 5e19 m^-3, p+)", value(t, must(formulary.AlfvenSpeed(1.4e7, 5e13, &formulary.AlfvenOptions{Electrons: true})), "alfven_speed_m_s"), 43173.869952},
	} {
		if !near(tt.got, tt.want, 1e-6) {
			t.Errorf("%s: got %.12g, want %.12g", tt.what, tt.got, tt.want)
		}
	}
}

func TestUnphysicalInputIsRefusedByName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what string
		run  func() (*formulary.Result, error)
		want string
	}{
		{"negative density", func() (*formulary.Result, error) { return formulary.AlfvenSpeed(5, -1, nil) },
			"alfven_speed: n_cm3 = -1 cm^-3 must be above 0"},
		{"no density", func() (*formulary.Result, error) { return formulary.InertialLength(0, formulary.Proton) },
			"inertial_length: n_cm3 = 0 cm^-3 must be above 0"},
		{"no field", func() (*formulary.Result, error) { return formulary.PlasmaBeta(0, 5, 10) },
			"plasma_beta: B_nT = 0 nT must be above 0"},
		{"a component for a magnitude", func() (*formulary.Result, error) { return formulary.Gyrofrequency(-5, formulary.Proton) },
			"gyrofrequency: B_nT = -5 nT must be above 0; give the magnitude of the field, not a component"},
		{"no temperature", func() (*formulary.Result, error) { return formulary.DebyeLength(5, 0) },
			"debye_length: T_eV = 0 eV must be above 0"},
		{"infinite field", func() (*formulary.Result, error) { return formulary.Gyrofrequency(math.Inf(1), formulary.Proton) },
			"gyrofrequency: B_nT = +Inf nT must be finite"},
		{"negative mass", func() (*formulary.Result, error) {
			return formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{IonMassAMU: -1})
		}, "alfven_speed: mass_amu = -1 u must be above 0"},
		{"negative ratio", func() (*formulary.Result, error) {
			return formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{AlphaRatio: -0.04})
		}, "alfven_speed: alpha_ratio = -0.04 must be above 0"},
	} {
		_, err := tt.run()
		var input *formulary.InputError
		if !errors.As(err, &input) || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.what, err, tt.want)
		}
	}
}

func TestMissingInputGivesMissingResultAndSaysSo(t *testing.T) {
	t.Parallel()
	r := must(formulary.PlasmaBeta(5, math.NaN(), 10))
	if !math.IsNaN(r.Main()) || !strings.Contains(r.Warning, "n_cm3") || r.Regime != "" {
		t.Errorf("got %v, warning %q, regime %q", r.Main(), r.Warning, r.Regime)
	}
}

func TestEveryResultNamesItsConventionSourceAndUnits(t *testing.T) {
	t.Parallel()
	for id, vector := range vectors {
		r := vector.result
		if r.Expression == "" || r.Convention == "" || r.Source == "" || r.Formula == "" || len(r.Inputs) == 0 {
			t.Errorf("%s: %+v says too little", id, r)
		}
		for _, v := range append(r.Values, r.Inputs...) {
			if v.Units == "" {
				t.Errorf("%s: %s has no unit", id, v.Name)
			}
		}
	}
}

func TestAlfvenSpeedNamesWhatIsInTheMass(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opts *formulary.AlfvenOptions
		want string
	}{
		{nil, "mass density n m_p: protons only"},
		{&formulary.AlfvenOptions{Electrons: true}, "mass density n (m_p + m_e): protons and electrons"},
		{&formulary.AlfvenOptions{IonMassAMU: 16}, "mass density n 16 u: ions of 16 u only"},
		{&formulary.AlfvenOptions{AlphaRatio: 0.04, Electrons: true},
			"mass density n (m_p + 0.04 m_alpha + 1.08 m_e): protons and 4 % alpha particles by number and electrons"},
	} {
		if got := must(formulary.AlfvenSpeed(5, 5, tt.opts)).Convention; got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestParticlesAreFoundByTheirUsualNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]formulary.Particle{
		"": formulary.Proton, "p+": formulary.Proton, "Proton": formulary.Proton, "ion": formulary.Proton,
		"e-": formulary.Electron, "Electrons": formulary.Electron, "He++": formulary.Alpha, "alpha": formulary.Alpha,
		"he": formulary.Alpha, "He+": formulary.Helium, "O+": formulary.Oxygen,
	} {
		if got, err := formulary.ParseParticle(name); err != nil || got != want {
			t.Errorf("%q: got %v, %v", name, got, err)
		}
	}
	if got, err := formulary.ParseParticle(" proton\t"); err != nil || got != formulary.Proton {
		t.Errorf("blanks around a name: got %v, %v", got, err)
	}
	_, err := formulary.ParseParticle("muon")
	want := `particle "muon" is not known here; give one of proton, electron, alpha, He+, O+`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestKelvinAndElectronVoltConvertBothWays(t *testing.T) {
	t.Parallel()
	if got := formulary.EVToKelvin(1); !near(got, 11604.5181, 1e-8) {
		t.Errorf("1 eV: got %v K", got)
	}
	if got := formulary.KelvinToEV(formulary.EVToKelvin(17.25)); !near(got, 17.25, 1e-15) {
		t.Errorf("there and back: got %v eV", got)
	}
}

func TestBetaRegimesMeetAtTheirThresholds(t *testing.T) {
	t.Parallel()
	// beta is proportional to the density, so one beta of 1 scales to all.
	unit := 10 / must(formulary.PlasmaBeta(5, 10, 10)).Main()
	for _, tt := range []struct {
		beta float64
		want string
	}{
		{0.009, "dominates strongly (beta below 0.01)"}, {0.011, "(beta below 1)"}, {1.001, "(beta from 1 to 10)"}, {10.1, "(beta 10 or more)"},
	} {
		if got := must(formulary.PlasmaBeta(5, tt.beta*unit, 10)).Regime; !strings.Contains(got, tt.want) {
			t.Errorf("beta %v: got %q", tt.beta, got)
		}
	}
}

package fastfloat_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/internal/fastfloat"
)

// hard are numbers that lie at or beside the middle of two float64, at the ends of
// what a float64 holds, or at the edges of this package's ways.
var hard = []string{
	"0", "-0", "+0", "0.0", "-0.0e-999", "1", "-1", "+1", "1.", ".5", "-.5", "007", "0001.5000",
	"3.495", "-0.00523596383141958", "0.010471784116245792", "-9.999999848243207e+30", "-1e31", "-1.0E31", "99999.8984375",
	"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740993.00000000000000000000001",
	"9007199254740992.9999999999999999999999", "9007199254740995", "18014398509481985", "18014398509481986", "18014398509481987",
	"1e22", "1e23", "8.5e22", "123456789012345678e22", "1e-22", "1e-23", "1234567", "12345678", "123456789", "1234567.1", "123456.12", "12345678.12345678",
	"1234567.12345678", "1234567.123456789012", "1234567.1234567890123", "0.1234567890123456789", "0.12345678901234567890123",
	"18446744073709551615", "18446744073709551616", "9999999999999999999", "99999999999999999999", "1844674407370955161.5",
	"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1.8e308", "1e309", "1e400", "-1e400", "1e99999", "1e-99999", "1e999999999999999999999",
	"2.2250738585072014e-308", "2.2250738585072011e-308", "2.2250738585072012e-308", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "5e-325", "1e-342", "1e-343", "1e-400",
	"1e", "1e+", "1e-", "1ee5", "1e5.", "1.2.3", ".", "-", "+", "", "e5", ".e5", "-.", "--1", "+-1", "1-", "1 ", " 1", "1,", "1x", "0x1p-2", "1_000", "0x_1p4",
	"nan", "NaN", "-nan", "inf", "-Inf", "Infinity", "+infinity", "infin", "1..", "..1", "1e5e5", "\x00", "1\x00", "\xff", "1\xff2", "1.\xae2", "12/3", "12:3", "1.5E5", "1.5e+05",
	"6.02214076e23", "1.602176634e-19", "6.62607015e-34", "1.380649e-23", "1e15", "1e16", "123456789012345e-10",
	strings.Repeat("0", 400) + "1", "0." + strings.Repeat("0", 400) + "1", "0." + strings.Repeat("0", 300) + "12345678901234567890e300", "1" + strings.Repeat("0", 300), "1" + strings.Repeat("0", 400), strings.Repeat("9", 30), "0." + strings.Repeat("3", 40),
	"1.00000000000000011102230246251565404236316680908203125", "1.00000000000000011102230246251565404236316680908203124", "1.00000000000000011102230246251565404236316680908203126",
	"7.2057594037927933e16", "72057594037927945e-2", "6929495644600919.5", "2147483647", "-2147483648", "4294967296", "1e0", "1e00", "1e-0", "1e+007",
}

// agree compares both functions with strconv, with nothing, numbers and other bytes
// behind the text.
func agree(t *testing.T, text string) {
	t.Helper()
	want, wantErr := strconv.ParseFloat(text, 64)
	got, err := fastfloat.Parse([]byte(text))
	if math.Float64bits(got) != math.Float64bits(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("Parse(%q) = %v (%#x), %v; want %v (%#x), %v", text, got, math.Float64bits(got), err, want, math.Float64bits(want), wantErr)
	}
	short, n := fastfloat.Prefix([]byte(text))
	for _, behind := range []string{",1234567890123456789012345678", "\n\xff\xfe\xae\xb0\x8a\x8b............................", "]                                 "} {
		long, m := fastfloat.Prefix([]byte(text + behind))
		if math.Float64bits(long) != math.Float64bits(short) || n != m {
			t.Fatalf("Prefix(%q) = %v, %d; with %q behind it %v, %d", text, short, n, behind, long, m)
		}
	}
	if n == 0 {
		return
	}
	if want, err := strconv.ParseFloat(text[:n], 64); err != nil || math.Float64bits(want) != math.Float64bits(short) {
		t.Fatalf("Prefix(%q) = %v, %d; strconv has %v, %v", text, short, n, want, err)
	}
}

func TestNumbersAreThoseOfStrconv(t *testing.T) {
	t.Parallel()
	for _, text := range hard {
		agree(t, text)
	}
}

func TestWhatIsNoNumberHasNoPrefix(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "NaN": 0, "-": 0, "inf": 0, ".": 0, "1e400": 0, "1e": 1, "1e+": 1, "1.5,2": 3, "-1.5e-3]": 7, "0x10": 1, "1.2.3": 3, "5-": 1,
		"1e-99999": 8,
	} {
		if _, n := fastfloat.Prefix([]byte(text)); n != want {
			t.Errorf("Prefix(%q) has length %d, want %d", text, n, want)
		}
	}
}

// Random bits, printed in every form, and digits that nothing printed.
func TestRandomNumbersAreThoseOfStrconv(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	for range n {
		v := math.Float64frombits(rng.Uint64())
		switch rng.IntN(4) {
		case 0:
			v = float64(float32(rng.NormFloat64() * 100))
		case 1:
			v = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(60)-30))
		case 2:
			v = float64(rng.Uint64()>>rng.IntN(64)) / 2 // the middle between two, where they are large
		}
		agree(t, strconv.FormatFloat(v, 'g', -1, 64))
		agree(t, strconv.FormatFloat(v, "efg"[rng.IntN(3)], rng.IntN(25), 64))
		agree(t, fmt.Sprintf("%d.%0*de%d", rng.Uint64()>>rng.IntN(64), 1+rng.IntN(20), rng.Uint64()>>rng.IntN(64), rng.IntN(700)-350))
	}
}

// The middle between two neighbouring numbers, written out, and a digit more or less.
func TestHalfWayIsRoundedToEven(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		m := 1<<52 | rng.Uint64()>>12
		exp := rng.IntN(40)
		text := middle(m, exp)
		for _, s := range []string{text, text + ".0", text + ".0000000001", text + "e0", text[:len(text)-1] + "." + text[len(text)-1:] + "e1"} {
			agree(t, s)
		}
	}
}

// middle writes out the number in the middle between two neighbours: that of the
// mantissa m and the next, times two to the power of exp.
func middle(m uint64, exp int) string {
	v := new(big.Int).SetUint64(2*m + 1)
	return v.Lsh(v, uint(exp)).String()
}

func FuzzParse(f *testing.F) {
	for _, text := range hard {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agree(t, text) })
}

// FuzzDecimal makes every input a number.
func FuzzDecimal(f *testing.F) {
	f.Add(uint64(9007199254740993), uint64(0), 0, -5)
	f.Add(uint64(18446744073709551615), uint64(1), 20, 300)
	f.Fuzz(func(t *testing.T, whole, fraction uint64, zeros, exponent int) {
		zeros = min(max(zeros, 0), 60)
		agree(t, fmt.Sprintf("%d.%s%de%d", whole, strings.Repeat("0", zeros), fraction, exponent))
		agree(t, fmt.Sprintf("-%d%s.%d", whole, strings.Repeat("0", zeros), fraction))
	})
}

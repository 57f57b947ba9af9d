package fastfloat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Each power of the table, shifted to where it belongs, is the largest that does not
// exceed the true one.
func TestThePowersAreTheLargestBelowTheTrueOnes(t *testing.T) {
	t.Parallel()
	for q := lowest; q <= highest; q++ {
		p := new(big.Int).SetUint64(powers[q-lowest][0])
		p.Lsh(p, 64).Or(p, new(big.Int).SetUint64(powers[q-lowest][1]))
		if p.BitLen() != 128 {
			t.Fatalf("10^%d has %d bits", q, p.BitLen())
		}
		exponent := (q*217706)>>16 - 127
		unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(exponent, -exponent))))
		if exponent < 0 {
			unit.Inv(unit)
		}
		truth := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(q, -q))), nil))
		if q < 0 {
			truth.Inv(truth)
		}
		low := new(big.Rat).Mul(new(big.Rat).SetInt(p), unit)
		high := new(big.Rat).Add(low, unit)
		if low.Cmp(truth) > 0 || high.Cmp(truth) <= 0 {
			t.Errorf("10^%d is not between %x and the next", q, p)
		}
	}
}

// Of numbers that programs print, in the fewest digits or in 17, none of some hundred
// thousand needs strconv.
func TestStrconvIsTheLastResort(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		x := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(80)-40))
		for _, precision := range []int{-1, 16} {
			text := strconv.FormatFloat(math.Abs(x), 'e', precision, 64)
			digits, exponent, _ := strings.Cut(strings.Replace(text, ".", "", 1), "e")
			mantissa, _ := strconv.ParseUint(digits, 10, 64)
			tens, _ := strconv.Atoi(exponent)
			tens -= len(digits) - 1
			v, ok := exact(mantissa, tens)
			if !ok {
				v, ok = rounded(mantissa, tens)
			}
			if !ok {
				v, ok = whole(mantissa, tens)
			}
			if want, err := strconv.ParseFloat(text, 64); !ok || err != nil || v != want {
				t.Fatalf("%s: %v, %v, want %v, %v", text, v, ok, want, err)
			}
		}
	}
}

package fastfloat

import (
	"math"
	"math/bits"
)

// The form of a float64.
const (
	fractionBits = 52
	bias         = 1023
)

// rounded is mantissa times ten to the power of tens as the nearest float64. It
// refuses what it cannot be sure of, and what is no normal float64.
//
// With P the 128 bits of the power, the true power is at least P and below P+1 in
// units of its last bit. So the product of the mantissa, shifted to the top of 64
// bits, lies at or above product and below product plus the mantissa in the unit that
// was left out.
func rounded(mantissa uint64, tens int) (float64, bool) {
	if mantissa == 0 {
		return 0, true
	}
	if tens < lowest || tens > highest {
		return 0, false
	}
	power := &powers[tens-lowest]
	shift := bits.LeadingZeros64(mantissa)
	m := mantissa << shift
	// 217706/65536 is log2(10), near enough for all powers of the table.
	exponent := (tens*217706)>>16 + 63 - shift + bias

	// below are the bits under the 54 that decide when the top bit is 0; when it is
	// 1 there is one more, which a carry reaches only through all of these.
	const below = 1<<9 - 1
	high, low := bits.Mul64(m, power[0])
	if high&below == below && low+m < low || low == 0 {
		second, third := bits.Mul64(m, power[1])
		var carry uint64
		low, carry = bits.Add64(low, second, 0)
		high += carry
		if high&below == below && low == 1<<64-1 && third+m < third {
			return 0, false
		}
	}
	top := high >> 63
	kept := high >> (9 + top) // 54 bits, the last one half a unit
	dropped := high & (1<<(9+top) - 1)
	exponent += int(top)
	if kept&3 == 1 && dropped == 0 && low == 0 {
		return 0, false // half way as far as can be seen, and half way goes to the even one
	}
	kept = (kept + kept&1) >> 1
	if kept>>53 != 0 {
		kept >>= 1
		exponent++
	}
	if exponent < 1 || exponent > 2*bias {
		return 0, false
	}
	return math.Float64frombits(uint64(exponent)<<fractionBits | kept&(1<<fractionBits-1)), true
}

// whole is mantissa times ten to the power of tens where that is an integer of 64 bits
// times a power of two: then a conversion rounds as it should.
func whole(mantissa uint64, tens int) (float64, bool) {
	if tens <= -len(fiveTo) || tens >= len(fiveTo) {
		return 0, false
	}
	if tens < 0 {
		five := fiveTo[-tens]
		return math.Ldexp(float64(mantissa/five), tens), mantissa%five == 0
	}
	high, low := bits.Mul64(mantissa, fiveTo[tens])
	return math.Ldexp(float64(low), tens), high == 0
}

// tenTo has the powers of ten that a float64 holds exactly.
var tenTo = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

var wholeTenTo = [16]uint64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
}

// fiveTo has the powers of five of 64 bits.
var fiveTo = [...]uint64{
	1, 5, 25, 125, 625, 3125, 15625,
	78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
	6103515625, 30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625,
	476837158203125, 2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625, 7450580596923828125,
}

// Package fastfloat reads decimal numbers as strconv.ParseFloat does, bit for bit,
// in a third of the time or less.
//
//	v, n := fastfloat.Prefix([]byte("3.495,400.1\n")) // 3.495, 5
//	v, err := fastfloat.Parse([]byte("6.02e23"))
//
// Three ways lead to a number. Up to 2^53 in its digits, and with a power of ten that
// a float64 holds (10^22), one division or multiplication is exact, as Clinger found
// (1990). Others are multiplied with the first 128 bits of the power of ten, and
// rounded where what those bits leave open cannot change the result, which is the
// idea of Eisel and Lemire (2021). What remains is exact or half way between two, which
// integers show, or goes to strconv: subnormal numbers for the most part.
//
// It is fastest where at least 26 bytes follow the beginning of a number, whatever
// they are, for then it looks at eight at a time.
//
// All functions are safe for concurrent use; there is no state.
package fastfloat

//go:generate go run generate.go

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// Parse returns what strconv.ParseFloat(string(b), 64) returns.
func Parse(b []byte) (float64, error) {
	if v, n := Prefix(b); n == len(b) && n > 0 {
		return v, nil
	}
	return strconv.ParseFloat(string(b), 64)
}

// Prefix returns the decimal number that b begins with, and its length: a sign or
// none, digits with or without a point, an exponent or none. The length is 0 where b
// begins with something else, words such as NaN among them, and where the number is
// too large for a float64. An e that no exponent follows does not belong to the
// number.
func Prefix(b []byte) (v float64, n int) {
	if len(b) < window {
		return general(b)
	}
	i := 0
	if b[0] == '-' {
		i = 1
	}
	sign := uint64(i) << 63
	x := binary.LittleEndian.Uint64(b[i:]) ^ zeros
	others := notDigits(x)
	whole := marked(others)
	if whole >= 8 {
		return general(b)
	}
	var mantissa uint64
	var tens int
	if b[i+int(whole)] != '.' {
		if whole == 0 {
			return general(b)
		}
		mantissa = eight(x << (64 - 8*whole))
		i += int(whole)
	} else {
		// A point is no carry into the bytes behind it, so the next mark is true.
		end := marked(others & (others - 1))
		if end < 2 {
			return general(b)
		}
		kept := uint64(1)<<(8*whole) - 1
		x = x&kept | x>>8&^kept
		mantissa = eight(x << (64 - 8*(end-1)))
		tens = int(whole) + 1 - int(end)
		i += int(end)
		if end == 8 {
			m, more := further(b[i:], mantissa)
			if more < 0 {
				return general(b)
			}
			mantissa, tens, i = m, tens-more, i+more
		}
	}
	if b[i]|0x20 == 'e' {
		e, n := exponent(b[i:])
		tens, i = tens+e, i+n
	}
	if -22 <= tens && tens <= 0 && mantissa < 1<<53 {
		v := float64(mantissa) / tenTo[-tens]
		return math.Float64frombits(math.Float64bits(v) | sign), i
	}
	return scaled(b, i, mantissa, tens, sign)
}

const (
	window = 26 // a sign, and three times eight bytes, and the one behind them
	zeros  = 0x3030303030303030
)

// notDigits marks the top bits of the bytes of x that are above 9. Behind a byte
// above 0x89 the marks may be wrong.
func notDigits(x uint64) uint64 {
	return (x + 0x7676767676767676 | x) & 0x8080808080808080
}

// marked is the number of the first byte whose top bit is set; 8 where none is.
func marked(x uint64) uint { return uint(bits.TrailingZeros64(x)) >> 3 }

// eight is the number of the eight digits in the bytes of x, the first the lowest.
func eight(x uint64) uint64 {
	const pair = 0x000000ff000000ff
	x = x*10 + x>>8
	return ((x&pair)*(100+1000000<<32) + (x>>16&pair)*(1+10000<<32)) >> 32
}

// further adds to the mantissa the digits that b begins with. more is how many; it is
// below 0 where they are too many to be sure of 64 bits. Seven came before.
func further(b []byte, mantissa uint64) (_ uint64, more int) {
	x := binary.LittleEndian.Uint64(b) ^ zeros
	n := marked(notDigits(x))
	mantissa = mantissa*wholeTenTo[n&15] + eight(x<<(64-8*n))
	if n < 8 {
		return mantissa, int(n)
	}
	x = binary.LittleEndian.Uint64(b[8:]) ^ zeros
	n = marked(notDigits(x))
	if n > 4 {
		return 0, -1
	}
	return mantissa*wholeTenTo[n&15] + eight(x<<(64-8*n)), 8 + int(n)
}

// exponent reads e+12; n is 0 where no digits follow the e.
func exponent(b []byte) (e, n int) {
	i := 1
	negative := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	first := i
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if e < 10000 {
			e = e*10 + int(b[i]-'0')
		}
	}
	if i == first {
		return 0, 0
	}
	if negative {
		e = -e
	}
	return e, i
}

// scaled is mantissa times ten to the power of tens, with the sign, of the number
// whose text is b[:n].
func scaled(b []byte, n int, mantissa uint64, tens int, sign uint64) (float64, int) {
	v, ok := exact(mantissa, tens)
	if !ok {
		v, ok = rounded(mantissa, tens)
	}
	if !ok {
		v, ok = whole(mantissa, tens)
	}
	if !ok {
		return lastResort(b[:n])
	}
	return math.Float64frombits(math.Float64bits(v) | sign), n
}

// exact is mantissa times ten to the power of tens, where one operation gives it.
func exact(mantissa uint64, tens int) (float64, bool) {
	switch {
	case mantissa >= 1<<53:
		return 0, false
	case mantissa == 0:
		return 0, true
	case -22 <= tens && tens <= 0:
		return float64(mantissa) / tenTo[-tens], true
	case 0 < tens && tens <= 22:
		return float64(mantissa) * tenTo[tens], true
	}
	return 0, false
}

func lastResort(text []byte) (float64, int) {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, 0
	}
	return v, len(text)
}

// general is Prefix for all numbers, byte by byte.
func general(b []byte) (float64, int) {
	i := 0
	sign := uint64(0)
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = 1 << 63
		}
		i = 1
	}
	mantissa, significant, tens := uint64(0), 0, 0
	digits, point, more := 0, false, false
	for ; i < len(b); i++ {
		c := b[i] - '0'
		if c > 9 {
			if b[i] != '.' || point {
				break
			}
			point = true
			continue
		}
		digits++
		if point {
			tens--
		}
		switch {
		case significant == 0 && c == 0:
		case significant < 19: // as many as 64 bits hold
			mantissa = mantissa*10 + uint64(c)
			significant++
		default:
			more = more || c != 0
			tens++
		}
	}
	if digits == 0 {
		return 0, 0
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		e, n := exponent(b[i:])
		tens, i = tens+e, i+n
	}
	if !more {
		return scaled(b, i, mantissa, tens, sign)
	}
	// The digits that were left out make the mantissa larger by less than one.
	low, ok := rounded(mantissa, tens)
	high, sure := rounded(mantissa+1, tens)
	if !ok || !sure || low != high {
		return lastResort(b[:i])
	}
	return math.Float64frombits(math.Float64bits(low) | sign), i
}

package series

import "math"

// fillTolerance is the relative distance at which a value still counts as the
// declared fill value: files declare 99999.9 and store the float32 next to it,
// and tables print that one with six or seven digits.
const fillTolerance = 1e-6

// floatTolerance is the same for a fill value that is a large whole number: it
// covers what rounding to a float32 can do (6e-8) and nothing else.
const floatTolerance = 1e-7

// floatWhole is the size below which a float32 holds every whole number.
const floatWhole = 1 << 24

// fillFloor is the size from which every value counts as fill, declared or
// not: -1e31 is the convention of space physics files, and nothing measured is
// that large.
const fillFloor = 1e30

// MaskFill turns fill into NaN, in place, and returns how many values are NaN
// afterwards. A value is fill when it is not finite, when its size is at least
// 1e30, or when it equals the declared fill value:
//
//   - exactly, where that is a whole number below 2^24 in size, such as 9999999,
//     -1 or 255: no file rounds those, not even to a float32, and 9999998 beside
//     it may be a count;
//   - to a relative 1e-7, where it is a larger whole number, such as 2147483647
//     or 99999999, which a float32 rounds;
//   - to a relative 1e-6 otherwise, as 99999.8984375 equals 99999.9.
//
// values are records of width numbers. fill is what the source declares for
// this variable: nothing, one number for all columns, or one a column; one
// that is not finite declares nothing. Never pass the fill value of another variable:
// 99999.9 is fill for a speed and an ordinary proton temperature in kelvin.
func MaskFill(values []float64, width int, fill []float64) int {
	if width <= 1 || len(fill) != width {
		declared := math.NaN()
		if len(fill) > 0 {
			declared = fill[0]
		}
		return maskColumn(values, 0, 1, declared)
	}
	masked := 0
	for col, declared := range fill {
		masked += maskColumn(values, col, width, declared)
	}
	return masked
}

// maskColumn masks every width-th value from the first on.
func maskColumn(values []float64, first, width int, declared float64) int {
	masked := 0
	distance := fillDistance(declared)
	for i := first; i < len(values); i += width {
		// The first comparison is also true for NaN and the infinities.
		if v := values[i]; !(math.Abs(v) < fillFloor) || math.Abs(v-declared) <= distance {
			values[i] = math.NaN()
			masked++
		}
	}
	return masked
}

// IsFill reports whether one value is fill, by the rule of [MaskFill]. A
// declared value that is not finite declares nothing.
func IsFill(v, declared float64) bool {
	return !(math.Abs(v) < fillFloor) || math.Abs(v-declared) <= fillDistance(declared)
}

// fillDistance is how far from the declared fill value a value is still fill;
// below 0 where nothing is declared.
func fillDistance(declared float64) float64 {
	size := math.Abs(declared)
	switch {
	case !finite(declared):
		return -1
	case declared != math.Trunc(declared) || size >= 1<<53:
		return fillTolerance * size
	case size >= floatWhole:
		return floatTolerance * size
	}
	return 0
}

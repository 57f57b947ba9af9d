package series

import "math"

// fillTolerance is the relative distance at which a value still counts as the
// declared fill value: files declare 99999.9 and store the float32 next to it.
const fillTolerance = 1e-6

// fillFloor is the size from which every value counts as fill, declared or
// not: -1e31 is the convention of space physics files, and nothing measured is
// that large.
const fillFloor = 1e30

// MaskFill turns fill into NaN, in place, and returns how many values are NaN
// afterwards. A value is fill when it is not finite, when its size is at least
// 1e30, or when it equals the declared fill value to a relative 1e-6.
//
// values are records of width numbers. fill is what the source declares for
// this variable: nothing, one number for all columns, or one a column; one
// that is not finite declares nothing. Never pass the fill value of another variable:
// 99999.9 is fill for a speed and an ordinary proton temperature in kelvin.
func MaskFill(values []float64, width int, fill []float64) int {
	masked := 0
	perColumn := width > 1 && len(fill) == width
	declared := math.NaN()
	if len(fill) > 0 {
		declared = fill[0]
	}
	col := 0
	for i, v := range values {
		if perColumn {
			declared = fill[col]
			if col++; col == width {
				col = 0
			}
		}
		if IsFill(v, declared) {
			values[i] = math.NaN()
			masked++
		}
	}
	return masked
}

// IsFill reports whether one value is fill, by the rule of [MaskFill]. A
// declared value that is not finite declares nothing.
func IsFill(v, declared float64) bool {
	// The first comparison is also true for NaN and the infinities.
	return !(math.Abs(v) < fillFloor) || (math.Abs(v-declared) <= fillTolerance*math.Abs(declared) && !math.IsInf(declared, 0))
}

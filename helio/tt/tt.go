// Package tt holds time as space-physics archives do: TT2000, nanoseconds since
// J2000 with leap seconds included.
package tt

import "math"

// Time is an instant in nanoseconds since J2000 (2000-01-01T12:00:00 TT), leap
// seconds included. The zero value is J2000 itself.
type Time int64

// Fill is the value that marks a missing time.
const Fill Time = math.MinInt64

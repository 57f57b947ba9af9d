package cdf

import (
	"errors"
	"fmt"
)

// What the errors of this package wrap.
var (
	// ErrNotCDF means that the file is something else.
	ErrNotCDF = errors.New("not a CDF")
	// ErrDamaged means that the file is cut off or contradicts itself.
	ErrDamaged = errors.New("the CDF is damaged")
	// ErrUnsupported means that the file is sound as far as can be told, but
	// uses something that this package does not read.
	ErrUnsupported = errors.New("cannot read this kind of CDF")
	// ErrType means that a variable or entry does not hold what was asked for.
	ErrType = errors.New("the type does not fit")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

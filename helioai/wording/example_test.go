package wording_test

import (
	"fmt"
	"time"

	"github.com/helios-go/helios/helioai/wording"
)

func ExampleInterval() {
	for _, d := range []time.Duration{62500 * time.Microsecond, 16 * time.Second, 64 * time.Second, time.Minute, time.Hour} {
		fmt.Println(wording.Interval(d))
	}
	// Output:
	// 62.5 ms
	// 16 s
	// 64 s
	// 1 min
	// 1 h
}

func ExampleLine() {
	fmt.Println(wording.Line("mean and maximum\n  of the field magnitude", 20))
	// Output: mean and maximum of…
}

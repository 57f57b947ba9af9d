package tt_test

import (
	"fmt"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

func Example() {
	before, _ := tt.Parse("2016-12-31T23:59:59Z")
	after, _ := tt.Parse("2017-01-01T00:00:00Z")
	fmt.Println(after.Sub(before))
	fmt.Println(before.Add(time.Second))
	// Output:
	// 2s
	// 2016-12-31T23:59:60Z
}

func ExampleParse() {
	for _, s := range []string{"2015-076", "20150317T040059Z", "17-Mar-2015 04:00:59.123", "2015-7-1"} {
		at, err := tt.Parse(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(at)
	}
	// Output:
	// 2015-03-17T00:00:00Z
	// 2015-03-17T04:00:59Z
	// 2015-03-17T04:00:59.123Z
	// not a time: "2015-7-1": after the year come two digits (month) or three (day of the year); write it like 2023-01-02T03:41:01Z
}

func ExampleFromEpoch() {
	at, _ := tt.FromEpoch(63593784059000)
	fmt.Println(at, int64(at))
	missing, _ := tt.FromEpoch(-1e31)
	fmt.Println(missing)
	// Output:
	// 2015-03-17T04:00:59Z 479836926184000000
	// fill
}

func ExampleFromEpoch16() {
	at, _ := tt.FromEpoch16([2]float64{63300946758, 176214648000})
	fmt.Println(at)
	// Output: 2005-12-04T20:19:18.176214648Z
}

func ExampleFromCalendar() {
	at, err := tt.FromCalendar(2015, 6, 30, 23, 59, 60, 0)
	fmt.Println(at, err)
	_, err = tt.FromCalendar(2015, 6, 29, 23, 59, 60, 0)
	fmt.Println(err)
	// Output:
	// 2015-06-30T23:59:60Z <nil>
	// time 2015-06-29T23:59:60.000000000: no leap second was inserted there
}

func ExampleTime_UTC() {
	leap, _ := tt.Parse("2016-12-31T23:59:60Z")
	fmt.Println(leap.UTC().Format(time.RFC3339Nano))
	// Output: 2016-12-31T23:59:59.999999999Z
}

func ExampleTime_UnixNanoUTC() {
	at, _ := tt.Parse("1970-01-02")
	fmt.Println(at.UnixNanoUTC())
	// Output: 86400000000000
}

func ExampleTime_Format() {
	at, _ := tt.Parse("2023-01-02T03:41:01.25Z")
	fmt.Println(at.Format(0), at.Format(3), at)
	// Output: 2023-01-02T03:41:01Z 2023-01-02T03:41:01.250Z 2023-01-02T03:41:01.25Z
}

func ExampleFromMJD() {
	at, _ := tt.FromMJD(60441, 0.25)
	fmt.Println(at)
	day, fraction := at.Add(6 * time.Hour).MJD()
	fmt.Println(day, fraction)
	// Output:
	// 2024-05-11T06:00:00Z
	// 60441 0.5
}

func ExampleFromPB5() {
	at, _ := tt.FromPB5(2023, 2, 13261123)
	fmt.Println(at)
	// Output: 2023-01-02T03:41:01.123Z
}

func ExampleFromUnix() {
	at, _ := tt.FromUnix(1483228799.5)
	fmt.Println(at)
	// Two seconds later, for a leap second lies between; Unix time counts one.
	fmt.Println(at.Add(2*time.Second), at.Add(2*time.Second).Unix())
	// Output:
	// 2016-12-31T23:59:59.5Z
	// 2017-01-01T00:00:00.5Z 1.4832288005e+09
}

func ExampleFromDecimalYear() {
	at, _ := tt.FromDecimalYear(2020.5)
	fmt.Println(at, at.DecimalYear())
	// Output: 2020-07-02T00:00:00Z 2020.5
}

func ExampleParseHours() {
	start, stop, _ := tt.ParseHours("2015-03-17 22-23 UT")
	fmt.Println(start, stop)
	// Output: 2015-03-17T22:00:00Z 2015-03-17T23:00:00Z
}

func ExampleParseDuration() {
	cadence, _ := tt.ParseDuration("PT16S")
	longest, _ := tt.ParseDuration("P1M")
	fmt.Println(cadence, longest, tt.FormatDuration(longest))
	// Output: 16s 720h0m0s P30D
}

func ExampleParseSampling() {
	step, _ := tt.ParseSampling("5M")
	fmt.Println(step, tt.FormatDuration(step))
	// Output: 5m0s PT5M
}

package tt

import "sort"

const (
	second = int64(1e9)
	day    = 86400 * second

	// ttMinusTAI is a constant by definition.
	ttMinusTAI = 32_184_000_000

	// modifiedJulian2000 is the Modified Julian Day of 2000-01-01.
	modifiedJulian2000 = 51544
)

// LeapTable is the date, as the number YYYYMMDD, of the newest entry of the
// leap second table in this package. A file whose own table is newer may hold
// times that this package places a second off.
const LeapTable = 20170101

// An era is a stretch of time over which TAI-UTC is constant or grows evenly.
type era struct {
	day    int64 // its first day, counted from 2000-01-01
	offset int64 // TAI-UTC at its start, in ns
	drift  int64 // growth of TAI-UTC, in ns per 1e9 ns of UTC
	start  Time  // its first instant
	length int64 // of its last day, in ns: more than day when time was inserted
}

// eras is the table of the U.S. Naval Observatory from 1960 on. The first
// element stands for everything before.
var eras = makeEras()

func makeEras() []era {
	list := []era{{day: dayNumber(1, 1, 1)}}
	add := func(year, month int, offset, drift, mjd int64) {
		d := dayNumber(year, month, 1)
		if drift != 0 {
			// The published line starts at the day mjd, not at the era.
			offset += (d + modifiedJulian2000 - mjd) * (day / second) * drift
		}
		start := Time(d*day - day/2 + offset + ttMinusTAI)
		list = append(list, era{day: d, offset: offset, drift: drift, start: start})
	}
	for _, e := range []struct {
		year, month        int
		offset, drift, mjd int64
	}{
		{1960, 1, 1_417_818_000, 15, 37300},
		{1961, 1, 1_422_818_000, 15, 37300},
		{1961, 8, 1_372_818_000, 15, 37300},
		{1962, 1, 1_845_858_000, 13, 37665},
		{1963, 11, 1_945_858_000, 13, 37665},
		{1964, 1, 3_240_130_000, 15, 38761},
		{1964, 4, 3_340_130_000, 15, 38761},
		{1964, 9, 3_440_130_000, 15, 38761},
		{1965, 1, 3_540_130_000, 15, 38761},
		{1965, 3, 3_640_130_000, 15, 38761},
		{1965, 7, 3_740_130_000, 15, 38761},
		{1965, 9, 3_840_130_000, 15, 38761},
		{1966, 1, 4_313_170_000, 30, 39126},
		{1968, 2, 4_213_170_000, 30, 39126},
	} {
		add(e.year, e.month, e.offset, e.drift, e.mjd)
	}
	for i, e := range []struct{ year, month int }{
		{1972, 1}, {1972, 7}, {1973, 1}, {1974, 1}, {1975, 1}, {1976, 1}, {1977, 1},
		{1978, 1}, {1979, 1}, {1980, 1}, {1981, 7}, {1982, 7}, {1983, 7}, {1985, 7},
		{1988, 1}, {1990, 1}, {1991, 1}, {1992, 7}, {1993, 7}, {1994, 7}, {1996, 1},
		{1997, 7}, {1999, 1}, {2006, 1}, {2009, 1}, {2012, 7}, {2015, 7}, {2017, 1},
	} {
		add(e.year, e.month, int64(10+i)*second, 0, 0)
	}
	list[0].start = Fill
	for i := range list {
		list[i].length = day
		if i == len(list)-1 {
			break
		}
		next := list[i+1]
		// The step of 1960 is this table's beginning, not inserted time.
		if i > 0 {
			span := (next.day - list[i].day) * day
			list[i].length += max(0, next.offset-list[i].offset-drifted(span, list[i].drift))
		}
	}
	return list
}

// drifted is how much TAI-UTC grows while utc nanoseconds pass, rounded. The
// longest era with a drift is four years, so the product fits.
func drifted(utc, drift int64) int64 {
	if drift == 0 {
		return 0
	}
	return (utc*drift + second/2) / second
}

// eraOfDay returns the era that holds the day d.
func eraOfDay(d int64) *era {
	if last := &eras[len(eras)-1]; d >= last.day {
		return last
	}
	i := sort.Search(len(eras), func(i int) bool { return eras[i].day > d })
	return &eras[max(i-1, 0)]
}

// eraOf returns the era that holds the instant t.
func eraOf(t Time) *era {
	if last := &eras[len(eras)-1]; t >= last.start {
		return last
	}
	i := sort.Search(len(eras), func(i int) bool { return eras[i].start > t })
	return &eras[max(i-1, 0)]
}

// dayLength is how long the day d lasted in UTC, in ns.
func dayLength(d int64) int64 {
	if e := eraOfDay(d); eraOfDay(d+1) != e {
		return e.length
	}
	return day
}

// join returns the instant that is ns nanoseconds into the day d. From day on
// ns counts through inserted time, if the day had any.
func join(d, ns int64) (Time, bool) {
	e := eraOfDay(d)
	if e.start == Fill {
		return joinFirst(d, ns)
	}
	if d-e.day > 200_000 {
		return Fill, false
	}
	utc := (d-e.day)*day + ns
	if utc < 0 { // the product overflowed
		return Fill, false
	}
	t := e.start + Time(utc+drifted(utc, e.drift))
	if t < e.start {
		return Fill, false
	}
	return t, true
}

// joinFirst is join before 1960, where the arithmetic must not pass the lower
// end of int64 on the way.
func joinFirst(d, ns int64) (Time, bool) {
	const lowest = -106752 // 1707-09-22
	if d < lowest {
		return Fill, false
	}
	// One day too late, so that even the lowest product fits.
	late := (d + 1) * day
	back := day + day/2 - ttMinusTAI - ns
	if late < int64(Min)+back {
		return Fill, false
	}
	return Time(late - back), true
}

// split is the inverse of join: the day and the nanoseconds into it.
func split(t Time) (d, ns int64) {
	e := eraOf(t)
	if e.start == Fill {
		return splitFirst(t)
	}
	passed := int64(t - e.start)
	utc := passed
	if e.drift != 0 {
		utc -= passed / (second + e.drift) * e.drift
		for utc+drifted(utc, e.drift) > passed {
			utc--
		}
		for utc+1+drifted(utc+1, e.drift) <= passed {
			utc++
		}
	}
	d, ns = e.day+utc/day, utc%day
	if e != &eras[len(eras)-1] && eraOfDay(d) != e {
		return d - 1, ns + day
	}
	return d, ns
}

func splitFirst(t Time) (d, ns int64) {
	d, ns = floorDiv(int64(t), day)
	ns += day/2 - ttMinusTAI
	if ns >= day {
		d, ns = d+1, ns-day
	}
	if end := dayNumber(1960, 1, 1); d >= end {
		return end - 1, day - 1
	}
	return d, ns
}

func floorDiv(a, b int64) (q, r int64) {
	q, r = a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	return q, r
}

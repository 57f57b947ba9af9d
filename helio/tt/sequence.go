package tt

import "encoding/binary"

// A Sequence reads the times of one record after another. It gives what [Parse]
// gives, error for error, and is several times faster for the forms that HAPI has,
//
//	2023-01-02T03:41:01.123Z  2023-002T03:41:01.123Z
//
// with any number of decimals, and cut from the right, above all where a time has the
// same date as the one before. The zero value is ready. It is not for concurrent use.
type Sequence struct {
	head  uint64 // the first eight bytes of the date
	tail  uint16 // the ninth and the tenth; 0 for a day of the year
	day   int64
	start Time // its first instant
	// even says that no step and no drift of UTC lies in the day before its last
	// second, so that an instant is start and what has passed since.
	even bool

	// Of the newest minute of that day, where one is known: the bytes from the ninth
	// on, and its first instant.
	known       bool
	minute      uint64
	minuteStart Time
}

// milliseconds is the length of the form that is read fastest.
const milliseconds = len("2023-01-02T03:41:01.123Z")

// Parse is [Parse] of a text.
func (s *Sequence) Parse(text []byte) (Time, error) {
	if len(text) == milliseconds {
		if t, ok := s.toMilliseconds(text); ok {
			return t, nil
		}
	}
	if t, ok := s.fast(text); ok {
		return t, nil
	}
	return Parse(string(text))
}

// Column reads the times of records of one size, as binary data have them: size bytes at
// the beginning of every stride bytes of data, NUL or blanks at their end left out. It
// returns how many it has read, fewer than there are in to where the next is none,
// which the error tells.
func (s *Sequence) Column(to []Time, data []byte, size, stride int) (n int, err error) {
	for at := 0; n < len(to); at += stride {
		if size == milliseconds {
			n, at = s.run(to, n, data, at, stride)
			if n == len(to) {
				break
			}
		}
		text := data[at : at+size]
		for len(text) > 0 && (text[len(text)-1] == 0 || text[len(text)-1] == ' ') {
			text = text[:len(text)-1]
		}
		if to[n], err = s.Parse(text); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// run reads times of the newest minute, in milliseconds, for as long as there are any.
func (s *Sequence) run(to []Time, n int, data []byte, at, stride int) (next, place int) {
	if !s.known {
		return n, at
	}
	head, minute, start := s.head, s.minute, s.minuteStart
	for ; n < len(to); n++ {
		text := (*[milliseconds]byte)(data[at:])
		ns, ok := thousandths(binary.LittleEndian.Uint64(text[16:]))
		if !ok || binary.LittleEndian.Uint64(text[:]) != head || binary.LittleEndian.Uint64(text[8:]) != minute {
			break
		}
		to[n] = start + ns
		at += stride
	}
	return n, at
}

// Eight bytes are compared at once: those that should be a digit with 0, the others
// with what should stand there. What is left of a digit is 0 to 9, of the others 0,
// and the sum with these shows what is more in its top bits. The tens of a second must
// not be above 5.
const (
	hourForm, hourMost     = 0x303a30303a303054, 0x767f76767f76767f // T00:00:0
	secondForm, secondMost = 0x5a3030302e30303a, 0x7f7676767f767a7f // :00.000Z
	topBits                = 0x8080808080808080
)

// toMilliseconds reads such a text, on the day of the one before, without a second 60 or
// an hour 24.
func (s *Sequence) toMilliseconds(text []byte) (Time, bool) {
	ns, ok := thousandths(binary.LittleEndian.Uint64(text[16:]))
	if !ok {
		return Fill, false
	}
	head, minute := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
	if head == s.head && minute == s.minute && s.known {
		return s.minuteStart + ns, true
	}
	return s.nextMinute(head, minute, ns)
}

// thousandths reads :01.123Z, without a second 60.
func thousandths(text uint64) (ns Time, ok bool) {
	y := text ^ secondForm
	pairs := y*10 + y>>8 // of digits become numbers: the seconds in byte 1, the first decimals in byte 4
	const both, factors = 0x000000ff0000ff00, 1000<<24 + 10
	ms := pairs&both*factors>>32&0xffffff + y>>48
	return Time(ms * 1_000_000), (y+secondMost|y)&topBits == 0
}

// nextMinute is toMilliseconds where the minute is another one, of which the bytes from
// the ninth on are given.
func (s *Sequence) nextMinute(head, minute uint64, ns Time) (Time, bool) {
	if !s.even || head != s.head || uint16(minute) != s.tail || s.tail == 0 {
		return Fill, false
	}
	x := minute>>16 ^ hourForm&(1<<48-1)
	if (x+hourMost&(1<<48-1)|x)&topBits != 0 {
		return Fill, false
	}
	x = x*10 + x>>8
	h, m := x>>8&0xff, x>>32&0xff
	if h > 23 || m > 59 {
		return Fill, false
	}
	s.known, s.minute, s.minuteStart = true, minute, s.start+Time(int64(h*60+m)*60*second)
	return s.minuteStart + ns, true
}

const shortestDate = len("2023-002")

// fast reads the forms that Sequence names, unless second 60 or hour 24 stand there.
func (s *Sequence) fast(text []byte) (Time, bool) {
	if len(text) < shortestDate+len("T03:41:01") {
		return s.short(text)
	}
	head := binary.LittleEndian.Uint64(text)
	tail := uint16(0)
	clock := text[shortestDate:]
	if byte(head>>56) == '-' {
		tail = binary.LittleEndian.Uint16(text[8:])
		clock = text[10:]
	}
	if head != s.head || tail != s.tail || s.head == 0 {
		if !s.date(head, tail) {
			return Fill, false
		}
	}
	if len(clock) < len("T03:41:01") {
		return s.cut(clock)
	}
	x := binary.LittleEndian.Uint64(clock) ^ hourForm
	units := uint64(clock[8] - '0')
	if (x+hourMost|x)&topBits != 0 || units > 9 {
		return s.cut(clock)
	}
	x = x*10 + x>>8
	hour, minute, sec := x>>8&0xff, x>>32&0xff, x>>56+units
	if hour > 23 || minute > 59 || sec > 59 {
		return Fill, false
	}
	nanosecond, ok := decimals(clock[9:])
	if !ok {
		return Fill, false
	}
	return s.at(int64((hour*60+minute)*60+sec)*second + nanosecond)
}

// at is the instant ns nanoseconds after the day has begun.
func (s *Sequence) at(ns int64) (Time, bool) {
	if s.even {
		return s.start + Time(ns), true
	}
	return join(s.day, ns)
}

// decimals reads what follows the seconds: .123Z, and what of it may be missing.
func decimals(text []byte) (nanosecond int64, ok bool) {
	if n := len(text) - 1; n >= 0 && text[n] == 'Z' {
		text = text[:n]
	}
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != '.' || len(text) < 2 || len(text) > 1+12 {
		return 0, false
	}
	scale := second / 10
	for _, c := range text[1:] {
		if c -= '0'; c > 9 {
			return 0, false
		}
		nanosecond += int64(c) * scale
		scale /= 10
	}
	return nanosecond, true
}

// short reads a date that stands alone or with an hour and minutes.
func (s *Sequence) short(text []byte) (Time, bool) {
	if len(text) < shortestDate {
		return Fill, false
	}
	head, tail, clock := binary.LittleEndian.Uint64(text), uint16(0), text[shortestDate:]
	if byte(head>>56) == '-' {
		if len(text) < 10 {
			return Fill, false
		}
		tail, clock = binary.LittleEndian.Uint16(text[8:]), text[10:]
	}
	if (head != s.head || tail != s.tail || s.head == 0) && !s.date(head, tail) {
		return Fill, false
	}
	return s.cut(clock)
}

// cut reads a time of day of hours and minutes, or none.
func (s *Sequence) cut(clock []byte) (Time, bool) {
	if n := len(clock) - 1; n >= 0 && clock[n] == 'Z' {
		clock = clock[:n]
	}
	switch {
	case len(clock) == 0:
		return s.at(0)
	case len(clock) != len("T03:41") || clock[0] != 'T' || clock[3] != ':':
		return Fill, false
	}
	hour, ok := pair(clock[1:])
	minute, also := pair(clock[4:])
	if !ok || !also || hour > 23 || minute > 59 {
		return Fill, false
	}
	return s.at((hour*60 + minute) * 60 * second)
}

func pair(text []byte) (int64, bool) {
	a, b := text[0]-'0', text[1]-'0'
	return int64(a)*10 + int64(b), a <= 9 && b <= 9
}

// date takes a new date: 2023-01-02 in eight bytes and two, or 2023-002 in eight.
func (s *Sequence) date(head uint64, tail uint16) bool {
	var b [10]byte
	binary.LittleEndian.PutUint64(b[:], head)
	binary.LittleEndian.PutUint16(b[8:], tail)
	century, ok := pair(b[:])
	rest, also := pair(b[2:])
	if !ok || !also || b[4] != '-' {
		return false
	}
	c := calendar{year: int(century*100 + rest), month: 1, day: 1}
	if b[7] != '-' {
		tens, ok := pair(b[5:])
		units := b[7] - '0'
		if !ok || units > 9 {
			return false
		}
		n := int(tens)*10 + int(units)
		if n < 1 || n > 365 && (n > 366 || !leapYear(c.year)) {
			return false
		}
		return s.begin(head, tail, dayNumber(max(c.year, 1), 1, 1)+int64(n)-1, c.year)
	}
	month, ok := pair(b[5:])
	dayOfMonth, also := pair(b[8:])
	c.month, c.day = int(month), int(dayOfMonth)
	if !ok || !also || c.month < 1 || c.month > 12 || c.day < 1 || c.day > daysIn(c.year, c.month) {
		return false
	}
	return s.begin(head, tail, dayNumber(c.year, c.month, c.day), c.year)
}

func (s *Sequence) begin(head uint64, tail uint16, d int64, year int) bool {
	start, ok := join(d, 0)
	if year < 1 || !ok {
		return false
	}
	_, ok = join(d, day-1)
	e := eraOfDay(d)
	*s = Sequence{head: head, tail: tail, day: d, start: start, even: ok && e.drift == 0 && e.start != Fill}
	return true
}

package wire

import (
	"bytes"
	"encoding/hex"
)

// halves puts characters together that a server has cut in two. Servers and
// gateways that count in UTF-16 cut a text inside of an emoji, and write what is
// left of it in each event as an escape that is no character:
//
//	data: {"delta":"the sun \ud83c"}
//	data: {"delta":"\udf1e shines"}
//
// A string that ends with a first half is given without it, and the next one that
// begins with a second half is given with both. The zero value is ready.
type halves struct {
	kept [][6]byte // the first halves of the last event that had some, as escapes
	buf  []byte
}

var (
	halfLower = []byte(`\ud`)
	halfUpper = []byte(`\uD`)
)

// join is the data of the next event, valid until the one after it. Nearly all
// events are returned as they are.
func (h *halves) join(data []byte) []byte {
	if !bytes.Contains(data, halfLower) && !bytes.Contains(data, halfUpper) {
		return data
	}
	out := h.buf[:0]
	var kept [][6]byte
	inside := false // a string
	begin := 0      // of the string
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c == '"':
			inside = !inside
			begin = i + 1
		case c != '\\' || !inside:
		case i+1 < len(data) && data[i+1] != 'u':
			out = append(out, data[i:i+2]...)
			i += 2
			continue
		default:
			first := surrogate(data[i:])
			switch {
			case first == high && surrogate(data[min(i+6, len(data)):]) == low:
				out = append(out, data[i:i+12]...)
				i += 12
				continue
			case first == high && i+6 < len(data) && data[i+6] == '"':
				kept = append(kept, [6]byte(data[i:]))
				i += 6
				continue
			case first == low && i == begin && len(h.kept) > 0:
				out = append(out, h.kept[0][:]...)
				h.kept = h.kept[1:]
			}
		}
		out = append(out, c)
		i++
	}
	if len(kept) > 0 {
		h.kept = kept
	}
	h.buf = out
	return out
}

// The halves of a surrogate pair.
const (
	high = 1
	low  = 2
)

// surrogate is which half of a pair is written at the front of data, 0 for neither.
func surrogate(data []byte) int {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0
	}
	var unit [2]byte
	if _, err := hex.Decode(unit[:], data[2:6]); err != nil {
		return 0
	}
	switch unit[0] >> 2 {
	case 0xD8 >> 2:
		return high
	case 0xDC >> 2:
		return low
	}
	return 0
}

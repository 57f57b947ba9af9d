package scan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// A Joiner puts characters together that a server has cut in two: gateways that
// count in UTF-16 send the halves of an emoji in two events. What is not UTF-8
// otherwise becomes the replacement character. The zero value is ready; one Joiner
// is for one text that comes in pieces.
type Joiner struct {
	high [3]byte // the first half, as the scanner writes it; 0 without one
	buf  []byte
}

// Join is the next piece with what was left of the last one before it, valid until
// the next call. Lone is [Scanner.Lone]: there may be halves in it.
func (j *Joiner) Join(text []byte, lone bool) []byte {
	if j.high[0] == 0 && !lone {
		if utf8.Valid(text) {
			return text
		}
		j.buf = appendValid(j.buf[:0], text, false)
		return j.buf
	}
	text = append(j.Rest(), text...)
	out := j.buf[:0]
	for i := 0; i < len(text); {
		first := surrogate(text[i:])
		switch {
		case first < 0:
			r, n := utf8.DecodeRune(text[i:])
			out = utf8.AppendRune(out, r)
			i += n
		case first < 0xDC00 && i+3 == len(text):
			copy(j.high[:], text[i:])
			i += 3
		default:
			whole := utf16.DecodeRune(first, surrogate(text[i+3:]))
			if i += 3; whole != utf8.RuneError {
				i += 3
			}
			out = utf8.AppendRune(out, whole)
		}
	}
	j.buf = out
	return out
}

// Rest is the half that is left when no other piece comes, nil without one. It is
// forgotten then.
func (j *Joiner) Rest() []byte {
	if j.high[0] == 0 {
		return nil
	}
	half := j.high
	j.high = [3]byte{}
	return half[:]
}

// surrogate is the half of a pair that data begins with, else -1.
func surrogate(data []byte) rune {
	if len(data) < 3 || data[0] != 0xED || data[1] < 0xA0 || data[1] > 0xBF || data[2]&0xC0 != 0x80 {
		return -1
	}
	return rune(data[0]&0x0F)<<12 | rune(data[1]&0x3F)<<6 | rune(data[2]&0x3F)
}

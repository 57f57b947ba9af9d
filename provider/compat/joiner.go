package compat

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// A joiner puts characters together that a server has cut in two: gateways that
// count in UTF-16 send the halves of an emoji in two events. What is not UTF-8
// otherwise becomes the replacement character.
type joiner struct {
	high [3]byte // the first half, as the scanner writes it; 0 without one
	buf  []byte
}

// join is a text with what was left of the last one before it, valid until the next
// call. Lone says that there may be halves in it.
func (j *joiner) join(text []byte, lone bool) []byte {
	if j.high[0] == 0 && !lone {
		if utf8.Valid(text) {
			return text
		}
		return bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	j.buf = append(j.buf[:0], j.rest()...)
	j.buf = append(j.buf, text...)
	out := j.buf[:0]
	for i := 0; i < len(j.buf); {
		first := surrogate(j.buf[i:])
		if first < 0 {
			r, n := utf8.DecodeRune(j.buf[i:])
			if r == utf8.RuneError && n == 1 {
				return bytes.ToValidUTF8(append(out, j.buf[i:]...), []byte("\uFFFD"))
			}
			out = append(out, j.buf[i:i+n]...)
			i += n
			continue
		}
		if i+3 == len(j.buf) && first < 0xDC00 {
			copy(j.high[:], j.buf[i:])
			break
		}
		whole := utf16.DecodeRune(first, surrogate(j.buf[i+3:]))
		if i += 3; whole != utf8.RuneError {
			i += 3
		}
		out = utf8.AppendRune(out, whole) // as long as what was read, or shorter
	}
	return out
}

// rest is the half that is left.
func (j *joiner) rest() []byte {
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

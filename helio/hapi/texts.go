package hapi

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// texts makes strings of bytes, many in one piece of memory.
type texts struct{ piece strings.Builder }

const pieceSize = 4 << 10

func (t *texts) string(b []byte) string {
	if t.piece.Len()+len(b) > t.piece.Cap() {
		if len(b) > pieceSize/4 {
			return string(b)
		}
		t.piece = strings.Builder{}
		t.piece.Grow(pieceSize)
	}
	n := t.piece.Len()
	t.piece.Write(b)
	return t.piece.String()[n:]
}

// put takes the value i of a column of texts.
func (d *Decoder) put(c *column, i int, text []byte) {
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	text = bytes.TrimRight(text, " ")
	switch {
	case len(text) == 0, c.p.HasFill && string(text) == c.word:
		c.words[i] = ""
	case string(text) == c.last:
		c.words[i] = c.last
	case utf8.Valid(text):
		c.last = d.texts.string(text)
		c.words[i] = c.last
	default:
		c.words[i] = string(bytes.ToValidUTF8(text, []byte("\ufffd")))
	}
}

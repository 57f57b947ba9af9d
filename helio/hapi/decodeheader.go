package hapi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// commentHeader reads the lines before the data that begin with a number sign. Data
// do not: they begin with a digit. What is no header in them is a comment.
func (d *Decoder) commentHeader() error {
	s := &d.src
	var text []byte
	begin := s.offset(s.at)
	for s.at < s.end || s.more() {
		if s.buf[s.at] != '#' {
			break
		}
		n := s.line(0)
		if n < 0 {
			return d.cutIn("its header", 0)
		}
		text = append(append(text, s.buf[s.at+1:s.at+n]...), '\n')
		s.at += n + 1
		if len(text) > maxRecord {
			return d.broken(fmt.Sprintf("the header is longer than %d bytes", maxRecord), errLong)
		}
	}
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return nil
	}
	return d.setHeader(text, begin)
}

// setHeader takes a header that came with the data and begins at that byte of the
// stream. It must describe what was asked for.
func (d *Decoder) setHeader(text []byte, begin int64) error {
	h, err := ParseInfo(text)
	if err == nil && len(h.Parameters) > 0 {
		err = h.describes(d.info)
	}
	if err != nil {
		return &StreamError{Format: d.format, Record: d.records, Offset: begin, Reason: err.Error(), Err: err}
	}
	d.header = h
	return nil
}

// describes is an error unless data of this header can be read by the other.
func (in *Info) describes(asked *Info) error {
	if !slices.Equal(in.Names(), asked.Names()) {
		return fmt.Errorf("the data are of %s, and not of %s", strings.Join(in.Names(), ", "), strings.Join(asked.Names(), ", "))
	}
	for i := range in.Parameters {
		p, q := &in.Parameters[i], &asked.Parameters[i]
		if p.Type != q.Type || p.Width() != q.Width() {
			return fmt.Errorf("the data have %q as %s with %d values, and not as %s with %d", p.Name, p.Type, p.Width(), q.Type, q.Width())
		}
	}
	return nil
}

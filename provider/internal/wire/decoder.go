package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/helios-go/helios/internal/sse"
)

// A Decoder reads the JSON of one stream's events, one after the other, and keeps
// what reading needs from one to the next: an event costs the values in it and
// nothing else. It is not safe for concurrent use, and of no use after an error.
type Decoder struct {
	conn *Conn
	dec  *json.Decoder
	rest feed
	fed  int64
}

var (
	errMore  = errors.New("there is more behind its JSON value")
	errShort = errors.New("its JSON value has no end") // an end of file would say that the stream was cut
)

// NewDecoder returns a decoder for a stream of the connection.
func (c *Conn) NewDecoder() *Decoder {
	d := &Decoder{conn: c}
	d.dec = json.NewDecoder(&d.rest)
	return d
}

// Decode reads an event's data into v, as json.Unmarshal does. The error is one of
// the stream: see [Conn.Garbled].
func (d *Decoder) Decode(e sse.Event, v any) error {
	d.rest.data = e.Data
	d.fed += int64(len(e.Data))
	if err := d.dec.Decode(v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = errShort
		}
		return d.conn.Garbled(e.Cut, err)
	}
	if more := e.Data[len(e.Data)-int(d.fed-d.dec.InputOffset()):]; len(bytes.TrimSpace(more)) > 0 {
		return d.conn.Garbled(false, errMore) // the next event would be taken for it
	}
	return nil
}

// A feed is a reader of what there is just now.
type feed struct{ data []byte }

func (f *feed) Read(p []byte) (int, error) {
	if len(f.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

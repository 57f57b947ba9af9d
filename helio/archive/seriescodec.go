package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// seriesVersion begins a series in the cache; one of another version is fetched
// again.
const seriesVersion = 1

// encodeSeries returns a series as it is kept in the cache: a version, the length
// of what describes it, that description, times and values. nil is a piece without
// records.
func encodeSeries(s *series.Series) ([]byte, error) {
	if s == nil {
		return []byte{seriesVersion}, nil
	}
	about := *s
	about.Time, about.Values = nil, nil
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(&about); err != nil {
		return nil, fmt.Errorf("keep %s: %w", s.ID, err)
	}
	out := make([]byte, 0, 1+12+text.Len()+8*(len(s.Time)+len(s.Values)))
	out = append(out, seriesVersion)
	out = binary.LittleEndian.AppendUint32(out, uint32(text.Len()))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(s.Time)))
	out = append(out, text.Bytes()...)
	for _, t := range s.Time {
		out = binary.LittleEndian.AppendUint64(out, uint64(t))
	}
	for _, v := range s.Values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out, nil
}

var errSeriesForm = errors.New("not a series of this version")

// decodeSeries undoes encodeSeries.
func decodeSeries(data []byte) (*series.Series, error) {
	if len(data) == 0 || data[0] != seriesVersion {
		return nil, errSeriesForm
	}
	if len(data) == 1 {
		return nil, nil
	}
	if len(data) < 13 {
		return nil, errSeriesForm
	}
	about, n := uint64(binary.LittleEndian.Uint32(data[1:])), binary.LittleEndian.Uint64(data[5:])
	rest := data[13:]
	if about > uint64(len(rest)) {
		return nil, errSeriesForm
	}
	s := new(series.Series)
	if err := gob.NewDecoder(bytes.NewReader(rest[:about])).Decode(s); err != nil {
		return nil, fmt.Errorf("%w: %w", errSeriesForm, err)
	}
	cells := uint64(len(rest)-int(about)) / 8
	rest = rest[about:]
	if len(rest)%8 != 0 || n > cells || cells-n != n*uint64(s.Width()) {
		return nil, errSeriesForm
	}
	s.Time, s.Values = make([]tt.Time, n), make([]float64, cells-n)
	for i := range s.Time {
		s.Time[i] = tt.Time(binary.LittleEndian.Uint64(rest[8*i:]))
	}
	rest = rest[8*n:]
	for i := range s.Values {
		s.Values[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
	}
	return s, nil
}

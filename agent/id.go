package agent

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync"
	"time"
)

// ids makes UUIDs of version 7 that grow: 48 bits of milliseconds, a counter
// within the millisecond, 62 random bits.
var ids struct {
	sync.Mutex
	last uint64 // milliseconds << 12 | counter
}

// NewID returns a new UUID of version 7. Within a process each is greater, as
// text too, than the ones before. It is safe for concurrent use.
func NewID() string {
	ids.Lock()
	now := uint64(time.Now().UnixMilli()) << 12
	ids.last = max(ids.last+1, now)
	stamp := ids.last
	ids.Unlock()

	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], stamp>>12<<16|7<<12|stamp&0xfff)
	rand.Read(b[8:])
	b[8] = b[8]&0x3f | 0x80

	var text [36]byte
	hex.Encode(text[:8], b[:4])
	hex.Encode(text[9:13], b[4:6])
	hex.Encode(text[14:18], b[6:8])
	hex.Encode(text[19:23], b[8:10])
	hex.Encode(text[24:], b[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

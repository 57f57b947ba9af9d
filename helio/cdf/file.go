package cdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/helios-go/helios/helio/tt"
)

// File is an open CDF. It does not change after it was opened and is safe for
// concurrent use; Close ends all use. Its variables and attributes belong to it
// and must not be changed.
type File struct {
	info       Info
	variables  []*Variable
	named      sync.Once // see Variable
	byName     map[string]*Variable
	handed     sync.Once // see handOut
	attributes attributes

	data    *source
	big     bool // values are big-endian
	outer   io.ReaderAt
	size    int64 // of the file as it is stored
	rDims   []int
	closer  io.Closer
	maxRead int64 // bytes that the result of one read may have
}

// Info says how a file is laid out.
type Info struct {
	Version     string // of the format, as in "3.9.0"
	Encoding    Encoding
	ColumnMajor bool        // how arrays are stored; results are row-major anyway
	Compression Compression // of the file as a whole
	Checksum    bool        // an MD5 sum follows, see [File.Verify]
	// LeapTable is the date, as YYYYMMDD, of the newest leap second that the
	// writer knew; 0 where the file does not say.
	LeapTable int
}

// Open opens the CDF at path and reads everything but the values. The caller
// must close it. The error wraps [ErrNotCDF], [ErrDamaged] or [ErrUnsupported],
// or what the file system says.
func Open(path string) (*File, error) {
	// Before it is opened, as opening a pipe would wait for its other end.
	st, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open CDF: %w", err)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("open CDF %q: %w: it is no regular file", path, ErrNotCDF)
	}
	fh, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open CDF: %w", err)
	}
	f, err := open(fh, st.Size())
	if err != nil {
		fh.Close()
		return nil, fmt.Errorf("open CDF %q: %w", path, err)
	}
	f.closer = fh
	return f, nil
}

// New is [Open] for bytes that come from elsewhere: r holds size of them, and
// must stay readable, also concurrently, as long as the File is used.
func New(r io.ReaderAt, size int64) (*File, error) {
	f, err := open(r, size)
	if err != nil {
		return nil, fmt.Errorf("open CDF: %w", err)
	}
	return f, nil
}

// Close closes the file that [Open] opened. Nothing may be read afterwards.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Info returns how the file is laid out.
func (f *File) Info() Info { return f.info }

// Variables returns the variables: r variables first, each kind in the order of
// the file.
func (f *File) Variables() []*Variable { return f.variables }

// Variable returns the variable of that name.
func (f *File) Variable(name string) (*Variable, bool) {
	f.named.Do(func() {
		f.byName = make(map[string]*Variable, len(f.variables))
		for _, v := range slices.Backward(f.variables) {
			f.byName[v.Name] = v // of two the first
		}
	})
	v, ok := f.byName[name]
	return v, ok
}

// Global returns the attributes that belong to the file as a whole.
func (f *File) Global() []Attribute {
	f.handOut()
	return f.attributes.all
}

// Warnings says what a careful reader should know: one sentence each, usually
// none.
func (f *File) Warnings() []string {
	if f.info.LeapTable > tt.LeapTable {
		return []string{fmt.Sprintf("the file was written with a leap second table of %d, newer than the %d of this program: its latest times may be a second off", f.info.LeapTable, tt.LeapTable)}
	}
	return nil
}

const (
	magicSize       = 8
	magicV3         = 0xCDF30001
	magicV26        = 0xCDF26002
	magicV2         = 0x0000FFFF
	magicPlain      = 0x0000FFFF
	magicCompressed = 0xCCCC0001

	flagRowMajor   = 1
	flagSingleFile = 2
	flagChecksum   = 4
	flagMD5        = 8
	checksumSize   = 16

	maxDims = 10

	// minRead is what one read may always give, however small the file.
	minRead = 64 << 20
)

func open(r io.ReaderAt, size int64) (*File, error) {
	if size < magicSize {
		return nil, fmt.Errorf("%w: it has only %d bytes", ErrNotCDF, max(size, 0))
	}
	f := &File{outer: r, size: size, data: newSource(r, size)}
	f.maxRead = max(minRead, size*gzipRatio)
	w := f.data.walk()
	defer func() { w.done() }()
	magic, err := w.bytes(0, magicSize)
	if err != nil {
		return nil, err
	}
	switch binary.BigEndian.Uint32(magic) {
	case magicV3:
		f.data.wide = true
	case magicV26, magicV2:
	default:
		return nil, fmt.Errorf("%w: %s", ErrNotCDF, whatElse(magic))
	}
	trailer := int64(0)
	switch binary.BigEndian.Uint32(magic[4:]) {
	case magicPlain:
	case magicCompressed:
		end, err := f.expandWhole(w)
		if err != nil {
			return nil, err
		}
		trailer = size - end
		w.done()
		w = f.data.walk()
	default:
		return nil, fmt.Errorf("%w: its second word is %x", ErrNotCDF, magic[4:])
	}
	w.alone()
	gdr, err := f.readCDR(w)
	if err != nil {
		return nil, err
	}
	if f.info.Compression != None && f.info.Checksum && trailer < checksumSize {
		return nil, damaged("the file is cut off: its checksum is missing")
	}
	if err := f.readGDR(w, gdr); err != nil {
		return nil, err
	}
	return f, nil
}

// whatElse guesses what a file is that is not a CDF.
func whatElse(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("CDF\x01")), bytes.HasPrefix(b, []byte("CDF\x02")), bytes.HasPrefix(b, []byte("CDF\x05")):
		return "it is a netCDF file"
	case bytes.HasPrefix(b, []byte("\x89HDF")):
		return "it is an HDF5 or netCDF-4 file"
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return "it is a gzip file; decompress it first"
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return "it is a zip file; unpack it first"
	case bytes.HasPrefix(b, []byte("SIMPLE")):
		return "it is a FITS file"
	case bytes.HasPrefix(bytes.TrimLeft(b, " \r\n\t\ufeff"), []byte("<")):
		return "it is a web page or an XML file"
	}
	return fmt.Sprintf("it begins with %q", b[:4])
}

// expandWhole replaces the source by the expanded bytes of a file that is
// compressed as a whole, and returns where the compressed part ends.
func (f *File) expandWhole(w *walker) (end int64, err error) {
	b, err := w.bytes(8, int(2*w.headSize())+12)
	if err != nil {
		return 0, damaged("the file is cut off in its first record")
	}
	c := fields{b: b, wide: w.wide}
	size, kind, cpr, plain := c.offset(), c.int(), c.offset(), c.offset()
	c.int()
	head := int64(c.at)
	if kind != recordCCR || size < head {
		return 0, damaged("no compressed file in the first record")
	}
	if size > f.size-8 {
		return 0, damaged("the file is cut off: its compressed part needs %d bytes, and %d are there", size+8, f.size)
	}
	f.info.Compression, end, err = w.compression(cpr)
	if err != nil {
		return 0, err
	}
	if err := f.info.Compression.supported(); err != nil {
		return 0, err
	}
	if n := size - head; plain < 0 || plain > f.info.Compression.maxExpansion(n) {
		return 0, damaged("%d compressed bytes cannot become %d", n, plain)
	}
	packed := make([]byte, size-head)
	if err := f.data.readAt(packed, 8+head); err != nil {
		return 0, err
	}
	whole := make([]byte, 8+plain)
	if err := f.data.readAt(whole[:4], 0); err != nil {
		return 0, err
	}
	binary.BigEndian.PutUint32(whole[4:], magicPlain)
	ws := workspaces.Get().(*workspace)
	defer ws.done()
	if f.info.Compression == None {
		copy(whole[8:], packed)
	} else {
		r, err := ws.expand(f.info.Compression, packed)
		if err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(r, whole[8:]); err != nil {
			return 0, expandError(err)
		}
		if err := checkEnd(r, make([]byte, 1)); err != nil {
			return 0, err
		}
	}
	wide := f.data.wide
	f.data = newSource(bytes.NewReader(whole), int64(len(whole)))
	f.data.wide = wide
	return max(8+size, end), nil
}

func (f *File) readCDR(w *walker) (gdr int64, err error) {
	c, err := w.record(8, recordCDR)
	if err != nil {
		return 0, fmt.Errorf("file description: %w", err)
	}
	gdr = c.offset()
	version, release := c.int(), c.int()
	f.info.Encoding = Encoding(c.int())
	flags := c.int()
	c.skip(8)
	increment := c.int()
	if err := c.err(); err != nil {
		return 0, err
	}
	f.info.Version = fmt.Sprintf("%d.%d.%d", version, release, increment)
	f.data.old = version < 2 || version == 2 && release < 5
	f.info.ColumnMajor = flags&flagRowMajor == 0
	f.info.Checksum = flags&(flagChecksum|flagMD5) == flagChecksum|flagMD5
	if version > 3 {
		return 0, unsupported("it has version %s, and 3 is the newest known", f.info.Version)
	}
	if wide := version == 3; wide != w.wide || version < 1 {
		return 0, damaged("version %s does not go with the first bytes", f.info.Version)
	}
	if flags&flagSingleFile == 0 {
		return 0, unsupported("its values are in separate files; convert it to a single-file CDF with cdfconvert")
	}
	var ok bool
	if f.big, ok = f.info.Encoding.bigEndian(); !ok {
		return 0, unsupported("its numbers are in %s form; convert it to IEEE numbers with cdfconvert", f.info.Encoding)
	}
	return gdr, nil
}

func (f *File) readGDR(w *walker, offset int64) error {
	g, err := w.record(offset, recordGDR)
	if err != nil {
		return fmt.Errorf("global description: %w", err)
	}
	rHead, zHead, attributes, eof := g.offset(), g.offset(), g.offset(), g.offset()
	nr, na := g.int(), g.int()
	g.skip(4)
	dims, nz := g.int(), g.int()
	g.offset()
	g.skip(4)
	if leap := g.int(); w.wide && leap > 0 {
		f.info.LeapTable = leap
	}
	g.skip(4)
	if err := g.err(); err != nil {
		return err
	}
	if dims < 0 || dims > maxDims {
		return damaged("r variables with %d dimensions", dims)
	}
	if nr < 0 || nz < 0 || na < 0 {
		return damaged("%d r variables, %d z variables, %d attributes", nr, nz, na)
	}
	for range dims {
		f.rDims = append(f.rDims, g.int())
	}
	if err := g.err(); err != nil {
		return err
	}
	need := eof
	if f.info.Checksum && f.info.Compression == None {
		need += checksumSize
	}
	if need > w.size {
		return damaged("the file is cut off: it should have %d bytes and has %d", need, w.size)
	}
	f.attributes.r, err = f.readVariables(w, rHead, nr, recordRVDR)
	if err != nil {
		return err
	}
	f.attributes.z, err = f.readVariables(w, zHead, nz, recordZVDR)
	if err != nil {
		return err
	}
	return f.readAttributes(w, attributes, na)
}

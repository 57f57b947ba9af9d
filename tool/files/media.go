package files

import (
	"bytes"
	"strings"
)

// beginnings are what files of some types begin with. Models take the images in
// the first rows, and PDF.
var beginnings = []struct {
	mime  string
	begin string
	image bool
}{
	{"image/png", "\x89PNG\r\n\x1a\n", true},
	{"image/jpeg", "\xff\xd8\xff", true},
	{"image/gif", "GIF87a", true},
	{"image/gif", "GIF89a", true},
	{"application/pdf", "%PDF-", false},
	{"image/tiff", "II*\x00", false},
	{"image/tiff", "MM\x00*", false},
	{"image/vnd.microsoft.icon", "\x00\x00\x01\x00", false},
	{"application/zip", "PK\x03\x04", false},
	{"application/gzip", "\x1f\x8b", false},
	{"application/zstd", "\x28\xb5\x2f\xfd", false},
	{"application/x-xz", "\xfd7zXZ\x00", false},
	{"application/vnd.sqlite3", "SQLite format 3\x00", false},
	{"application/x-elf", "\x7fELF", false},
	{"application/wasm", "\x00asm", false},
	{"application/x-hdf5", "\x89HDF\r\n\x1a\n", false},
	{"application/x-cdf", "\xcd\xf3\x00\x01", false},
	{"application/x-cdf", "\xcd\xf2\x60\x02", false},
	{"application/x-npy", "\x93NUMPY", false},
}

// mediaType is the type of what is an image for a model, a PDF, or binary, and ""
// of text. It goes by the content: names lie.
func mediaType(data []byte) (mime string, image bool) {
	if len(data) > 12 && bytes.HasPrefix(data, []byte("RIFF")) && string(data[8:12]) == "WEBP" {
		return "image/webp", true
	}
	for _, t := range beginnings {
		if bytes.HasPrefix(data, []byte(t.begin)) && (t.image || t.mime == "application/pdf" || isBinary(data)) {
			return t.mime, t.image
		}
	}
	switch {
	case !isBinary(data):
		return "", false
	case bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "text/plain;charset=utf-16", false
	}
	return "application/octet-stream", false
}

// sniffed is how far into a file is looked for a byte that no text holds.
const sniffed = 8 << 10

func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0
}

// guidance says what to do about a file that cannot be shown.
func guidance(mime string) string {
	switch {
	case strings.HasPrefix(mime, "text/"):
		return "convert it to UTF-8 with a program to read it"
	case strings.HasPrefix(mime, "image/"):
		return "convert it to PNG with a program to see it"
	}
	return "only text, PNG, JPEG, GIF, WebP and PDF can be shown; look into it with a program that knows its format"
}

package python

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// maxFonts bounds a font list, which takes about 300 bytes a font.
const maxFonts = 8 << 20

var fontsOK = regexp.MustCompile(`^fontlist-v[0-9][0-9.]{0,15}\.json$`)

// LoadFonts returns the font lists that [SaveFonts] has kept in dir, for
// [Script.Files]; nil when there are none or dir is "".
func LoadFonts(dir string) map[string][]byte {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var fonts map[string][]byte
	for _, entry := range entries {
		if !fontsOK.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil || !json.Valid(data) {
			continue
		}
		if fonts == nil {
			fonts = map[string][]byte{}
		}
		fonts[entry.Name()] = data
	}
	return fonts
}

// SaveFonts keeps the font lists of a report in dir, so that later runs need not
// build them; it does nothing when there are none or dir is "". matplotlib reads
// only the list of its own version and rebuilds it when a font is gone.
func SaveFonts(dir string, fonts map[string][]byte) error {
	if dir == "" || len(fonts) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the font list: %w", err)
	}
	for name, data := range fonts {
		f, err := os.CreateTemp(dir, ".fontlist-*")
		if err != nil {
			return fmt.Errorf("keep the font list: %w", err)
		}
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
		if err == nil {
			err = os.Rename(f.Name(), filepath.Join(dir, name))
		}
		if err != nil {
			_ = os.Remove(f.Name())
			return fmt.Errorf("keep the font list: %w", err)
		}
	}
	return nil
}

// takeFonts unpacks a font list: compressed JSON under a name of matplotlib's.
func (r *Report) takeFonts(name string, packed []byte) error {
	if !fontsOK.MatchString(name) {
		return fmt.Errorf("a font list called %.40q", name)
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(z, maxFonts+1))
	if err != nil {
		return err
	}
	if len(data) > maxFonts || !json.Valid(data) {
		return fmt.Errorf("a font list of %d bytes that is not JSON", len(data))
	}
	if r.Fonts == nil {
		r.Fonts = map[string][]byte{}
	}
	r.Fonts[name] = data
	return nil
}

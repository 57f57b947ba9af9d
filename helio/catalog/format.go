package catalog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Format is a form of a file.
type Format string

// The formats. All are read and written.
const (
	VOTable Format = "vot"
	CSV     Format = "csv"
	JSON    Format = "json"
)

// maxSize is the size of a file that is still read.
const maxSize = 1 << 30

var endings = map[string]Format{
	".vot": VOTable, ".xml": VOTable, ".votable": VOTable,
	".csv": CSV, ".txt": CSV, ".tsv": CSV,
	".json": JSON,
}

// FormatOf returns the format that a file has by the ending of its name.
func FormatOf(path string) (Format, error) {
	if f, ok := endings[strings.ToLower(filepath.Ext(path))]; ok {
		return f, nil
	}
	return "", fmt.Errorf("%q has no ending of a catalogue; give it one of .vot, .csv and .json", filepath.Base(path))
}

// Read reads a catalogue in a format.
func Read(r io.Reader, f Format) (*Catalog, error) {
	switch f {
	case VOTable:
		return ReadVOTable(r)
	case CSV:
		return ReadCSV(r, nil)
	case JSON:
		return ReadJSON(r)
	}
	return nil, fmt.Errorf("read a catalogue: there is no format %q; there are vot, csv and json", f)
}

// Write writes a catalogue in a format.
func (c *Catalog) Write(w io.Writer, f Format) error {
	switch f {
	case VOTable:
		return c.WriteVOTable(w)
	case CSV:
		return c.WriteCSV(w)
	case JSON:
		return c.WriteJSON(w)
	}
	return fmt.Errorf("write a catalogue: there is no format %q; there are vot, csv and json", f)
}

// ReadFile reads a file in the format of its name's ending. A catalogue that has no
// name gets that of the file.
func ReadFile(path string) (*Catalog, error) {
	f, err := FormatOf(path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a catalogue: %w", err)
	}
	c, err := Read(file, f)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return c, nil
}

// WriteFile writes a file in the format of its name's ending. The file is there
// whole or not at all.
func (c *Catalog) WriteFile(path string) error {
	f, err := FormatOf(path)
	if err != nil {
		return err
	}
	if err := replace(path, func(w io.Writer) error { return c.Write(w, f) }); err != nil {
		return fmt.Errorf("write a catalogue: %w", err)
	}
	return nil
}

// replace writes a file beside the named one and puts it in its place when it is on
// the disk.
func replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), partial+"*")
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// partial begins the names of files that are being written.
const partial = ".partial-"

// Formats are all formats.
func Formats() []Format { return slices.Clone([]Format{VOTable, CSV, JSON}) }

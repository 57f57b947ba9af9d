package series

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// A Format is a form in which series can be written.
type Format string

// The formats, by the ending of a file's name that stands for each.
const (
	NPZ     Format = "npz"  // numpy's, one series; .npz
	CSV     Format = "csv"  // see [WriteCSV]; .csv
	HAPI    Format = "hapi" // HAPI csv with its header; .hapi
	JSON    Format = "json" // HAPI json; .json
	VOTable Format = "vot"  // .vot, .xml
)

// FormatOf returns the format that the ending of a file's name stands for.
func FormatOf(path string) (Format, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".npz", ".csv", ".hapi", ".json", ".vot":
		return Format(ending[1:]), nil
	case ".xml":
		return VOTable, nil
	case "":
		return "", fmt.Errorf("the name %q has no ending that tells a format; give one of .npz, .csv, .hapi, .json, .vot and .xml", filepath.Base(path))
	default:
		return "", fmt.Errorf("no format is known by the ending %q; give one of .npz, .csv, .hapi, .json, .vot and .xml", ending)
	}
}

// Write writes series in a format. All formats but NPZ take several, which
// must share a time axis, see [Join]. Equal series give equal bytes in each.
func Write(w io.Writer, f Format, all ...*Series) error {
	switch f {
	case NPZ:
		if len(all) != 1 {
			return fmt.Errorf("write %d series as npz: a file holds one; write one file for each, or a format that holds several, such as csv", len(all))
		}
		return all[0].WriteNPZ(w)
	case CSV:
		return WriteCSV(w, all...)
	case HAPI:
		return WriteHAPI(w, all...)
	case JSON:
		return WriteHAPIJSON(w, all...)
	case VOTable:
		return WriteVOTable(w, all...)
	}
	return fmt.Errorf("write %d series: there is no format %q; use one of npz, csv, hapi, json and vot", len(all), f)
}

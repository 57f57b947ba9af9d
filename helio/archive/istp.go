package archive

import (
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/series"
)

// about returns what the global attributes say about all variables.
func about(file *cdf.File) series.Meta {
	return series.Meta{
		DatasetTitle:    firstOf(file.GlobalString("Logical_source_description"), file.GlobalString("TITLE")),
		Mission:         mission(file),
		Instrument:      instrument(file),
		DOI:             doi(file.GlobalString("DOI")),
		Acknowledgement: firstOf(file.GlobalString("Acknowledgement"), file.GlobalString("Acknowledgment")),
		Synthetic:       yes(file.GlobalString("Synthetic")),
	}
}

func mission(file *cdf.File) string {
	for _, name := range []string{"Mission_group", "Source_name"} {
		if text := firstEntry(file, name); text != "" {
			text, _, _ = strings.Cut(text, ">")
			// "OMNI (Combined 1AU IP Data; ...)"
			text, _, _ = strings.Cut(text, " (")
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// instrument is the long name in "MAG>ACE Magnetic Field Instrument".
func instrument(file *cdf.File) string {
	text := firstOf(firstEntry(file, "Descriptor"), firstEntry(file, "Instrument_type"))
	if _, long, ok := strings.Cut(text, ">"); ok && strings.TrimSpace(long) != "" {
		text = long
	}
	text = strings.TrimSpace(text)
	for utf8.RuneCountInString(text) > 80 {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// firstEntry returns the first entry of a global attribute; GlobalString would
// join a list of missions to one name.
func firstEntry(file *cdf.File, name string) string {
	for _, a := range file.Global() {
		if !strings.EqualFold(a.Name, name) {
			continue
		}
		for _, e := range a.Entries {
			if text := strings.TrimSpace(e.String()); text != "" {
				return text
			}
		}
	}
	return ""
}

func doi(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.Index(text, "doi.org/"); i >= 0 {
		return text[i+len("doi.org/"):]
	}
	return strings.TrimSpace(strings.TrimPrefix(text, "doi:"))
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

func yes(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(text, "yes") || strings.HasPrefix(text, "true")
}

package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// maxSlug keeps names short enough for the ledger, two slugs and a statistic
// together.
const maxSlug = 50

// slug makes a name of lower-case letters, digits and single underscores.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.TrimPrefix(b.String(), "_")
	return strings.TrimSuffix(name[:min(len(name), maxSlug)], "_")
}

// reserved are names that mean something else in a script: a dataset called
// like one of them would invite mistakes.
var reserved = []string{
	"np", "plt", "scipy", "os", "json", "sys", "re", "math", "time", "u", "pf", "spz",
	"matplotlib", "plasmapy", "dataset", "load_data", "clean", "export", "magnitude",
	"interp_to", "plot_series", "save_path", "param_card",
}

// datasetName names what is saved of a parameter.
func datasetName(parameter string) string {
	name := slug(parameter)
	switch {
	case name == "":
		return "series"
	case slices.Contains(reserved, name):
		return name + "_data"
	}
	return name
}

// columnKeys name the columns of a dataset in the ledger: the dataset's name
// for a scalar, otherwise with the label behind it, each different.
func columnKeys(dataset string, columns []string) []string {
	if len(columns) == 1 {
		return []string{dataset}
	}
	var keys []string
	for i, label := range columns {
		s := slug(label)
		key := dataset + "_" + s
		if s == "" || slices.Contains(keys, key) {
			key = fmt.Sprintf("%s_%d", strings.TrimSuffix(key, "_"), i)
		}
		keys = append(keys, key)
	}
	return keys
}

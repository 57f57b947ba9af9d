package archive

import (
	"fmt"
	"net/url"
	"strings"
)

// idEscaper escapes what would make an id ambiguous in a path, a URL or a
// sentence. A percent sign is among them, so that escaping can be undone.
var idEscaper = strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23", " ", "%20", "\t", "%09", "\n", "%0A", "\r", "%0D")

// JoinID makes the id of a parameter. Slashes, percent signs, number signs and
// blanks inside a part are percent-escaped.
func JoinID(provider, dataset, parameter string) string {
	return idEscaper.Replace(provider) + "/" + idEscaper.Replace(dataset) + "/" + idEscaper.Replace(parameter)
}

// SplitID undoes [JoinID].
func SplitID(id string) (provider, dataset, parameter string, err error) {
	parts := strings.Split(id, "/")
	if len(parts) != 3 {
		return "", "", "", fmt.Errorf("read parameter id %q: it needs three parts, provider/dataset/parameter", id)
	}
	for i, part := range parts {
		if parts[i], err = url.PathUnescape(part); err != nil || part == "" {
			return "", "", "", fmt.Errorf("read parameter id %q: part %d is empty or wrongly escaped; write provider/dataset/parameter", id, i+1)
		}
	}
	return parts[0], parts[1], parts[2], nil
}

// JoinDatasetID makes the id of a dataset with its provider, as in
// "cda/AC_H0_MFI", escaped as by [JoinID].
func JoinDatasetID(provider, dataset string) string {
	return idEscaper.Replace(provider) + "/" + idEscaper.Replace(dataset)
}

// unescape undoes the escaping of one part of an id.
func unescape(part string) (string, error) {
	text, err := url.PathUnescape(part)
	if err != nil || text == "" || strings.Contains(part, "/") {
		return "", fmt.Errorf("read dataset id %q: it is empty, has more than one part, or is wrongly escaped; write provider/dataset, with %%2F for a slash in a name", part)
	}
	return text, nil
}

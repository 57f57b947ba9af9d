package archive

import (
	"cmp"
	"slices"
	"strings"
)

// maxNearest is how many ids an error offers.
const maxNearest = 5

// Unknown makes the error for an id, or a name alone, that is none of the
// parameters of datasets: it offers up to five that look most like it. Where
// none does it offers the first of the dataset that the id names, and nothing
// where it names none.
func Unknown(datasets []Dataset, id string) *UnknownError {
	parts := strings.Split(strings.ToLower(id), "/")
	name := parts[len(parts)-1]
	dataset := ""
	if len(parts) > 1 {
		dataset = parts[len(parts)-2]
	}
	type candidate struct {
		id       string
		distance float64
	}
	var near []candidate
	var same []string
	for _, d := range datasets {
		other := 0.0
		if dataset != "" && dataset != strings.ToLower(d.ID) {
			// Another dataset counts, but less than another name.
			other = unlike(dataset, strings.ToLower(d.ID)) / 2
		}
		for _, p := range d.Parameters {
			if dataset != "" && other == 0 && p.Role == "data" {
				same = append(same, p.ID)
			}
			distance := unlike(name, strings.ToLower(p.Name))
			for _, label := range p.Columns {
				distance = min(distance, unlike(name, strings.ToLower(label))+0.1)
			}
			if distance <= 0.5 {
				near = append(near, candidate{p.ID, distance + other})
			}
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	e := &UnknownError{ID: id, Nearest: same, Alike: len(near) > 0}
	if e.Alike {
		e.Nearest = nil
	}
	for _, c := range near {
		e.Nearest = append(e.Nearest, c.id)
	}
	e.Nearest = e.Nearest[:min(len(e.Nearest), maxNearest)]
	return e
}

// unlike compares two words: 0 for equal ones, 1 for nothing in common. A word
// inside another is near, whatever their lengths.
func unlike(a, b string) float64 {
	if a == b {
		return 0
	}
	longest := max(len(a), len(b))
	distance := float64(edits(a, b)) / float64(longest)
	if len(a) > 1 && len(b) > 1 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		distance = min(distance, 0.3)
	}
	return distance
}

// edits is the Levenshtein distance: how many letters must be inserted,
// removed or replaced. Words are cut at 64 bytes, which bounds the work.
func edits(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// unknownDataset makes the error for a dataset that is not there, with the nearest.
func unknownDataset(provider string, all []Dataset, dataset string) *UnknownError {
	e := &UnknownError{ID: JoinDatasetID(provider, dataset), Alike: true}
	for _, near := range nearestNames(all, dataset) {
		e.Nearest = append(e.Nearest, JoinDatasetID(provider, near))
	}
	return e
}

// nearestNames returns up to five datasets whose ids look most like a name.
func nearestNames(datasets []Dataset, name string) []string {
	type candidate struct {
		id       string
		distance float64
	}
	var near []candidate
	for _, d := range datasets {
		if distance := unlike(strings.ToLower(name), strings.ToLower(d.ID)); distance <= 0.5 {
			near = append(near, candidate{d.ID, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, c := range near[:min(len(near), maxNearest)] {
		out = append(out, c.id)
	}
	return out
}

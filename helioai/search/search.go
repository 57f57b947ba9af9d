// Package search finds parameters of an archive by words: names, quantities,
// frames, missions, units.
//
//	index := search.New(datasets) // archive.Archive's Inventory
//	for _, hit := range index.Search("Bz in GSM", nil) {
//		fmt.Println(hit.Parameter.ID)
//	}
//
// Ranking is exact and lexical: BM25 over weighted fields, with a small table of
// words that stand for each other (synonyms.tsv). The same index and query
// always give the same order. What hardly fits is not dropped but ranked last,
// with the reason in [Hit.Flags].
package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
)

// BM25's constants, and how much a word counts that only stands for one of the
// query's.
const (
	k1           = 1.2
	b            = 0.75
	synonymShare = 0.4
)

// Weights of the fields: a word in the name says more than one in a title.
const (
	nameWeight   = 3.0
	columnWeight = 2.0
	textWeight   = 1.0
	titleWeight  = 0.3
)

// A Hit is one parameter found.
type Hit struct {
	Parameter *archive.Parameter
	Dataset   *archive.Dataset
	// Flags say why a hit was ranked down: "other_mission", "outside_window",
	// "auxiliary" (positions, flags, uncertainties that were not asked for),
	// "no_records".
	Flags []string
	// CoversWindow says whether the parameter has data in the window that was
	// asked for; nil without a window or where its coverage is unknown.
	CoversWindow *bool
}

// Options narrow a search. Nil and the zero value ask for the best five.
type Options struct {
	Top int // how many hits at most; 0 means 5
	// Start and Stop are the window of interest, half open; both nil or both
	// given.
	Start, Stop *tt.Time
}

// An Index holds the parameters of an inventory. It is not changed after [New],
// so it is safe for concurrent use.
type Index struct {
	entries  []entry
	postings map[string][]posting
	length   float64         // mean of the entries' lengths
	missions map[string]bool // words that name a mission in this inventory
	synonyms []group
}

type entry struct {
	parameter *archive.Parameter
	dataset   *archive.Dataset
	length    float64
	missions  map[string]bool
}

type posting struct {
	entry  int
	weight float64 // of the word in all fields of the entry
}

// New indexes an inventory. It keeps pointers into datasets, which must not
// change afterwards.
func New(datasets []archive.Dataset) *Index {
	x := &Index{postings: map[string][]posting{}, missions: map[string]bool{}, synonyms: loadSynonyms()}
	for i := range datasets {
		d := &datasets[i]
		for j := range d.Parameters {
			x.add(d, &d.Parameters[j])
		}
	}
	for _, e := range x.entries {
		x.length += e.length / float64(len(x.entries))
	}
	return x
}

func (x *Index) add(d *archive.Dataset, p *archive.Parameter) {
	words := map[string]float64{}
	length := 0.0
	put := func(weight float64, text string) {
		for _, w := range tokens(text) {
			words[w] += weight
			length += weight
		}
	}
	put(nameWeight, p.Name)
	if len(p.Columns) <= 16 {
		put(columnWeight, strings.Join(p.Columns, " "))
	}
	put(textWeight, p.Description)
	put(textWeight, unitToken(p.Units))
	put(textWeight, p.Frame)
	put(titleWeight, cmp.Or(p.Mission, d.Mission)+" "+d.ID+" "+d.Title+" "+d.Instrument)
	if isMagnitude(p) {
		put(textWeight, "field magnitude")
	}
	e := entry{parameter: p, dataset: d, length: length, missions: missionWords(cmp.Or(p.Mission, d.Mission))}
	for m := range e.missions {
		x.missions[m] = true
	}
	for w, weight := range words {
		x.postings[w] = append(x.postings[w], posting{len(x.entries), weight})
	}
	x.entries = append(x.entries, e)
}

// isMagnitude recognises a scalar whose description says |B| or the like, which
// tokens cannot show.
func isMagnitude(p *archive.Parameter) bool {
	text := p.Name + " " + p.Description
	return len(p.Columns) == 1 && (strings.Contains(text, "|B|") || strings.HasPrefix(strings.ToUpper(p.Name), "ABS_B"))
}

// Search returns the parameters that share a word with the query, best first;
// none for a blank query.
func (x *Index) Search(query string, opts *Options) []Hit {
	if opts == nil {
		opts = &Options{}
	}
	words := x.expand(query)
	score := map[int]float64{}
	for _, word := range slices.Sorted(maps.Keys(words)) { // sums in one order, so ties stay ties
		list, share := x.postings[word], words[word]
		n := float64(len(list))
		idf := math.Log(1 + (float64(len(x.entries))-n+0.5)/(n+0.5))
		for _, p := range list {
			norm := k1 * (1 - b + b*x.entries[p.entry].length/x.length)
			score[p.entry] += share * idf * p.weight * (k1 + 1) / (p.weight + norm)
		}
	}
	type ranked struct {
		entry   int
		score   float64
		penalty int
		hit     Hit
	}
	var found []ranked
	for i, s := range score {
		hit, penalty := x.judge(i, words, opts)
		found = append(found, ranked{i, s, penalty, hit})
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.penalty, b.penalty), cmp.Compare(b.score, a.score), cmp.Compare(a.entry, b.entry))
	})
	top := opts.Top
	if top <= 0 {
		top = 5
	}
	var hits []Hit
	for _, f := range found[:min(top, len(found))] {
		hits = append(hits, f.hit)
	}
	return hits
}

// judge says what speaks against an entry.
func (x *Index) judge(i int, words map[string]float64, opts *Options) (Hit, int) {
	e := x.entries[i]
	hit := Hit{Parameter: e.parameter, Dataset: e.dataset}
	penalty := 0
	flag := func(name string, cost int) {
		hit.Flags = append(hit.Flags, name)
		penalty += cost
	}
	if asked := x.askedMissions(words); len(asked) > 0 && !overlap(asked, e.missions) {
		flag("other_mission", 2)
	}
	if e.parameter.Start == tt.Fill {
		flag("no_records", 4)
	} else if opts.Start != nil && opts.Stop != nil {
		covers := e.parameter.Start < *opts.Stop && e.parameter.Stop >= *opts.Start
		hit.CoversWindow = &covers
		if !covers {
			flag("outside_window", 3)
		}
	}
	if auxiliary(e.parameter) && !asksAuxiliary(words, e.parameter) {
		flag("auxiliary", 2)
	}
	return hit, penalty
}

// askedMissions are the missions of this inventory that the query's own words
// name.
func (x *Index) askedMissions(words map[string]float64) map[string]bool {
	asked := map[string]bool{}
	for w, share := range words {
		if share == 1 && x.missions[w] {
			asked[w] = true
		}
	}
	return asked
}

func overlap(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}

// auxiliary tells support data and uncertainties from what is measured.
func auxiliary(p *archive.Parameter) bool {
	if p.Role != "" && p.Role != "data" {
		return true
	}
	for _, w := range tokens(p.Name + " " + p.Description) {
		if slices.Contains([]string{"flag", "quality", "sigma", "rms", "dbrms", "uncertainty", "error", "deviation", "qf"}, w) {
			return true
		}
	}
	return false
}

// asksAuxiliary reports whether the query's words, or words that stand for
// them, name this very parameter.
func asksAuxiliary(words map[string]float64, p *archive.Parameter) bool {
	for _, w := range tokens(p.Name + " " + p.Description) {
		if words[w] == 1 && len(w) > 2 && !slices.Contains(common, w) {
			return true
		}
	}
	for _, w := range append(tokens(p.Name), unitToken(p.Units)) {
		if words[w] > 0 && len(w) > 2 && !slices.Contains(common, w) {
			return true
		}
	}
	return false
}

// common are words that occur in the descriptions of support data and say
// nothing about wanting it.
var common = []string{"the", "and", "for", "gse", "gsm", "rtn", "ace", "data", "field", "magnetic", "time", "spacecraft", "vector", "components"}

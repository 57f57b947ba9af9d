package llm

import "strings"

// Nearest returns the name that a misspelt one most likely means, or "" when
// none is close: equal but for case and separators, or at most a third of the
// letters edited. Ties go to the first.
func Nearest(name string, among []string) string {
	best, bestDistance := "", len(name)/3+1
	folded := fold(name)
	for _, candidate := range among {
		if d := editDistance(folded, fold(candidate), bestDistance); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ', '.':
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours between two strings, and gives up at limit.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if abs(len(x)-len(y)) >= limit {
		return limit
	}
	before, prev, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(y)]
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

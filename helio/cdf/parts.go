package cdf

import (
	"runtime"
	"sort"
	"sync"
)

// partBytes is how much of a file is worth a goroutine of its own.
const partBytes = 4 << 20

// inParts divides the range among the processors, where it is large, and waits
// for all of them. Parts of a compressed variable begin where a block does, as
// only from there can it be expanded.
func (r Range) inParts(read func(Range) error) error {
	parts := r.parts(runtime.GOMAXPROCS(0))
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts[1:] {
		wg.Go(func() { errs[i+1] = read(p) })
	}
	errs[0] = read(parts[0])
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// parts returns at least one range and at most n.
func (r Range) parts(n int) []Range {
	n = int(min(int64(n), int64(r.count)*r.v.recordSize/partBytes))
	if n < 2 {
		return []Range{r}
	}
	var list []Range
	first, end := r.first, r.first+r.count
	for i := range n {
		next := r.first + int(int64(r.count)*int64(i+1)/int64(n))
		if next = r.v.blockStart(next); i == n-1 || next > end {
			next = end
		}
		if next > first {
			list = append(list, Range{v: r.v, first: first, count: next - first})
			first = next
		}
	}
	return list
}

// blockStart returns the first record from which on reading can begin without
// expanding what comes before.
func (v *Variable) blockStart(record int) int {
	if v.Compression == None {
		return record
	}
	blocks, err := v.index()
	if err != nil {
		return record
	}
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].last >= record })
	if i < len(blocks) && blocks[i].first < record && blocks[i].compressed {
		return blocks[i].last + 1
	}
	return record
}

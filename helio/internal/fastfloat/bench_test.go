package fastfloat_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/internal/fastfloat"
)

// BenchmarkPrefix reads numbers as data have them, and the same with strconv; ratio
// is how many times faster this package is.
func BenchmarkPrefix(b *testing.B) {
	const count = 1 << 14
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name string
		next func(i int) string
	}{
		{"short", func(int) string { return strconv.FormatFloat(rng.NormFloat64()*10, 'f', 3, 64) }},
		{"17digits", func(i int) string { return strconv.FormatFloat(math.Sin(math.Pi*float64(i)/600), 'g', -1, 64) }},
		{"exponent", func(int) string { return strconv.FormatFloat(rng.ExpFloat64()*1e-27, 'e', 5, 64) }},
		{"integer", func(int) string { return strconv.Itoa(rng.IntN(100000)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var text []byte
			var words []string
			for i := range count {
				words = append(words, c.next(i))
				text = append(append(text, words[i]...), ',')
			}
			text = append(text, make([]byte, 32)...)
			b.ReportAllocs()
			b.SetBytes(int64(len(text) - 32))
			var ours, theirs time.Duration
			for b.Loop() {
				start := time.Now()
				for i, at := 0, 0; i < count; i++ {
					_, n := fastfloat.Prefix(text[at:])
					at += n + 1
				}
				ours += time.Since(start)
				b.StopTimer()
				start = time.Now()
				for _, w := range words {
					if _, err := strconv.ParseFloat(w, 64); err != nil {
						b.Fatal(err)
					}
				}
				theirs += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(theirs)/float64(ours), "ratio")
			b.ReportMetric(float64(ours)/float64(b.N)/count, "ns/number")
		})
	}
}

package secret_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/helios-go/helios/secret"
)

// load makes n secrets as keys look, of up to 48 bytes, and a mebibyte of text
// with a few of them.
func load(b *testing.B, n, shortest int) (*secret.Redactor, []byte) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var reg secret.Registry
	var last string
	for i := range n {
		v := make([]byte, shortest+r.IntN(49-shortest))
		for k := range v {
			v[k] = chars[r.IntN(len(chars))]
		}
		last = string(v)
		if err := reg.Register(fmt.Sprintf("K%d", i), last); err != nil {
			b.Fatal(err)
		}
	}
	var text strings.Builder
	words := strings.Fields("the solar wind at one astronomical unit is about four hundred km/s fast, {\"Bz\": -3.25, \"time\": \"2015-03-17T04:45:00Z\"} and")
	for text.Len() < 1<<20 {
		text.WriteString(words[r.IntN(len(words))] + " ")
		if r.IntN(5000) == 0 {
			text.WriteString(last)
		}
	}
	return reg.Redactor(), []byte(text.String())[:1<<20]
}

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		for _, shortest := range []int{8, 16} {
			b.Run(fmt.Sprintf("secrets=%d/shortest=%d", n, shortest), func(b *testing.B) {
				r, text := load(b, n, shortest)
				dst := make([]byte, 0, 2*len(text))
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					r.Append(dst, text)
				}
			})
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	for _, size := range []int{16, 4096} {
		b.Run(fmt.Sprintf("secrets=100/shortest=16/write=%d", size), func(b *testing.B) {
			r, text := load(b, 100, 16)
			w := r.Writer(io.Discard)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				for at := 0; at < len(text); at += size {
					_, _ = w.Write(text[at : at+size])
				}
			}
		})
	}
}

// Registering makes the next redactor; this is what that costs.
func BenchmarkRedactor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var reg secret.Registry
		_ = reg.Register("K", "some-secret-value")
		reg.Redactor()
	}
}

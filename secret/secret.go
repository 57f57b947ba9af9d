// Package secret keeps keys, tokens and passwords out of everything that is
// shown, logged, stored or sent to a model.
//
// A program registers what must not be seen, and passes whatever leaves it
// through a redactor:
//
//	var secrets secret.Registry
//	err := secrets.Register("API_KEY", key, secret.Base64, secret.Percent)
//
//	text, counts := secrets.Redactor().Text(output) // "key is <redacted:API_KEY>"
//	out := secrets.Redactor().Writer(os.Stdout)     // the same for a stream; Close it
//	log := slog.New(secret.NewHandler(handler, &secrets))
//	name, leaks := secrets.Leaks(argument)          // may this go to a program?
//
// A [Redactor] replaces the union of all matches: where two secrets overlap, or
// one overlaps itself, no byte of either is left, and one token stands for all.
// It finds a secret as it was registered, as JSON writes it (`&` as \u0026, also
// inside a string inside JSON), and in the encodings asked for at registration.
// It cannot find a secret that was cut in two, compressed or encrypted: redact
// first, cut afterwards, never the other way round.
//
// A [Value] carries a secret through a configuration: it prints and encodes as
// "<redacted>". Nothing here, errors included, prints a secret, whatever the verb.
package secret

import "io"

// hidden is what stands for a secret whose name is not known.
const hidden = "<redacted>"

// replacement is what stands for the secret of that name.
func replacement(name string) string { return "<redacted:" + name + ">" }

// Count says how often the secret of a name was replaced.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// Counts are the replacements in a text, by name, in the order in which the
// names were first met. Nil means that nothing was found.
type Counts []Count

// Total is the number of replacements, whatever the name.
func (c Counts) Total() int {
	n := 0
	for _, count := range c {
		n += count.N
	}
	return n
}

// Plus returns the counts of two texts together: those of c first, c itself may
// be changed.
func (c Counts) Plus(more Counts) Counts {
	for _, count := range more {
		c = c.add(count.Name, count.N)
	}
	return c
}

func (c Counts) add(name string, n int) Counts {
	for i := range c {
		if c[i].Name == name {
			c[i].N += n
			return c
		}
	}
	return append(c, Count{name, n})
}

// show writes text for any verb, so that fmt looks at no field.
func show(w io.Writer, text string) {
	_, _ = io.WriteString(w, text) // a fmt.State takes everything
}

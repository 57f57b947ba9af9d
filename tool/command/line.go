package command

import (
	"regexp"
	"strconv"
	"strings"
)

// plainArg is an argument that needs no quotes to be read as one.
var plainArg = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./^~{}\[\]-]+$`)

// Line writes arguments as one line: words with a blank between, quoted as in Go
// where they could be mistaken for something else. Different arguments have
// different lines. Use it as the Key of a [Grant].
func Line(args []string) (string, error) {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if !plainArg.MatchString(arg) {
			words[i] = strconv.QuoteToGraphic(arg)
		}
	}
	return strings.Join(words, " "), nil
}

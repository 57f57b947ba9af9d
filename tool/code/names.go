package code

import (
	"fmt"
	"regexp"
	"strings"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// keywords are the words that Python or JavaScript has for itself.
var keywords = set(`
	False None True and as assert async await break case catch class const continue
	debugger def default del delete do elif else enum except export extends false
	finally for from function global if import in instanceof is lambda let new
	nonlocal not null or pass raise return super switch this throw true try typeof
	undefined var void while with yield arguments eval NaN Infinity
`)

// reserved are the names of what every interpreter has or may have of its own: a
// function of that name would hide it, or be hidden by it.
var reserved = set(`
	predict submit fetch query getInput getinput call
	sum sumInts mean median max min join filter map sorted countBy groupBy unique
	print println printf
	console JSON Math Object Array String Number Boolean Date RegExp Error Promise
	Symbol Map Set globalThis global exec open input len range str int float list
	dict type repr isinstance HostError
`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// checkName tells why a name cannot be that of a variable in every language.
func checkName(name string) error {
	switch {
	case !identifier.MatchString(name):
		return fmt.Errorf("%q is not an identifier: a letter or _, then letters, digits and _, 64 at most", name)
	case strings.HasPrefix(name, "__"):
		return fmt.Errorf("%q begins with __, which is kept for the interpreter's own", name)
	case keywords[name]:
		return fmt.Errorf("%q is a word of JavaScript or Python", name)
	}
	return nil
}

// checkFunctionName is checkName for what must not hide anything either.
func checkFunctionName(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if reserved[name] {
		return fmt.Errorf("%q is reserved: the interpreter has, or may have, something of that name", name)
	}
	return nil
}

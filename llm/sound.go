package llm

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// soundArgs returns arguments that every server takes back: half of a surrogate
// pair, as a model writes that was cut inside an emoji ("\ud83d"), and bytes that
// are not UTF-8 become the replacement character, which is what Go decodes them
// to. Everything else stays as it is, and is not copied.
func soundArgs(args json.RawMessage) json.RawMessage {
	own := false // args is a copy already
	if !utf8.Valid(args) {
		args, own = bytes.ToValidUTF8(args, []byte("\uFFFD")), true
	}
	for i := 0; i < len(args); {
		if args[i] != '\\' {
			i++
			continue
		}
		switch first := escaped(args[i:]); {
		case first < 0:
			i += 2 // another escape
		case !utf16.IsSurrogate(first):
			i += 6
		case utf16.DecodeRune(first, escaped(args[i+6:])) != '\uFFFD':
			i += 12
		default:
			if !own {
				args, own = bytes.Clone(args), true
			}
			i += copy(args[i:], `\ufffd`)
		}
	}
	return args
}

// escaped is the number of the escape \uXXXX that data begins with, else -1.
func escaped(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

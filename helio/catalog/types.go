package catalog

import (
	"slices"
	"strings"
)

// typeOf is what the values of a column can be written as: its type where all of
// them are of it, else what they are, else text. A column without a type, all of
// whose values are numbers, is one of numbers.
func (c *Catalog) typeOf(column int) Type {
	t := c.Columns[column].Type
	if t == String {
		return t
	}
	fits := func(is func(string) bool) bool {
		some := false
		for i := range c.Events {
			v := c.Events[i].Value(column)
			if v != "" && !is(v) {
				return false
			}
			some = some || v != ""
		}
		return some || t != ""
	}
	try := []Type{t}
	if t == "" {
		try = []Type{Double}
	}
	for _, t := range try {
		if is := accepts[t]; is != nil && fits(is) {
			return t
		}
	}
	return String
}

var accepts = map[Type]func(string) bool{
	Double: isDouble,
	Integer: func(s string) bool {
		return isDouble(s) && len(s) <= 15 && !strings.ContainsAny(s, ".eEN") // exact as a double
	},
	Boolean: func(s string) bool {
		return slices.Contains([]string{"true", "false", "TRUE", "FALSE", "True", "False"}, s)
	},
	ISOTime: func(s string) bool { _, err := ParseTime(s); return err == nil },
}

// isDouble takes a number, or NaN, that means the same to every reader; what has
// zeros in front is a name.
func isDouble(s string) bool {
	if s == "NaN" {
		return true
	}
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9' {
		return false
	}
	_, ok := number(s)
	return ok
}

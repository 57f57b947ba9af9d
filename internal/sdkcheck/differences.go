package sdkcheck

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Difference is one thing in which we and an official client differ. Its values
// are as they stand in a table: see cell.
type Difference struct {
	Case, Field, Ours, Theirs string
	Why                       string // of a row of the page
	seen                      bool
}

// String is the difference as a row of the page.
func (d *Difference) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s |", d.Case, d.Field, d.Ours, d.Theirs, d.Why)
}

// cell writes a value for a table: shortened, and with what would end the cell
// escaped.
func cell(value string) string {
	const most = 160
	if utf8.RuneCountInString(value) > most {
		value = fmt.Sprintf("%s ... (%d bytes)", string([]rune(value)[:most]), len(value))
	}
	return strings.ReplaceAll(value, "|", "¦")
}

// A Table is the rows of one section of DIFFERENCES.md. A cell may hold * for
// anything.
type Table []*Difference

// ReadTables reads the tables of the page by the headings above them.
func ReadTables(page string) (map[string]Table, error) {
	tables := map[string]Table{}
	section := ""
	for i, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case strings.HasPrefix(line, "| case ") || strings.HasPrefix(line, "|-") || !strings.HasPrefix(line, "|"):
		default:
			cells := strings.Split(strings.Trim(line, "|"), "|")
			if len(cells) != 5 {
				return nil, fmt.Errorf("DIFFERENCES.md:%d: %d cells, want case, field, ours, theirs, why", i+1, len(cells))
			}
			for k := range cells {
				cells[k] = strings.TrimSpace(cells[k])
			}
			if cells[4] == "" {
				return nil, fmt.Errorf("DIFFERENCES.md:%d: no reason", i+1)
			}
			tables[section] = append(tables[section], &Difference{Case: cells[0], Field: cells[1], Ours: cells[2], Theirs: cells[3], Why: cells[4]})
		}
	}
	return tables, nil
}

// Lists reports whether a row tells of the difference, and notes that it does.
func (t Table) Lists(d Difference) bool {
	for _, row := range t {
		if row.tells(d) {
			row.seen = true
			return true
		}
	}
	return false
}

// ListsOf reports whether a row tells of the same difference of another case: of the
// stream as it stands, which has it however it is sent.
func (t Table) ListsOf(other string, d Difference) bool {
	d.Case = other
	for _, row := range t {
		if row.tells(d) {
			return true
		}
	}
	return false
}

// Gone are the rows that tell of no difference.
func (t Table) Gone() []*Difference {
	var gone []*Difference
	for _, row := range t {
		if !row.seen {
			gone = append(gone, row)
		}
	}
	return gone
}

// tells reports whether the row is of the difference.
func (d *Difference) tells(found Difference) bool {
	return matches(d.Case, found.Case) && matches(d.Field, found.Field) && matches(d.Ours, found.Ours) && matches(d.Theirs, found.Theirs)
}

// matches takes a star for any text.
func matches(pattern, value string) bool {
	words := strings.Split(pattern, "*")
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	if len(words) == 1 {
		return pattern == strings.TrimSpace(value)
	}
	found, err := regexp.MatchString(`(?s)^`+strings.Join(words, `.*`)+`$`, strings.TrimSpace(value))
	return err == nil && found
}

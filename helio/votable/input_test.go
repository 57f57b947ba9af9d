package votable_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/votable"
)

func TestEncodingsAndEntities(t *testing.T) {
	t.Parallel()
	in := func(head, cell string) string {
		return head + `<VOTABLE><RESOURCE><TABLE><FIELD name="a" datatype="char" arraysize="*"/><DATA><TABLEDATA><TR><TD>` + cell + `</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`
	}
	for text, want := range map[string]string{
		in("", "cm&lt;&nbsp;&alpha;&#xb2;"):                         "cm<\u00a0\u03b1²",
		in(`<?xml version="1.0" encoding="ISO-8859-1"?>`, "cm\xb2"): "cm²",
		in(`<?xml version="1.0" encoding="us-ascii"?>`, "cm2"):      "cm2",
		in("<!DOCTYPE VOTABLE>", "<![CDATA[a & b]]> c"):             "a & b c",
	} {
		f := read(t, text)
		if got := f.Tables[0].Rows[0][0]; got != want {
			t.Errorf("cell %q, want %q", got, want)
		}
	}
	if _, err := votable.Read(strings.NewReader(`<?xml version="1.0" encoding="utf-16"?><VOTABLE/>`)); err == nil || !strings.Contains(err.Error(), "utf-16") {
		t.Errorf("utf-16: %v", err)
	}
}

func TestEveryNamespaceIsTheSame(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.1", "1.2", "1.3", "1.4"} {
		for _, prefix := range []string{"", "v:"} {
			colon := ""
			if prefix != "" {
				colon = ":v"
			}
			text := fmt.Sprintf(`<%[1]sVOTABLE xmlns%[2]s="http://www.ivoa.net/xml/VOTable/v%[3]s" version="%[3]s"><%[1]sRESOURCE><%[1]sRESOURCE><%[1]sTABLE name="x"/></%[1]sRESOURCE></%[1]sRESOURCE></%[1]sVOTABLE>`, prefix, colon, version)
			if f := read(t, text); len(f.Tables) != 1 || f.Tables[0].Name != "x" {
				t.Errorf("%s: %+v", version, f)
			}
		}
	}
}

func TestAnAnswerThatWasCutOffByTheServiceIsMarked(t *testing.T) {
	t.Parallel()
	const text = `<VOTABLE><RESOURCE><INFO name="QUERY_STATUS" value="OK"/><TABLE/>%s</RESOURCE></VOTABLE>`
	if read(t, fmt.Sprintf(text, "")).Overflow() {
		t.Error("a whole answer is marked")
	}
	if !read(t, fmt.Sprintf(text, `<INFO name="QUERY_STATUS" value="OVERFLOW"/>`)).Overflow() {
		t.Error("a cut answer is not marked")
	}
}

// endless repeats a text for ever behind its beginning.
type endless struct{ begin, repeat string }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.begin)
	if e.begin = e.begin[n:]; e.begin == "" {
		e.begin = e.repeat
	}
	return n, nil
}

func TestADocumentWithoutAnEndIsRefused(t *testing.T) {
	t.Parallel()
	const table = `<VOTABLE><RESOURCE><TABLE>`
	fields := strings.Repeat(`<FIELD name="f"/>`, 5000)
	for name, r := range map[string]io.Reader{
		"text":    &endless{"<VOTABLE><DESCRIPTION>", strings.Repeat("x", 4096)},
		"comment": &endless{"<VOTABLE><!--", strings.Repeat("x", 4096)},
		"name":    &endless{"<", strings.Repeat("x", 4096)},
		"fields":  &endless{table, `<FIELD name="f"/>`},
		"rows":    &endless{table + fields + "<DATA><TABLEDATA>", "<TR/>"},
	} {
		if _, err := votable.Read(r); err == nil || len(err.Error()) > 200 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnEncodedCellIsRefused(t *testing.T) {
	t.Parallel()
	_, err := votable.Read(strings.NewReader(`<VOTABLE><RESOURCE><TABLE><FIELD name="a"/><DATA><TABLEDATA><TR><TD encoding="base64">AAAA</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`))
	if err == nil || !strings.Contains(err.Error(), "base64") {
		t.Error(err)
	}
}

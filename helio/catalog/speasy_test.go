package catalog_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/helios-go/helios/helio/catalog"
	"github.com/helios-go/helios/internal/testdata"
)

// What speasy 1.x and tscat do with a file: the name is in the lines of the
// document's description, the times are texts that strptime reads, the fields of the
// times have these names and attributes, and others are of type double, boolean or
// char.
const speasyScript = `
import sys, datetime
from astropy.io.votable import parse
f = parse(sys.argv[1], verify="exception")
name = next(filter(lambda e: "Name" in e, f.description.split(";\n"))).split(":")[-1]
t = f.get_first_table()
for x, (n, i, u) in zip(t.fields, [("Start Time", "TimeIntervalStart", "time.start"), ("Stop Time", "TimeIntervalStop", "time.end")]):
    assert (x.name, x.ID, x.ucd, x.datatype, x.xtype, x.utype, x.arraysize) == (n, i, u, "char", "dateTime", "", "*"), x
assert all(x.datatype in ("double", "boolean", "char") for x in t.fields)
print(name)
for row in t.array.tolist():
    start, stop = (datetime.datetime.strptime(s, "%Y-%m-%dT%H:%M:%S.%f") for s in row[:2])
    print(start.isoformat(), stop.isoformat(), dict(zip([x.name for x in t.fields][2:], row[2:])))
`

func TestSpeasyAndTscatOpenWhatIsSaved(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	testdata.Need(t, "astropy", exec.CommandContext(t.Context(), python, "-I", "-c", "import astropy").Run())
	d := catalog.OpenDir(t.TempDir())
	saved, err := d.Save("shocks", full(t))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-I", "-W", "error::UserWarning", "-c", speasyScript, filepath.Clean(saved.Path)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const want = `Shocks of mine
2015-03-17T04:45:00.250000 2015-03-18T00:00:00 {'mach': 2.5, 'sure': True, 'remark': 'a, "b" <c>', 'peak': '2015-03-17T12:00:00.000'}
2015-06-22T18:33:00.123456 2015-06-23T00:00:00 {'mach': None, 'sure': None, 'remark': '', 'peak': ''}
`
	if string(out) != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

package archive

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzTAP(f *testing.F) {
	f.Add([]byte("dataset_id,title\nC1,\"a, b\"\n"))
	f.Add([]byte(`<VOTABLE><INFO name="QUERY_STATUS" value="ERROR">x</INFO></VOTABLE>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := parseTAP(data)
		if err != nil {
			return
		}
		for _, row := range table.rows {
			for name := range table.column {
				table.get(row, name)
			}
		}
	})
}

func FuzzCDAWeb(f *testing.F) {
	f.Add([]byte(`{"DatasetDescription":[{"Id":"A","Observatory":"x","TimeInterval":{"Start":"2015"}}],"FileDescription":[{"Name":"https://x/y.cdf"}],"VariableDescription":[{"Name":"B"}],"Message":["No data"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if all, err := parseCDAWebDatasets(data); err == nil {
			for _, d := range all {
				if d.ID == "" {
					t.Error("a dataset without an id")
				}
			}
		}
		_, _ = parseCDAWebVariables(data, &Dataset{ID: "x"})
		_, _ = parseCDAWebFiles(data)
	})
}

func FuzzTar(f *testing.F) {
	f.Add([]byte("\x1f\x8b"))
	f.Add(bytes.Repeat([]byte{0}, 1024))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = eachCDF(bytes.NewReader(data), func(name string, _ []byte) error {
			if strings.Contains(name, "/") {
				t.Errorf("a member is called %q", name)
			}
			return nil
		})
	})
}

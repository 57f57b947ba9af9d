package cli

import "github.com/helios-go/helios/helio/archive"

// Credits say how data want to be cited. It is exported for its JSON form.
type Credits struct {
	DOI             string `json:"doi,omitempty"`
	SPASE           string `json:"spase,omitempty"`
	Citation        string `json:"citation,omitempty"`
	Acknowledgement string `json:"acknowledgement,omitempty"`
	License         string `json:"license,omitempty"`
	URL             string `json:"url,omitempty"`
}

func creditsOf(d *archive.Dataset) Credits {
	return Credits{DOI: d.DOI, SPASE: d.SPASE, Citation: d.Citation, Acknowledgement: d.Acknowledgement, License: d.License, URL: d.ResourceURL}
}

// lines are what a person reads of them.
func (c Credits) lines() []string {
	var out []string
	for _, one := range []struct{ what, text string }{
		{"cite", firstText(c.Citation, c.DOI)}, {"acknowledge", c.Acknowledgement}, {"license", c.License}, {"see", c.URL},
	} {
		if one.text != "" {
			out = append(out, faint.Render(one.what+":")+" "+oneLine(one.text))
		}
	}
	return out
}

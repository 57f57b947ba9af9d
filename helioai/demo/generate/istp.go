package main

import (
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

func attribute(name string, value any) cdftest.Attribute {
	return cdftest.Attribute{Name: name, Values: []any{value}}
}

// newFile is a file with its global attributes, by the ISTP guidelines, and
// without variables. Whoever reads any of them learns that the data are made
// up.
func newFile(id, descriptor, dataType, title string) cdftest.File {
	logical := id[:len(id)-len("_20230615_v01")]
	return cdftest.File{
		LeapTable: 20170101,
		Checksum:  true,
		Globals: []cdftest.Attribute{
			attribute("Project", "HELIOS>Demonstration data of the Helios project"),
			attribute("Source_name", "DEMO>Synthetic spacecraft, no real mission"),
			attribute("Mission_group", "Demo (synthetic)"),
			attribute("Discipline", "Space Physics>Interplanetary Studies"),
			attribute("Data_type", dataType),
			attribute("Descriptor", descriptor),
			attribute("Data_version", "01"),
			attribute("TITLE", title),
			attribute("TEXT", "Synthetic data: computed, not measured. Made by a program so that Helios can be tried and tested without a network."),
			attribute("Synthetic", "yes: computed, not measured"),
			attribute("Logical_file_id", id),
			attribute("Logical_source", logical),
			attribute("Logical_source_description", title),
			attribute("Generated_by", "helioai/demo/generate"),
			attribute("PI_name", "none"),
			attribute("PI_affiliation", "none"),
			attribute("Acknowledgement", "Synthetic demonstration data of the Helios project; not for science."),
			attribute("Rules_of_use", "Free for any use as an example; they say nothing about nature."),
		},
	}
}

// epoch is the time axis that all variables of a file depend on.
func epoch(times []tt.Time) cdftest.Variable {
	return cdftest.Variable{
		Name: "Epoch", Type: cdf.TT2000, Values: times, Compression: cdf.GZIP,
		Attributes: []cdftest.Attribute{
			attribute("CATDESC", "Time, centre of interval"), attribute("FIELDNAM", "Time"), attribute("VAR_TYPE", "support_data"),
			attribute("UNITS", "ns"), attribute("TIME_BASE", "J2000"), attribute("TIME_SCALE", "Terrestrial Time"),
			attribute("FILLVAL", tt.Fill), attribute("VALIDMIN", instant(0)), attribute("VALIDMAX", instant(24*hour)),
			attribute("LABLAXIS", "Epoch"), attribute("MONOTON", "INCREASE"),
		},
	}
}

// labels is the variable that names the components of a vector.
func labels(name string, texts ...string) cdftest.Variable {
	return cdftest.Variable{
		Name: name, Type: cdf.Char, Dims: []int{len(texts)}, NoRecordVariance: true, Values: texts,
		Attributes: []cdftest.Attribute{
			attribute("CATDESC", "Labels of the components"), attribute("FIELDNAM", name), attribute("VAR_TYPE", "metadata"), attribute("FORMAT", "A8"),
		},
	}
}

package units

import "strings"

// body is a planet or a moon whose radius is a unit of length. In words it is written
// "Titan radius" or "Titan radii".
type body struct {
	name   string
	radius float64 // in km
	also   []string
}

// bodies are the radii that the IAU working group on cartographic coordinates gives
// (report of 2015): at the equator for planets, the mean one for moons. Others are in
// use too; for Mars they differ by 0.2 %. The short symbols are AMDA's. Venus and
// Jupiter keep the names that they have in the table.
var bodies = []body{
	{"Mercury", 2440.53, []string{"Rme"}},
	{"Venus", 6051.8, []string{"R_V", "RV", "Rv"}},
	{"Moon", 1737.4, []string{"Rmo"}},
	{"Mars", 3396.19, []string{"Rma"}},
	{"Io", 1821.49, []string{"Rio"}},
	{"Europa", 1560.8, []string{"Reu"}},
	{"Ganymede", 2631.2, []string{"Rga"}},
	{"Callisto", 2410.3, []string{"Rca"}},
	{"Saturn", 60268, nil},
	{"Titan", 2574.73, nil},
	{"Uranus", 25559, []string{"Ru", "R_U"}},
	{"Neptune", 24764, []string{"R_N"}},
}

// row makes a unit of the radius.
func (b body) row() *row {
	lower := strings.ToLower(b.name)
	r := &row{symbol: "R_" + b.name, size: size{b.radius, 3}, dim: of(metre), also: b.also,
		words: []string{lower + "radius", lower + "radii"}}
	if b.name == "Venus" {
		r.symbol = "R_V"
	}
	return r
}

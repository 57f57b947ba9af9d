package compat

import "github.com/helios-go/helios/provider"

// Models is what is known of the models of a dialect. Most servers have others
// every week: what is in no catalogue works too, and Options.Info says what is
// known of it.
func Models(dialect string) *provider.Catalogue {
	if c := catalogues[dialect]; c != nil {
		return c
	}
	return &provider.Catalogue{}
}

var catalogues = map[string]*provider.Catalogue{}

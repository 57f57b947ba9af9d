// Package testdata finds the larger real files that some tests read and that
// are not part of the repository.
//
// The folder is $HELIOS_TESTDATA, by default the folder "shared" beside the
// repository root. Where it is missing a test skips and says why; with
// HELIOS_REQUIRE_TESTDATA=1 it fails instead, so that a continuous-integration
// run cannot pass by skipping.
package testdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir returns the folder that holds the real files; it may not exist.
func Dir() string {
	if dir := os.Getenv("HELIOS_TESTDATA"); dir != "" {
		return dir
	}
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(here)))
	return filepath.Join(filepath.Dir(root), "shared")
}

// File returns the path of the named file below [Dir], as in
// "data/ac_h0_mfi_20230102_v07.cdf". It skips the test where there is none.
func File(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(Dir(), filepath.FromSlash(name))
	_, err := os.Stat(path)
	Need(tb, "the real file "+name, err)
	return path
}

// Need skips the test when err says that the host lacks what it is about; with
// HELIOS_REQUIRE_TESTDATA=1 it fails the test instead.
func Need(tb testing.TB, what string, err error) {
	tb.Helper()
	if err == nil {
		return
	}
	if os.Getenv("HELIOS_REQUIRE_TESTDATA") == "1" {
		tb.Fatalf("needs %s: %v", what, err)
	}
	tb.Skipf("needs %s: %v", what, err)
}

package recipes_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/recipes"
	"github.com/helios-go/helios/internal/testdata"
)

const interpreter = "/usr/bin/python3"

func TestEveryRecipeHasAReferenceAndAVersion(t *testing.T) {
	t.Parallel()
	version := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	var names []string
	for _, r := range recipes.All() {
		names = append(names, r.Name)
		if !version.MatchString(r.Version) {
			t.Errorf("%s has the version %q", r.Name, r.Version)
		}
		if !regexp.MustCompile(`\d{4}|https://`).MatchString(r.Reference) {
			t.Errorf("%s has the reference %q, without a year or an address", r.Name, r.Reference)
		}
		if len(r.SHA256) != 64 || !strings.HasSuffix(r.Source, "\n") {
			t.Errorf("%s: sha %q", r.Name, r.SHA256)
		}
	}
	if want := []string{"fill_values", "mvab", "theta_bn"}; !slices.Equal(names, want) {
		t.Errorf("the shelf holds %v, want %v", names, want)
	}
}

// Every name that a recipe exports is one that its header announces.
func TestHeadersNameTheOutputs(t *testing.T) {
	t.Parallel()
	direct := regexp.MustCompile(`\bexport\("(\w+)"`)
	table := regexp.MustCompile(`(?ms)^_UNITS = \{\n(.*?)^\}`)
	entry := regexp.MustCompile(`"(\w+)": "`)
	for _, r := range recipes.All() {
		var exported []string
		for _, m := range direct.FindAllStringSubmatch(r.Source, -1) {
			exported = append(exported, m[1])
		}
		if m := table.FindStringSubmatch(r.Source); m != nil {
			prefix := ""
			if strings.Contains(r.Source, `export(f"mvab_{name}"`) {
				prefix = "mvab_"
			}
			for _, e := range entry.FindAllStringSubmatch(m[1], -1) {
				exported = append(exported, prefix+e[1])
			}
		}
		if len(exported) == 0 {
			t.Errorf("%s: no exports found", r.Name)
		}
		for _, name := range exported {
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(r.Outputs) {
				t.Errorf("%s exports %s, and its header does not say so", r.Name, name)
			}
		}
	}
}

func TestHeadersNameTheInputs(t *testing.T) {
	t.Parallel()
	for _, r := range recipes.All() {
		if len(r.Names) == 0 {
			t.Errorf("%s looks for no input", r.Name)
		}
		for _, name := range r.Names {
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(r.Inputs) {
				t.Errorf("%s looks for %s, and its header does not say so", r.Name, name)
			}
		}
	}
}

func TestUnknownRecipesAreNamed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "../mvab", "mvab.py", "shelf/mvab", "walen"} {
		if r, err := recipes.Find(name); err == nil || !strings.Contains(err.Error(), "theta_bn") {
			t.Errorf("Find(%q) = %v, %v", name, r, err)
		}
	}
}

func TestHeadersThatAreNotWhole(t *testing.T) {
	t.Parallel()
	whole := "# name: a\n# version: 1.0.0\n# description: b\n#   and more\n# inputs: c\n# outputs: d\n# reference: e: f\nx = 1\n"
	r, err := recipes.Parse(whole)
	if err != nil || r.Description != "b and more" || r.Reference != "e: f" {
		t.Fatalf("got %+v, %v", r, err)
	}
	for _, bad := range []string{
		"", "x = 1\n",
		strings.Replace(whole, "# reference: e: f\n", "", 1),
		strings.Replace(whole, "# inputs: c\n", "# inputs:\n", 1),
		strings.Replace(whole, "# name: a\n", "# name: a\n# name: b\n", 1),
		strings.Replace(whole, "# name: a\n", "# author: a\n# name: a\n", 1),
	} {
		if r, err := recipes.Parse(bad); err == nil {
			t.Errorf("%q gave %+v", bad, r)
		}
	}
}

func TestPythonsOwnTests(t *testing.T) {
	t.Parallel()
	testdata.Need(t, interpreter+" with numpy", exec.CommandContext(t.Context(), interpreter, "-I", "-c", "import numpy").Run())
	for _, args := range [][]string{
		{"-m", "unittest", "test_recipes"},
		{"-m", "doctest", "../shelf/fill_values.py"},
		{"../shelf/mvab.py"}, // the demonstration of a file that is run by itself
		{"../shelf/theta_bn.py"},
	} {
		cmd := exec.CommandContext(t.Context(), interpreter, append([]string{"-B"}, args...)...)
		cmd.Dir = "testdata"
		cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range recipes.All() {
		f.Add(r.Source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		r, err := recipes.Parse(source)
		if err == nil && (r.Name == "" || r.Reference == "" || r.Source != source) {
			t.Errorf("got %+v", r)
		}
	})
}

func ExampleFind() {
	recipe, err := recipes.Find("theta_bn")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(recipe.Name, recipe.Version)
	fmt.Println(recipe.Outputs[:46])
	// Output:
	// theta_bn 1.0.0
	// theta_bn (deg), shock_normal (1, three compone
}

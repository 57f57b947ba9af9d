package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/helioai/recipes"
	"github.com/helios-go/helios/tool"
)

type recipeLine struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description"`
	Inputs      string `json:"inputs"`
	Outputs     string `json:"outputs"`
}

func listRecipes() tool.Tool {
	return tool.New("list_recipes", "List the methods on the shelf, with what they need and what they export.",
		func(context.Context, struct{}) (map[string][]recipeLine, error) {
			var lines []recipeLine
			for _, r := range recipes.All() {
				lines = append(lines, recipeLine{r.Name, r.Version, r.Description, r.Inputs, r.Outputs})
			}
			return map[string][]recipeLine{"recipes": lines}, nil
		}, tool.WithEffect(tool.ReadOnly))
}

type loadRecipeInput struct {
	Name string `json:"name" jsonschema:"name of the recipe, as list_recipes returned it"`
}

type loadRecipeOutput struct {
	Name     string            `json:"name"`
	Code     string            `json:"code"`
	Metadata map[string]string `json:"metadata"`
	RunWith  string            `json:"run_with"`
}

func loadRecipe() tool.Tool {
	return tool.New("load_recipe", "Read a recipe: its Python source, its inputs and outputs, and its reference.",
		func(_ context.Context, in loadRecipeInput) (loadRecipeOutput, error) {
			r, err := recipes.Find(in.Name)
			if err != nil {
				return loadRecipeOutput{}, err
			}
			return loadRecipeOutput{
				Name: r.Name, Code: r.Source,
				Metadata: map[string]string{
					"name": r.Name, "version": r.Version, "description": r.Description,
					"inputs": r.Inputs, "outputs": r.Outputs, "reference": r.Reference, "sha256": r.SHA256,
				},
				RunWith: fmt.Sprintf("run_recipe(name=%q, inputs={...}), with the names listed under inputs", r.Name),
			}, nil
		}, tool.WithEffect(tool.ReadOnly))
}

type runRecipeInput struct {
	Name    string                     `json:"name"              jsonschema:"name of the recipe"`
	Inputs  map[string]json.RawMessage `json:"inputs,omitempty"  jsonschema:"the recipe's inputs by name; a string that begins with load_data( or np. or another helper, or with [ or (, is Python, any other string is text, and numbers, lists and booleans are themselves"`
	Call    string                     `json:"call,omitempty"    jsonschema:"one more Python expression to evaluate after the recipe; its value is printed"`
	Timeout float64                    `json:"timeout,omitempty" jsonschema:"seconds until it is stopped, 60 unless given, at most 300"`
}

func runRecipe(env *Env) tool.Tool {
	return tool.New("run_recipe",
		"Run a recipe in the sandbox on given inputs, such as name mvab with inputs {\"B\": \"load_data('bgse')\"}. It exports "+
			"its results with units, or refuses with a sentence and no number. Cite its reference.",
		func(ctx context.Context, in runRecipeInput) (tool.Result, error) {
			r, err := recipes.Find(in.Name)
			if err != nil {
				return tool.Result{}, err
			}
			bindings, err := bind(r, in.Inputs)
			if err != nil {
				return tool.Result{}, err
			}
			call, err := callLine(in.Call)
			if err != nil {
				return tool.Result{}, err
			}
			run := &RecipeRun{Name: r.Name, Version: r.Version, SHA256: r.SHA256, Reference: r.Reference, Bindings: bindings, Call: call}
			return env.run(ctx, &job{tool: "run_recipe", code: bindings + r.Source + call, timeout: in.Timeout, recipe: run})
		}, tool.WithEffect(tool.Idempotent), tool.WithKind(tool.KindExecute), tool.WithTimeout(toolTimeout))
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,60}$`)

// pythonWords cannot be assigned to, or would break the recipe when they are.
var pythonWords = []string{
	"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
	"else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
	"pass", "raise", "return", "try", "while", "with", "yield",
}

// bind writes one assignment per input, before which the module's name is set
// so that a recipe's demonstration stays off.
func bind(r *recipes.Recipe, inputs map[string]json.RawMessage) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "__name__ = %q\n", r.Name)
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if !identifier.MatchString(name) || slices.Contains(pythonWords, name) || slices.Contains(reserved, name) && !slices.Contains(r.Names, name) {
			return "", fmt.Errorf("%.60q cannot be the name of an input; the inputs of %s are: %s", name, r.Name, r.Inputs)
		}
		if !slices.Contains(r.Names, name) {
			return "", fmt.Errorf("recipe %s has no input %s; its inputs are: %s", r.Name, name, r.Inputs)
		}
		value, err := pythonValue(inputs[name])
		if err != nil {
			return "", fmt.Errorf("input %s: %w", name, err)
		}
		fmt.Fprintf(&b, "%s = %s\n", name, value)
	}
	b.WriteByte('\n')
	return b.String(), nil
}

// callLine prints the value of an expression after the recipe.
func callLine(call string) (string, error) {
	call = strings.TrimSpace(call)
	if call == "" {
		return "", nil
	}
	if strings.ContainsAny(call, "\n\r#") {
		return "", errors.New("call must be one Python expression on one line; use run_python for more")
	}
	return fmt.Sprintf("print(repr(%s))\n", call), nil
}

// expression recognises strings that are meant as Python. A date such as
// 2015-12-17 would be valid Python too, and the number 1986, so that a string is
// text unless it begins like code.
var expression = regexp.MustCompile(`^(?:\[|\(|(?:load_data|clean|magnitude|interp_to|Dataset)\(|(?:np|scipy)\.)`)

// pythonValue writes a JSON value as Python.
func pythonValue(raw json.RawMessage) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", fmt.Errorf("not valid JSON: %w", err)
	}
	text, ok := v.(string)
	if !ok {
		return pythonLiteral(v), nil
	}
	text = strings.TrimSpace(text)
	if _, err := tt.Parse(text); err == nil || !expression.MatchString(text) {
		return pythonLiteral(text), nil
	}
	if strings.ContainsAny(text, "\n\r") {
		return "", errors.New("a Python expression must be on one line; use run_python for more")
	}
	return text, nil
}

func pythonLiteral(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case json.Number:
		return v.String()
	case string:
		return python.Quote(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = pythonLiteral(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		items := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, python.Quote(key)+": "+pythonLiteral(v[key]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return "None"
}

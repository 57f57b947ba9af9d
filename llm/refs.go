package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A schema by hand may come from a stranger, such as a server of tools. One whose
// references lead back to themselves without going into the value ({"$ref":"#"})
// would send the validator down a stack without end, which no recover stops; one
// that refers twice to what refers twice, and so on, would keep it busy for years.
// Both are refused here, before the first value is looked at.

// maxSteps is how many subschemas one value may have to be held to at one place.
const maxSteps = 100_000

// checkRefs refuses a schema that cannot be evaluated in bounded time.
func checkRefs(root *jsonschema.Schema) error {
	data, err := json.Marshal(root) // canonical names, whatever their case was
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return err
	}
	g := &refGraph{nodes: map[string]map[string]any{}, bases: []string{""}, anchors: map[string][]string{}, steps: map[string]int{}}
	g.add("", tree)
	for path := range g.nodes {
		if _, err := g.count(path); err != nil {
			return err
		}
	}
	return nil
}

// A refGraph is a schema's objects by their JSON pointers. Where it cannot tell
// which object a reference means it takes all that it may mean.
type refGraph struct {
	nodes   map[string]map[string]any
	bases   []string            // what "#" may be: the root, and objects with an $id
	anchors map[string][]string // objects by the name that references give them
	steps   map[string]int      // what has been counted; below 0 while it is
}

func (g *refGraph) add(path string, tree any) {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			g.add(path+"/"+strconv.Itoa(i), v[i])
		}
	case map[string]any:
		g.nodes[path] = v
		if _, ok := v["$id"].(string); ok && path != "" {
			g.bases = append(g.bases, path)
		}
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := v[key].(string); ok {
				g.anchors[name] = append(g.anchors[name], path)
			}
		}
		for name := range v {
			g.add(path+"/"+escapePointer(name), v[name])
		}
	}
}

func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// count is how many subschemas hold for a value that is held to this one, those of
// its members not counted.
func (g *refGraph) count(path string) (int, error) {
	node, ok := g.nodes[path]
	if !ok {
		return 1, nil // true or false
	}
	if n := g.steps[path]; n > 0 {
		return n, nil
	} else if n < 0 {
		return 0, fmt.Errorf("the schema at %q refers to itself without end", "#"+path)
	}
	g.steps[path] = -1
	total := 1
	for _, next := range g.next(path, node) {
		n, err := g.count(next)
		if err != nil {
			return 0, err
		}
		if total += n; total > maxSteps {
			return 0, errors.New("its references multiply beyond all use")
		}
	}
	g.steps[path] = total
	return total, nil
}

// next lists the subschemas that hold for the same value.
func (g *refGraph) next(path string, node map[string]any) []string {
	var next []string
	for _, key := range []string{"$ref", "$dynamicRef"} {
		if ref, ok := node[key].(string); ok {
			next = append(next, g.targets(ref)...)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if list, ok := node[key].([]any); ok {
			for i := range list {
				next = append(next, path+"/"+key+"/"+strconv.Itoa(i))
			}
		}
	}
	for _, key := range []string{"not", "if", "then", "else"} {
		if _, ok := node[key]; ok {
			next = append(next, path+"/"+key)
		}
	}
	for _, key := range []string{"dependentSchemas", "dependencies"} {
		if members, ok := node[key].(map[string]any); ok {
			for name := range members {
				next = append(next, path+"/"+key+"/"+escapePointer(name))
			}
		}
	}
	return next
}

// targets lists what a reference may mean.
func (g *refGraph) targets(ref string) []string {
	_, fragment, _ := strings.Cut(ref, "#")
	fragment = unescapeURI(fragment)
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return g.anchors[fragment]
	}
	var all []string
	for _, base := range g.bases {
		if _, ok := g.nodes[base+fragment]; ok {
			all = append(all, base+fragment)
		}
	}
	return all
}

// unescapeURI decodes the percent escapes of a fragment; odd ones stay.
func unescapeURI(fragment string) string {
	if text, err := url.PathUnescape(fragment); err == nil {
		return text
	}
	return fragment
}

package adapt

import "strings"

// argument reports whether the name of an argument is of letters, digits and _.-
// only, and not too long.
func argument(name string) bool {
	return name != "" && len(name) <= MaxName && strings.ReplaceAll(name, ".", "_") == plainer(name)
}

// plainer is a name with an underscore for every character that an argument's may
// not have, and for every dot.
func plainer(name string) string { return plain("_" + name)[1:] }

func odd(properties *object) bool {
	if properties == nil {
		return false
	}
	for _, name := range properties.keys {
		if !argument(name) {
			return true
		}
	}
	return false
}

// rename gives arguments other names where theirs cannot be sent, and returns theirs
// by the new ones. What refers to names otherwise than by listing them is left out.
func rename(out *object) map[string]string {
	in := out.object("properties")
	renamed, wires := map[string]string{}, map[string]string{}
	props := newObject(len(in.keys))
	for _, name := range in.keys {
		v := in.m[name]
		if argument(name) {
			props.set(name, v)
			continue
		}
		wire := plainer(name)
		for salt := name; wire == "" || len(wire) > MaxName || in.has(wire) || renamed[wire] != ""; salt += "'" {
			wire = salted(name, salt, MaxName)
		}
		renamed[wire], wires[name] = name, wire
		if sub, ok := v.(*object); ok && len(name) <= MaxName {
			tell(sub, []string{"that is, " + string(encode(name))})
		}
		props.set(wire, v)
	}
	out.set("properties", props)
	if required := out.list("required"); required != nil {
		names := make([]any, len(required))
		for i, v := range required {
			names[i] = v
			if name, ok := v.(string); ok && wires[name] != "" {
				names[i] = wires[name]
			}
		}
		out.set("required", names)
	}
	if out.has("patternProperties") {
		out.drop("patternProperties")
		out.drop("additionalProperties")
	}
	for _, key := range []string{"dependentRequired", "dependentSchemas", "propertyNames", "unevaluatedProperties", "default", "examples"} {
		out.drop(key)
	}
	return renamed
}

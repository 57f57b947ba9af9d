package js

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// Bounds of what one value looks like.
const (
	inspectDepth  = 4     // of objects in objects
	inspectItems  = 100   // of one array, map, set or object
	inspectString = 10000 // bytes of one string
	inspectBudget = 200_000
	inspectWidth  = 76
)

// An inspector shows values as text. It runs no getter and no proxy trap; a
// toString that a program gave its own class is run, since that is how the
// program wants its values seen.
type inspector struct {
	vm           *goja.Runtime
	descriptor   goja.Callable // Object.getOwnPropertyDescriptor, as it was before any cell
	each         map[string]goja.Callable
	iso          goja.Callable
	functionText goja.Callable

	budget int
	path   []*goja.Object // from the root, to see circles
	asked  []*goja.Object // whose toString runs now
}

func newInspector(vm *goja.Runtime) *inspector {
	method := func(path ...string) goja.Callable {
		o := vm.GlobalObject()
		for _, p := range path[:len(path)-1] {
			o = o.Get(p).ToObject(vm)
		}
		f, _ := goja.AssertFunction(o.Get(path[len(path)-1]))
		return f
	}
	return &inspector{
		vm:           vm,
		descriptor:   method("Object", "getOwnPropertyDescriptor"),
		each:         map[string]goja.Callable{"Map": method("Map", "prototype", "forEach"), "Set": method("Set", "prototype", "forEach")},
		iso:          method("Date", "prototype", "toISOString"),
		functionText: method("Function", "prototype", "toString"),
	}
}

// show is a value as text. nested: as a part of another, where text is quoted.
// It may be called while another value is shown, by a toString that prints.
func (in *inspector) show(v goja.Value, quoted bool) string {
	budget, path := in.budget, in.path
	defer func() { in.budget, in.path = budget, path }()
	in.budget, in.path = inspectBudget, nil
	if s, ok := text(v); ok && !quoted {
		return s
	}
	var out string
	if ex := in.vm.Try(func() { out = in.value(v, 0) }); ex != nil {
		return "<error: " + in.errorLine(ex.Value()) + ">"
	}
	return out
}

func text(v goja.Value) (string, bool) {
	if s, ok := v.(goja.String); ok {
		return s.String(), true
	}
	return "", false
}

func (in *inspector) value(v goja.Value, indent int) string {
	out := in.plain(v, indent)
	in.budget -= len(out)
	return out
}

func (in *inspector) plain(v goja.Value, indent int) string {
	if v == nil {
		return "undefined"
	}
	if s, ok := text(v); ok {
		return quote(s)
	}
	if goja.IsBigInt(v) {
		return v.String() + "n"
	}
	o, ok := v.(*goja.Object)
	if !ok {
		if n, ok := v.Export().(float64); ok && n == 0 && math.Signbit(n) {
			return "-0"
		}
		if sym, ok := v.(*goja.Symbol); ok {
			return "Symbol(" + sym.String() + ")"
		}
		return v.String()
	}
	switch {
	case o.ExportType() == reflect.TypeFor[goja.Proxy]():
		return "[Proxy]"
	case slices.Contains(in.path, o):
		return "[Circular]"
	case in.budget < 0:
		return "..."
	}
	in.path = append(in.path, o)
	defer func() { in.path = in.path[:len(in.path)-1] }()
	return in.object(o, indent)
}

func (in *inspector) object(o *goja.Object, indent int) string {
	if p, ok := promise(o); ok {
		return in.promise(p, indent)
	}
	if s, ok := in.ownText(o); ok {
		return s
	}
	switch o.ClassName() {
	case "Function":
		return in.function(o)
	case "Error":
		return in.failure(o)
	case "Date":
		if s, err := in.iso(o); err == nil {
			return s.String()
		}
		return "Invalid Date"
	case "RegExp":
		return "/" + in.data(o, "source") + "/" + in.data(o, "flags")
	case "Number", "String", "Boolean":
		return fmt.Sprintf("[%s: %s]", o.ClassName(), in.data(o, "valueOf"))
	}
	if _, ok := goja.AssertFunction(o); ok { // an async one, whose class is not Function
		return in.function(o)
	}
	kind := in.constructor(o)
	switch {
	case len(in.path) > inspectDepth && !in.empty(o):
		return "[" + kind + "]"
	case o.ClassName() == "Array", typedArray.MatchString(kind):
		return in.array(o, kind, indent)
	case of(o) != "":
		return in.collection(o, kind, indent)
	}
	return in.record(o, kind, indent)
}

// data reads something of a built-in kind of object; RegExp's are getters of the
// prototype, which a program may have replaced.
func (in *inspector) data(o *goja.Object, name string) string {
	v := o.Get(name)
	if f, ok := goja.AssertFunction(v); ok {
		if v, err := f(o); err == nil {
			return in.value(v, 0)
		}
		return "?"
	}
	if v == nil {
		return ""
	}
	return v.String()
}

func promise(o *goja.Object) (*goja.Promise, bool) {
	if o.ExportType() != reflect.TypeFor[*goja.Promise]() {
		return nil, false
	}
	p, ok := o.Export().(*goja.Promise)
	return p, ok
}

func (in *inspector) promise(p *goja.Promise, indent int) string {
	switch p.State() {
	case goja.PromiseStatePending:
		return "Promise { <pending> }"
	case goja.PromiseStateRejected:
		return "Promise { <rejected> " + in.value(p.Result(), indent) + " }"
	}
	return "Promise { " + in.value(p.Result(), indent) + " }"
}

// of tells maps and sets, which goja keeps in the class Object, by what they
// become in Go.
func of(o *goja.Object) string {
	switch {
	case o.ClassName() != "Object":
	case o.ExportType() == reflect.TypeFor[[][2]any]():
		return "Map"
	case o.ExportType() == reflect.TypeFor[[]any]():
		return "Set"
	}
	return ""
}

// own is an own property's value. getter tells that there is one in its place,
// which is not run.
func (in *inspector) own(o *goja.Object, key string) (v goja.Value, getter, ok bool) {
	d, err := in.descriptor(goja.Undefined(), o, in.vm.ToValue(key))
	if err != nil {
		return nil, false, false
	}
	desc, isObject := d.(*goja.Object)
	if !isObject {
		return nil, false, false
	}
	if slices.Contains(desc.GetOwnPropertyNames(), "value") {
		return desc.Get("value"), false, true
	}
	return nil, true, true
}

// find looks for a property with a value along the prototypes.
func (in *inspector) find(o *goja.Object, key string) goja.Value {
	for depth := 0; o != nil && depth < 100 && o.ExportType() != reflect.TypeFor[goja.Proxy](); depth++ {
		if v, getter, ok := in.own(o, key); ok {
			if getter {
				return nil
			}
			return v
		}
		o = o.Prototype()
	}
	return nil
}

// ownText is what a toString of the program's own says, unless that is what wants
// the object shown.
func (in *inspector) ownText(o *goja.Object) (string, bool) {
	switch o.ClassName() {
	case "Object", "Array":
	default:
		return "", false
	}
	if slices.Contains(in.asked, o) {
		return "", false
	}
	fn, ok := in.find(o, "toString").(*goja.Object)
	if !ok {
		return "", false
	}
	call, ok := goja.AssertFunction(fn)
	if !ok {
		return "", false
	}
	if source, err := in.functionText(fn); err != nil || strings.Contains(source.String(), "[native code]") {
		return "", false
	}
	in.asked = append(in.asked, o)
	defer func() { in.asked = in.asked[:len(in.asked)-1] }()
	v, err := call(o)
	if err != nil {
		var line string
		if ex, ok := err.(*goja.Exception); ok { //nolint:errorlint // goja returns it as it is
			line = in.errorLine(ex.Value())
		} else {
			line = err.Error()
		}
		return "<error: " + line + ">", true
	}
	s, ok := text(v)
	return s, ok
}

// constructor is the name of the class of an object, "" when it has none.
func (in *inspector) constructor(o *goja.Object) string {
	if c, ok := in.find(o, "constructor").(*goja.Object); ok {
		if name, ok := text(in.find(c, "name")); ok && name != "" {
			return name
		}
	}
	return o.ClassName()
}

func (in *inspector) empty(o *goja.Object) bool {
	return of(o) == "" && len(o.Keys()) == 0
}

func (in *inspector) function(o *goja.Object) string {
	name, _ := text(in.find(o, "name"))
	if name == "" {
		name = "(anonymous)"
	}
	if source, err := in.functionText(o); err == nil && strings.HasPrefix(source.String(), "class") {
		return "[class " + name + "]"
	}
	return "[Function: " + name + "]"
}

// failure is an error in another value, or as a value: its line, not its stack.
func (in *inspector) failure(o *goja.Object) string { return "[" + in.errorLine(o) + "]" }

// errorLine is "TypeError: message", without running code of the program.
func (in *inspector) errorLine(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Error" {
		return in.value(v, 0)
	}
	name, _ := text(in.find(o, "name"))
	message, _ := text(in.find(o, "message"))
	if c := in.constructor(o); name == "Error" && c != "Error" && c != "Object" {
		name = c // class Missing extends Error {} without a name of its own
	}
	switch {
	case name == "":
		name = "Error"
		fallthrough
	case message != "":
		return strings.TrimSuffix(name+": "+message, ": ")
	}
	return name
}

func (in *inspector) array(o *goja.Object, kind string, indent int) string {
	length := 0
	if n := o.Get("length"); n != nil {
		length = int(n.ToInteger())
	}
	var items []string
	for i := 0; i < length && len(items) < inspectItems && in.budget >= 0; i++ {
		v, getter, ok := in.own(o, strconv.Itoa(i))
		switch {
		case getter:
			items = append(items, "[Getter]")
		case !ok:
			items = append(items, "<empty>")
		default:
			items = append(items, in.value(v, indent+2))
		}
	}
	if more := length - len(items); more > 0 {
		items = append(items, fmt.Sprintf("... %d more", more))
	}
	prefix := ""
	if kind != "Array" {
		prefix = fmt.Sprintf("%s(%d) ", kind, length)
	}
	return block(prefix+"[", items, "]", indent, true)
}

func (in *inspector) collection(o *goja.Object, kind string, indent int) string {
	var items []string
	size := 0
	isMap := of(o) == "Map"
	_, _ = in.each[of(o)](o, in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		size++
		if size > inspectItems || in.budget < 0 {
			return nil
		}
		item := in.value(call.Argument(0), indent+2)
		if isMap {
			item = in.value(call.Argument(1), indent+2) + " => " + item
		}
		items = append(items, item)
		return nil
	}))
	if more := size - len(items); more > 0 {
		items = append(items, fmt.Sprintf("... %d more", more))
	}
	return block(fmt.Sprintf("%s(%d) {", kind, size), items, "}", indent, false)
}

var typedArray = regexp.MustCompile(`^(Big)?(Int|Uint|Float)\d+(Clamped)?Array$`)

var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

func (in *inspector) record(o *goja.Object, kind string, indent int) string {
	var items []string
	keys := o.Keys()
	for _, key := range keys {
		if len(items) == inspectItems || in.budget < 0 {
			items = append(items, fmt.Sprintf("... %d more", len(keys)-len(items)))
			break
		}
		v, getter, _ := in.own(o, key)
		item := "[Getter]"
		if !getter {
			item = in.value(v, indent+2)
		}
		if !plainKey.MatchString(key) {
			key = quote(key)
		}
		items = append(items, key+": "+item)
	}
	prefix := ""
	switch {
	case o.Prototype() == nil:
		prefix = "[Object: null prototype] "
	case kind != "Object":
		prefix = kind + " "
	}
	return block(prefix+"{", items, "}", indent, false)
}

// block puts items on one line where they fit; else each on a line of its own,
// or, fill given and all short, as many as fit.
func block(open string, items []string, end string, indent int, fill bool) string {
	if len(items) == 0 {
		return open + end
	}
	total, short := len(open)+len(end)+indent, true
	for _, item := range items {
		total += len(item) + 2
		short = short && len(item) <= 16
		if strings.Contains(item, "\n") {
			total, short = inspectWidth+1, false
		}
	}
	if total <= inspectWidth {
		return open + " " + strings.Join(items, ", ") + " " + end
	}
	pad := "\n" + strings.Repeat(" ", indent+2)
	if !fill || !short {
		return open + pad + strings.Join(items, ","+pad) + "\n" + strings.Repeat(" ", indent) + end
	}
	var b strings.Builder
	b.WriteString(open)
	column := inspectWidth
	for i, item := range items {
		if column+len(item)+2 > inspectWidth {
			b.WriteString(pad)
			column = indent + 2
		} else {
			b.WriteString(" ")
			column++
		}
		b.WriteString(item)
		column += len(item) + 1
		if i < len(items)-1 {
			b.WriteString(",")
		}
	}
	return b.String() + "\n" + strings.Repeat(" ", indent) + end
}

// quote puts text between the quotes that need the fewest escapes.
func quote(s string) string {
	more := ""
	if len(s) > inspectString {
		more = fmt.Sprintf("... %d more bytes", len(s)-inspectString)
		s = strings.ToValidUTF8(s[:inspectString], "")
	}
	mark := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	var b strings.Builder
	b.WriteByte(mark)
	for _, r := range s {
		switch {
		case r == rune(mark) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte(mark)
	return b.String() + more
}

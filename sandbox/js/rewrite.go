package js

import (
	"errors"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"
)

// A script is a cell that is ready to run.
type script struct {
	program  *goja.Program
	echo     bool     // the last statement is an expression: its value is shown
	async    bool     // it awaits at the top level: running it gives a promise
	declared []string // names that have to exist as globals before it runs
}

// compile parses a cell and makes what it declares at the top level properties of
// the global object, so that the next cell sees it and may declare it again.
func compile(name, code string) (*script, error) {
	if strings.HasPrefix(code, "#!") { // a line for whoever starts a file
		code = "//" + code[2:]
	}
	tree, err := parse(name, code)
	if object, ok := objectLiteral(name, code); ok {
		tree, err = object, nil
	}
	if err == nil {
		return compileScript(tree)
	}
	if strings.Contains(code, "await") {
		if s, asyncErr := compileAsync(name, code); asyncErr == nil {
			return s, nil
		} else if !errors.Is(asyncErr, errShape) && !beyond(asyncErr, code) {
			return nil, asyncErr
		}
	}
	return nil, err
}

// beyond tells that an error is in what compileAsync puts behind the cell: the cell
// ends too early, and says so better by itself.
func beyond(err error, code string) bool {
	var list parser.ErrorList
	return errors.As(err, &list) && len(list) > 0 && list[0].Position.Line > strings.Count(code, "\n")+1
}

func parse(name, code string) (*ast.Program, error) {
	// A source map would be read from the disk.
	return parser.ParseFile(nil, name, code, 0, parser.WithDisableSourceMaps)
}

// objectLiteral takes `{a: 1}`, which is a block with a label in it, for what
// whoever types it at a prompt means.
func objectLiteral(name, code string) (*ast.Program, bool) {
	text := strings.TrimSpace(code)
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return nil, false
	}
	tree, err := parse(name, "("+code+"\n)")
	return tree, err == nil && len(tree.Body) == 1
}

func compileScript(tree *ast.Program) (*script, error) {
	s := &script{}
	for i, st := range tree.Body {
		list, at := declared(st)
		if list == nil {
			continue
		}
		tree.Body[i] = &ast.VariableStatement{Var: at, List: list}
		tree.DeclarationList = append(tree.DeclarationList, &ast.VariableDeclaration{Var: at, List: list})
	}
	if n := len(tree.Body); n > 0 {
		_, s.echo = tree.Body[n-1].(*ast.ExpressionStatement)
	}
	var err error
	s.program, err = goja.CompileAST(tree, false)
	return s, err
}

// declared gives the bindings of a let, const or class statement, in the form
// that a var statement takes; nil for other statements.
func declared(st ast.Statement) ([]*ast.Binding, file.Idx) {
	switch d := st.(type) {
	case *ast.LexicalDeclaration:
		for _, b := range d.List {
			if b.Initializer == nil { // `let x;` makes x undefined, `var x;` would keep it
				b.Initializer = undefined(d.Idx)
			}
		}
		return d.List, d.Idx
	case *ast.ClassDeclaration:
		return []*ast.Binding{{Target: d.Class.Name, Initializer: d.Class}}, d.Class.Class
	}
	return nil, 0
}

func undefined(at file.Idx) ast.Expression {
	return &ast.UnaryExpression{Operator: token.VOID, Idx: at, Operand: &ast.NumberLiteral{Idx: at, Literal: "0", Value: int64(0)}}
}

// errShape is what is wrong with a cell that closes the function which is put
// around it.
var errShape = errors.New("unexpected end of the cell")

// compileAsync compiles a cell that awaits at the top level: an async function
// whose declarations are assignments to globals.
func compileAsync(name, code string) (*script, error) {
	tree, err := parse(name, "(async()=>{"+code+"\n})()")
	if err != nil {
		return nil, err
	}
	body, arrow, ok := asyncBody(tree)
	if !ok {
		return nil, errShape
	}
	s := &script{async: true}
	var functions, statements []ast.Statement
	rest := body.List
	for len(rest) > 1 && directive(rest[0]) { // "use strict" is one only in front
		functions, rest = append(functions, rest[0]), rest[1:]
	}
	for _, st := range rest {
		switch d := st.(type) {
		case *ast.FunctionDeclaration:
			functions = append(functions, assign(d.Function.Name, d.Function))
			s.declared = append(s.declared, names(d.Function.Name)...)
			continue
		case *ast.VariableStatement:
			statements = append(statements, assignments(d.List)...)
			continue
		}
		if list, _ := declared(st); list != nil {
			statements = append(statements, assignments(list)...)
			for _, b := range list { // in strict mode only what is there can be assigned
				s.declared = append(s.declared, names(b.Target)...)
			}
			continue
		}
		statements = append(statements, st)
	}
	if n := len(statements); n > 0 {
		if last, ok := statements[n-1].(*ast.ExpressionStatement); ok && last == lastOf(body.List) {
			statements[n-1] = &ast.ReturnStatement{Return: last.Idx0(), Argument: last.Expression}
			s.echo = true
		}
	}
	body.List = slices.Concat(functions, statements)
	for _, d := range arrow.DeclarationList { // `var`, wherever it stands
		for _, b := range d.List {
			s.declared = append(s.declared, names(b.Target)...)
		}
	}
	arrow.DeclarationList = nil
	s.program, err = goja.CompileAST(tree, false)
	return s, err
}

func directive(st ast.Statement) bool {
	e, ok := st.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	_, ok = e.Expression.(*ast.StringLiteral)
	return ok
}

func lastOf(list []ast.Statement) ast.Statement { return list[len(list)-1] }

// asyncBody finds the function that compileAsync wrote.
func asyncBody(tree *ast.Program) (*ast.BlockStatement, *ast.ArrowFunctionLiteral, bool) {
	if len(tree.Body) != 1 {
		return nil, nil, false
	}
	st, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil, nil, false
	}
	call, ok := st.Expression.(*ast.CallExpression)
	if !ok {
		return nil, nil, false
	}
	arrow, ok := call.Callee.(*ast.ArrowFunctionLiteral)
	if !ok {
		return nil, nil, false
	}
	body, ok := arrow.Body.(*ast.BlockStatement)
	return body, arrow, ok
}

func assignments(list []*ast.Binding) []ast.Statement {
	var out []ast.Statement
	for _, b := range list {
		if b.Initializer != nil {
			out = append(out, assign(b.Target, b.Initializer))
		}
	}
	return out
}

func assign(target, value ast.Expression) ast.Statement {
	return &ast.ExpressionStatement{Expression: &ast.AssignExpression{Operator: token.ASSIGN, Left: target, Right: value}}
}

// names are those that a declaration binds.
func names(target ast.Expression) []string {
	switch t := target.(type) {
	case *ast.Identifier:
		return []string{t.Name.String()}
	case *ast.ArrayPattern:
		var out []string
		for _, e := range append(slices.Clone(t.Elements), t.Rest) {
			out = append(out, names(e)...)
		}
		return out
	case *ast.ObjectPattern:
		out := names(t.Rest)
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				out = append(out, p.Name.Name.String())
			case *ast.PropertyKeyed:
				out = append(out, names(p.Value)...)
			}
		}
		return out
	case *ast.AssignExpression: // a default
		return names(t.Left)
	}
	return nil
}

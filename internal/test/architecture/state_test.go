package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pool is the reason for a pool of scratch memory.
const pool = "a pool: what is taken out of it belongs to one goroutine until it is put back"

// states are the variables of packages that change while the program runs, and why several sources
// can be read in one program nevertheless.
var states = map[string]string{
	"internal/driver: binders":       pool,
	"internal/driver: deflatePool":   pool,
	"internal/driver: inflatePool":   pool,
	"internal/ingest: buffers":       pool,
	"internal/memory: collector":     "the process has one garbage collector: calls may overlap",
	"internal/run/journal: encoders": pool,
	"internal/run/records: ends":     pool,
	"pkg/cqlorder: bigPool":          pool,
	"pkg/cqlorder: scratchPool":      pool,
}

// A program may read several sources at once. So no package keeps in a variable what belongs to one
// of them.
func TestPackagesKeepNoState(t *testing.T) {
	found := make(map[string]bool)
	for _, top := range []string{"internal", "pkg"} {
		for folder, files := range sources(t, filepath.Join(root, top)) {
			folder, err := filepath.Rel(root, folder)
			require.NoError(t, err)
			for _, name := range changed(files) {
				found[folder+": "+name] = true
			}
		}
	}
	for name := range found {
		assert.Contains(t, states, name, "is changed, and several sources would share it")
	}
	for name := range states {
		require.Contains(t, found, name, "is gone, or does not change")
	}
}

// sources returns the parsed files of the folders below top, but for tests, by folder.
func sources(t *testing.T, top string) map[string][]*ast.File {
	t.Helper()
	out := make(map[string][]*ast.File)
	fileSet := token.NewFileSet()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == filepath.Join(root, "internal", "test")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fileSet, path, nil, 0)
		folder := filepath.Dir(path)
		out[folder] = append(out[folder], file)
		return err
	})
	require.NoError(t, err)
	return out
}

// changed returns the package's variables that a function assigns to, or that have a type of
// package sync or atomic.
func changed(files []*ast.File) []string {
	variables := make(map[string]*ast.ValueSpec)
	for _, file := range files {
		for _, d := range file.Decls {
			declaration, ok := d.(*ast.GenDecl)
			if !ok || declaration.Tok != token.VAR {
				continue
			}
			for _, s := range declaration.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					variables[name.Name] = s.(*ast.ValueSpec)
				}
			}
		}
	}
	found := make(map[string]bool)
	change := func(e ast.Expr) {
		if name := variable(e, variables); name != "" {
			found[name] = true
		}
	}
	for name, spec := range variables {
		ast.Inspect(spec, func(n ast.Node) bool {
			if _, inFunction := n.(*ast.FuncLit); inFunction {
				return false
			}
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := s.X.(*ast.Ident)
			if ok && (of.Name == "sync" || of.Name == "atomic") {
				found[name] = true
			}
			return true
		})
	}
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					if n.Tok != token.DEFINE {
						for _, to := range n.Lhs {
							change(to)
						}
					}
				case *ast.IncDecStmt:
					change(n.X)
				case *ast.CallExpr:
					if f, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 &&
						(f.Name == "delete" || f.Name == "clear") {
						change(n.Args[0])
					}
				}
				return true
			})
		}
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	return names
}

// variable returns the package's variable that an expression is, or is a part of; empty: of none.
func variable(e ast.Expr, variables map[string]*ast.ValueSpec) string {
	switch e := e.(type) {
	case *ast.Ident:
		spec := variables[e.Name]
		if spec == nil || e.Obj != nil && e.Obj.Decl != spec {
			return ""
		}
		return e.Name
	case *ast.SelectorExpr:
		return variable(e.X, variables)
	case *ast.IndexExpr:
		return variable(e.X, variables)
	case *ast.StarExpr:
		return variable(e.X, variables)
	case *ast.ParenExpr:
		return variable(e.X, variables)
	}
	return ""
}

package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docLink is a link such as [Name], [Type.Method] or [package.Name] in a comment.
var docLink = regexp.MustCompile(`\[(\*?[A-Za-z]\w*(?:\.\w+){0,2})\]`)

// folderOf is a package, as its files declare it.
type folderOf struct {
	name     string
	declared map[string]bool // Name, and Type.Method or Type.Field
	comments map[string]string
}

// TestDocLinksNameWhatIsThere follows the links in comments within a package, and to packages of
// this module: a declaration that has moved leaves none behind.
func TestDocLinksNameWhatIsThere(t *testing.T) {
	folders := make(map[string]*folderOf)
	byName := make(map[string][]*folderOf)
	for _, top := range []string{"cmd", "internal", "pkg", "tools"} {
		err := filepath.WalkDir(
			filepath.Join(root, top),
			func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
					return err
				}
				return readDeclared(folders, path)
			},
		)
		require.NoError(t, err)
	}
	for _, f := range folders {
		byName[f.name] = append(byName[f.name], f)
	}
	for _, f := range folders {
		for place, text := range f.comments {
			for _, m := range docLink.FindAllStringSubmatch(text, -1) {
				link := strings.TrimPrefix(m[1], "*")
				if !leadsAnywhere(f, byName, link) {
					t.Errorf("%s: [%s] links to nothing", place, m[1])
				}
			}
		}
	}
}

// leadsAnywhere reports whether a link is no link to this module, or names a declaration.
func leadsAnywhere(f *folderOf, byName map[string][]*folderOf, link string) bool {
	first, rest, qualified := strings.Cut(link, ".")
	if f.declared[link] || !ast.IsExported(first) && !qualified {
		return true // a word in brackets is no link
	}
	others := byName[first]
	for _, other := range others {
		if other.declared[rest] {
			return true
		}
	}
	return qualified && !ast.IsExported(first) && len(others) == 0 // a package of another module
}

// readDeclared adds the declarations and comments of a file to its package.
func readDeclared(folders map[string]*folderOf, path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.ParseComments)
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	f := folders[folder]
	if f == nil {
		f = &folderOf{declared: make(map[string]bool), comments: make(map[string]string)}
		folders[folder] = f
	}
	f.name = strings.TrimSuffix(file.Name.Name, "_test")
	for _, d := range file.Decls {
		declare(f.declared, d)
	}
	if strings.HasSuffix(path, "_test.go") {
		return nil // no page of documentation has its comments
	}
	for _, group := range file.Comments {
		f.comments[files.Position(group.Pos()).String()] = group.Text()
	}
	return nil
}

// declare adds what a declaration declares.
func declare(declared map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		declared[receiver(d)+d.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					declared[name.Name] = true
				}
			case *ast.TypeSpec:
				declared[spec.Name.Name] = true
				declareMembers(declared, spec)
			}
		}
	}
}

// declareMembers adds the fields of a struct and the methods of an interface.
func declareMembers(declared map[string]bool, spec *ast.TypeSpec) {
	var members *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		members = t.Fields
	case *ast.InterfaceType:
		members = t.Methods
	default:
		return
	}
	for _, m := range members.List {
		for _, name := range m.Names {
			declared[spec.Name.Name+"."+name.Name] = true
		}
	}
}

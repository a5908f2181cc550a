// Package order checks that the files of a package can be read one after the other: that
// none names what a later one declares. It serves tests.
package order

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// listed matches a line of doc.go that tells what a file is for.
var listed = regexp.MustCompile(`(?m)^//\t+(\w+\.go)\b`)

// Check returns a line, file:line: what, for every reference in the package of the folder to
// something that a later file declares, in the order in which doc.go lists the files, and for
// every file that is not listed or not there. Tests and files with build constraints of their
// own are left out.
func Check(dir string) (faults []string, err error) {
	doc, err := os.ReadFile(filepath.Join(dir, "doc.go"))
	if err != nil {
		return nil, err
	}
	place := map[string]int{"doc.go": 0}
	for i, m := range listed.FindAllSubmatch(doc, -1) {
		place[string(m[1])] = i + 1
	}
	fset := token.NewFileSet()
	files, err := parse(fset, dir)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{"doc.go": true}
	for _, f := range files {
		name := filepath.Base(fset.Position(f.Package).Filename)
		seen[name] = true
		if _, ok := place[name]; !ok {
			faults = append(faults, fmt.Sprintf("%s:1: doc.go does not list it", name))
		}
	}
	for name := range place {
		if !seen[name] {
			faults = append(faults, fmt.Sprintf("doc.go:1: there is no %s", name))
		}
	}
	for id, o := range uses(fset, files) {
		from, to := fset.Position(id.Pos()), fset.Position(o.Pos())
		if place[filepath.Base(to.Filename)] > place[filepath.Base(from.Filename)] {
			faults = append(faults, fmt.Sprintf("%s:%d: %s is declared in %s, which comes later", filepath.Base(from.Filename), from.Line, id.Name, filepath.Base(to.Filename)))
		}
	}
	slices.Sort(faults)
	return faults, nil
}

// parse returns the files of the package, without its tests.
func parse(fset *token.FileSet, dir string) (files []*ast.File, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(f.Comments, func(c *ast.CommentGroup) bool { return strings.HasPrefix(c.List[0].Text, "//go:build ") }) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("order: no Go files in " + dir)
	}
	return files, nil
}

// nothing imports no package: what the files declare themselves resolves without.
type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// uses returns what the names in the files stand for, where the package declares it: types,
// functions, methods, fields, variables and constants.
func uses(fset *token.FileSet, files []*ast.File) map[*ast.Ident]types.Object {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	pkg, _ := conf.Check("p", fset, files, info) // errors follow from what was not imported
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() {
			delete(info.Uses, id)
		}
	}
	return info.Uses
}

// Command run sets up, runs and checks the notebooks. The Makefile calls it, from
// anywhere inside the repository:
//
//	go run ./notebooks/run setup        build the kernel's tools, find or install Jupyter
//	go run ./notebooks/run quickstart   setup, run the first notebook, show what it found
//	go run ./notebooks/run test         setup, then every check and test
//	go run ./notebooks/run labtest      run notebooks in JupyterLab, in a browser without a window
//	go run ./notebooks/run lab          open the notebooks in JupyterLab or Notebook
//	go run ./notebooks/run exec x.ipynb run notebooks of any name into notebooks/out
//	go run ./notebooks/run update       run the course's notebooks and keep their outputs
//	go run ./notebooks/run pages        write the course as HTML pages, into notebooks/out/pages
//	go run ./notebooks/run pictures     make the README's pictures anew from the outputs kept
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// app is what the verbs share.
type app struct {
	root    string
	args    []string
	log     *progress
	jupyter *nb.Jupyter
}

var verbs = map[string]func(*app, context.Context) error{
	"setup":      (*app).setup,
	"quickstart": (*app).quickstart,
	"test":       (*app).test,
	"labtest":    (*app).labtest,
	"lab":        (*app).lab,
	"exec":       (*app).exec,
	"update":     (*app).update,
	"pictures":   (*app).pictures,
	"pages":      (*app).pages,
}

func main() {
	verb := ""
	if len(os.Args) > 1 {
		verb = os.Args[1]
	}
	do, ok := verbs[verb]
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: go run ./notebooks/run setup|quickstart|test|labtest|lab|exec|update|pictures|pages [notebook...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, do)
	interrupted := ctx.Err() != nil && verb != "lab" // which is ended so
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "\ninterrupted; the same command goes on from here")
		os.Exit(130)
	case errors.Is(err, errReported):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// errReported is the error of a verb that has said all there is to say.
var errReported = errors.New("reported")

func start(ctx context.Context, do func(*app, context.Context) error) error {
	root, err := nb.Root()
	if err != nil {
		return err
	}
	a := &app{root: root, args: os.Args[2:], log: newProgress(os.Stdout)}
	return do(a, ctx)
}

// environ is the environment for Go commands in the repository. A workspace
// around the clone, or flags such as -mod=mod, must not change what is built;
// and a tree that git does not trust must still build.
func environ(extra ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name != "GOWORK" && name != "GOFLAGS" {
			env = append(env, v)
		}
	}
	return append(append(env, "GOWORK=off", "GOFLAGS=-buildvcs=false"), extra...)
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// test runs all that must hold before a commit. Each check is made even if one
// before it failed, so that one run tells all.
func (a *app) test(ctx context.Context) error {
	a.log.last = setupStages + 6
	if err := a.setup(ctx); err != nil {
		return err
	}
	failed := false
	check := func(name string, f func(context.Context) error) {
		if ctx.Err() != nil {
			return
		}
		err := a.log.run(ctx, name, func(ctx context.Context) (string, error) { return "", f(ctx) })
		if err != nil {
			fmt.Fprintln(a.log.w, err)
			failed = true
		}
	}
	check("gofmt", a.gofmt)
	check("go vet", func(ctx context.Context) error {
		return a.output(ctx, nil, "go", "vet", "./...")
	})
	check("staticcheck", func(ctx context.Context) error {
		cache := filepath.Join(nb.Out(a.root), "staticcheck")
		return a.output(ctx, []string{"STATICCHECK_CACHE=" + cache}, a.kernel("bin", "staticcheck"), "./...")
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := a.log.stream("go test, with every notebook", func() error {
		cmd := exec.CommandContext(ctx, "go", "test", "-timeout", "20m", "./...")
		cmd.Dir, cmd.Stdout, cmd.Stderr = a.root, os.Stdout, os.Stderr
		// The time keeps Go from answering for the notebooks out of its cache: it
		// cannot know that Jupyter has changed.
		cmd.Env = environ("TWORNN_REQUIRE_JUPYTER=1", "TWORNN_TEST_TIME="+time.Now().Format(time.RFC3339Nano))
		gently(cmd)
		return cmd.Run()
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if beamErr := a.log.run(ctx, "go test of twornn/beam", a.beam); beamErr != nil {
		fmt.Fprintln(a.log.w, beamErr)
		failed = true
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if labErr := a.inLab(ctx); labErr != nil {
		err = labErr
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || failed {
		return errReported
	}
	return nil
}

// beam tests the module of its own that runs on Apache Beam. Without a network, where
// its modules are not in Go's cache, it is left out.
func (a *app) beam(ctx context.Context) (string, error) {
	dir := filepath.Join(a.root, "twornn", "beam")
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-timeout", "10m", "./..."}} {
		err := goCommand(ctx, dir, args...)
		if errors.Is(err, errOffline) {
			return "left out: Apache Beam is not in Go's module cache and the network does not give it", nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}

// gofmt fails if a file is not formatted.
func (a *app) gofmt(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT")
	cmd.Dir, cmd.Env = a.root, environ()
	goroot, err := cmd.Output()
	if err != nil {
		return err
	}
	// Beside go itself; it need not be on the PATH.
	program := filepath.Join(strings.TrimSpace(string(goroot)), "bin", "gofmt")
	if _, err := os.Stat(program); err != nil {
		program = "gofmt"
	}
	cmd = exec.CommandContext(ctx, program, "-l", "datasets", "notebooks", "plotting", "twornn")
	cmd.Dir = a.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("gofmt: %w\n%s", err, out)
	}
	if len(out) > 0 {
		return fmt.Errorf("not formatted, run gofmt -w on:\n%s", bytes.TrimSpace(out))
	}
	return nil
}

// output runs a command in the repository and returns what it printed if it failed.
func (a *app) output(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = a.root, environ(env...)
	gently(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s", bytes.TrimSpace(append(out, fmt.Sprintf("\n%s: %v", filepath.Base(name), err)...)))
	}
	return nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// Where nothing is installed the test of JupyterLab is left out, with one sentence.
func TestLabLeftOut(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	var out bytes.Buffer
	a := &app{root: dir, log: &progress{w: &out}}
	if err := a.inLab(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "left out: node 20 or newer is needed"; strings.Count(out.String(), want) != 1 {
		t.Errorf("printed %q, want %q in it", &out, want)
	}

	program(t, dir, "node", "exit 0")
	if _, err := findLabTools(t.Context(), dir); !errors.Is(err, missing("npm is needed to build JupyterLab's front end")) {
		t.Errorf("without npm: %v", err)
	}
	program(t, dir, "npm", "exit 0")
	python := program(t, dir, "python3", "exit 1") // one here may have them, on the PATH or not
	if tools, err := findLabTools(t.Context(), dir); tools.python == python || !errors.As(err, new(missing)) {
		t.Errorf("without the servers: %v, %v", tools, err)
	}
	program(t, dir, "python3", "exit 0")
	if _, err := findLabTools(t.Context(), dir); !errors.As(err, new(missing)) || !strings.Contains(err.Error(), "Chromium") {
		t.Errorf("without a browser: %v", err)
	}
	program(t, dir, "node", "exit 1") // an old one
	if _, err := findLabTools(t.Context(), dir); !errors.As(err, new(missing)) || !strings.Contains(err.Error(), "node 20") {
		t.Errorf("with an old node: %v", err)
	}
}

// What npm cannot reach is missing; what it finds wrong is an error. Neither leaves the
// mark that all was built, and with the mark nothing is built again. How long it takes is
// said before.
func TestBuildLab(t *testing.T) {
	root := t.TempDir()
	var out bytes.Buffer
	a := &app{root: root, log: &progress{w: &out}}
	for _, name := range []string{"package.json", "build.mjs", "page.mjs"} {
		if _, err := nb.Replace(filepath.Join(root, "notebooks", "lab", name), []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	tools := labTools{node: program(t, root, "node", "exit 0"), npm: program(t, root, "npm", "echo 'npm error code EAI_AGAIN'; exit 1")}
	if err := a.buildLab(t.Context(), tools); !errors.As(err, new(missing)) {
		t.Errorf("without a network: %v, want missing", err)
	}
	if want := "two or three minutes"; !strings.Contains(out.String(), want) { // npm itself is silent
		t.Errorf("before npm is called %q is printed, want %q in it", &out, want)
	}
	program(t, root, "npm", "echo 'npm error code ETARGET'; exit 1")
	if err := a.buildLab(t.Context(), tools); err == nil || errors.As(err, new(missing)) || !strings.Contains(err.Error(), "ETARGET") {
		t.Errorf("with a version that there is not: %v", err)
	}
	program(t, root, "npm", "[ $1 = view ] || echo x >> calls")
	calls := func() string {
		data, _ := os.ReadFile(filepath.Join(a.npmDir(), "calls"))
		return string(data)
	}
	for range 2 {
		if err := a.buildLab(t.Context(), tools); err != nil {
			t.Fatal(err)
		}
	}
	if got := calls(); got != "x\n" {
		t.Errorf("npm was called %q, want once", got)
	}
	if _, err := nb.Replace(filepath.Join(root, "notebooks", "lab", "package.json"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := a.buildLab(t.Context(), tools); err != nil {
		t.Fatal(err)
	}
	if got := calls(); got != "x\nx\n" {
		t.Errorf("after a change npm was called %q, want twice", got)
	}
}

// Every version is exact, and everything else is taken as of a day.
func TestLabIsPinned(t *testing.T) {
	lab := filepath.Join("..", "lab")
	data, err := os.ReadFile(filepath.Join(lab, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	for _, versions := range []map[string]string{p.Dependencies, p.DevDependencies} {
		if len(versions) == 0 {
			t.Error("a list of packages is empty")
		}
		for name, version := range versions {
			if !exact.MatchString(version) {
				t.Errorf("%s is at %q, which is not one version", name, version)
			}
		}
	}
	data, err = os.ReadFile(filepath.Join(lab, ".npmrc"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`before=20\d\d-\d\d-\d\d`, `ignore-scripts=true`} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).Match(data) {
			t.Errorf(".npmrc has no line %s", line)
		}
	}
}

// A test that hangs is ended, and is a failure.
func TestTerminate(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := inFolder(ctx, dir, program(t, dir, "sleeper", "sleep 60")); err == nil {
		t.Error("a command that was cancelled did not fail")
	}
}

// program writes a program that a shell runs.
func program(t *testing.T, dir, name, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

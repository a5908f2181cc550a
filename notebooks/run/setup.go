package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// setupStages is how many lines setup prints.
const setupStages = 3

func (a *app) setup(ctx context.Context) error {
	if a.log.last == 0 {
		a.log.last = setupStages
	}
	name := "kernel tools"
	current := a.toolsAreCurrent(ctx)
	if !current {
		name += " (two or three minutes the first time)"
	}
	err := a.log.run(ctx, name, func(ctx context.Context) (string, error) {
		if current {
			return "built before", nil
		}
		return "", a.buildTools(ctx)
	})
	if err != nil {
		return err
	}
	if err := a.log.run(ctx, "modules and build cache", a.warm); err != nil {
		return err
	}
	return a.log.run(ctx, "Jupyter", a.findJupyter)
}

// tools are the programs of notebooks/kernel/go.mod.
var tools = []string{"gonb", "goimports", "gopls", "staticcheck"}

func (a *app) kernel(elem ...string) string {
	return filepath.Join(append([]string{a.root, "notebooks", "kernel"}, elem...)...)
}

// toolsStamp says what the tools are built from. It is written when they all are.
func (a *app) toolsStamp(ctx context.Context) string {
	h := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(a.kernel(name))
		if err != nil {
			return ""
		}
		h.Write(data)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	cmd.Dir, cmd.Env = a.root, environ()
	version, err := cmd.Output()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x %s %s/%s\n", h.Sum(nil), bytes.TrimSpace(version), runtime.GOOS, runtime.GOARCH)
}

func (a *app) toolsAreCurrent(ctx context.Context) bool {
	for _, tool := range tools {
		if _, err := os.Stat(a.kernel("bin", tool)); err != nil {
			return false
		}
	}
	have, err := os.ReadFile(a.kernel("bin", "stamp"))
	return err == nil && string(have) == a.toolsStamp(ctx)
}

// buildTools builds into a folder beside bin and then moves the programs over, so
// that a build that is broken off leaves no half a program behind.
func (a *app) buildTools(ctx context.Context) error {
	if err := os.MkdirAll(a.kernel("bin"), 0o755); err != nil {
		return err
	}
	// Inside bin, since that is what git ignores.
	part := a.kernel("bin", "part")
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := goCommand(ctx, a.kernel(), "build", "-buildvcs=false", "-o", part+string(filepath.Separator), "tool"); err != nil {
		return fmt.Errorf("cannot build the kernel's tools: %w", err)
	}
	for _, tool := range tools {
		if err := os.Rename(filepath.Join(part, tool), a.kernel("bin", tool)); err != nil {
			return err
		}
	}
	return os.WriteFile(a.kernel("bin", "stamp"), []byte(a.toolsStamp(ctx)), 0o644)
}

// warm fills the module cache, where GoNB is told to look and nowhere else, and
// the build cache: else the first cell would compile for half a minute.
func (a *app) warm(ctx context.Context) (string, error) {
	if err := goCommand(ctx, a.root, "mod", "download"); err != nil {
		return "", fmt.Errorf("cannot fetch the modules of go.mod: %w", err)
	}
	if err := goCommand(ctx, a.root, "build", "./..."); err != nil {
		return "", err
	}
	// A cell may use these though no package here does. If go.sum does not know
	// what they need, cells cannot use them either.
	_ = goCommand(ctx, a.root, "build", "github.com/janpfeifer/gonb/gonbui", "github.com/janpfeifer/gonb/cache")
	return "", ctx.Err()
}

// offline finds what the go command says when it would need the network.
var offline = regexp.MustCompile(`dial tcp|no such host|network is unreachable|connection refused|i/o timeout|TLS handshake|disabled by GOPROXY=off|proxyconnect`)

var errOffline = errors.New("modules are missing in Go's cache and the network does not give them; run this once with a network, after that none is needed")

func goCommand(ctx context.Context, dir string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environ(), &out, &out
	gently(cmd)
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case offline.Match(out.Bytes()):
		return errOffline
	}
	return fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(out.Bytes()))
}

// gently makes a cancelled command stop as it would at Ctrl-C.
func gently(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
}

// findJupyter takes the user's own Jupyter, else one it installs: with pip into a
// virtual environment of the repository, else, for root on Debian, with apt-get.
func (a *app) findJupyter(ctx context.Context) (string, error) {
	if _, err := os.Stat(a.aptMark()); err == nil && canApt() {
		// It may do for running notebooks, but not for opening them. And if it
		// cannot be finished now, it may do all the same.
		_ = a.aptInstall(ctx)
	}
	j, err := nb.Find(ctx, a.root)
	how := ""
	if errors.Is(err, nb.ErrNoJupyter) {
		how = "new in notebooks/kernel/venv"
		problem := a.makeVenv(ctx)
		if problem != nil && ctx.Err() == nil && canApt() {
			how = "installed with apt-get"
			problem = a.aptInstall(ctx)
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		j, err = nb.Find(ctx, a.root)
		if err != nil {
			return "", fmt.Errorf("there is no Jupyter that works, and it could not be installed (%w). "+
				"Install JupyterLab and nbconvert in any way you like, for instance \"pip install jupyterlab nbconvert\" or, as root on Debian, "+
				"\"apt-get install jupyter-nbconvert jupyter-notebook\"; then run this again", problem)
		}
	}
	if err != nil {
		return "", err
	}
	a.jupyter = j
	note := fmt.Sprintf("nbconvert %s, %s", j.Version, j.Name)
	if how != "" {
		note += ", " + how
	}
	return note, nil
}

// makeVenv makes the environment and installs the pinned Jupyter. The mark that
// it is whole comes last; without the mark it is made anew.
func (a *app) makeVenv(ctx context.Context) (err error) {
	venv := nb.Venv(a.root)
	if err := os.RemoveAll(venv); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(venv)
		}
	}()
	err = errors.New("no python3 with venv and pip")
	for _, python := range pythons() {
		if err = quiet(ctx, python, "-m", "venv", venv); err == nil {
			break
		}
		os.RemoveAll(venv)
	}
	if err != nil {
		return fmt.Errorf("no python3 here can make a virtual environment: %w", err)
	}
	pip := func(args ...string) error {
		return quiet(ctx, nb.VenvPython(a.root), append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--timeout", "10"}, args...)...)
	}
	// One small package first, without a second try: without a network that fails
	// in seconds. The rest may then be patient.
	if err := pip("--retries", "0", "--no-deps", "traitlets"); err != nil {
		return fmt.Errorf("pip cannot install: %w", err)
	}
	if err := pip("--retries", "3", "-r", nb.Requirements(a.root)); err != nil {
		return fmt.Errorf("pip cannot install Jupyter: %w", err)
	}
	pinned, err := os.ReadFile(nb.Requirements(a.root))
	if err != nil {
		return err
	}
	_, err = nb.Replace(nb.VenvMark(a.root), pinned)
	return err
}

// pythons lists each Python 3 on the PATH, and the system's: the first may be a
// placeholder of a version manager.
func pythons() []string {
	var found []string
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/bin") {
		path := filepath.Join(dir, "python3")
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

func canApt() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Geteuid() == 0
}

// aptMark is the file that says that an installation has begun and not ended.
func (a *app) aptMark() string { return filepath.Join(nb.Out(a.root), "apt-get.unfinished") }

// aptInstall installs what Debian has: nbconvert to run notebooks and the classic
// Notebook to open them.
func (a *app) aptInstall(ctx context.Context) error {
	if _, err := nb.Replace(a.aptMark(), nil); err != nil {
		return err
	}
	if err := aptGet(ctx, "jupyter-nbconvert", "jupyter-notebook"); err != nil {
		return err
	}
	return os.Remove(a.aptMark())
}

// aptGet installs Debian's packages, by what its archive holds now.
func aptGet(ctx context.Context, packages ...string) error {
	// Packages that were unpacked when an installation was broken off have to be
	// configured before others are installed.
	_ = quiet(ctx, "dpkg", "--configure", "-a")
	options := []string{"-q", "-y", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15", "-o", "DPkg::Lock::Timeout=120"}
	if err := quiet(ctx, "apt-get", append(options, "update")...); err != nil {
		return err
	}
	options = append(options, "install", "--no-install-recommends")
	return quiet(ctx, "apt-get", append(options, packages...)...)
}

// quiet runs a command and returns the last line of what it printed if it failed.
func quiet(ctx context.Context, name string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	// Settings for pip elsewhere do not fit a virtual environment.
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "PIP_USER=0", "PIP_TARGET=", "PIP_PREFIX=", "PIP_REQUIRE_VIRTUALENV=0")
	gently(cmd)
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := strings.TrimSpace(out.String())
	return fmt.Errorf("%s: %s", filepath.Base(name), text[strings.LastIndex(text, "\n")+1:])
}

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// labLimit ends a test of JupyterLab that hangs, installing included, and labEach is what
// each notebook adds to it.
const (
	labLimit = 20 * time.Minute
	labEach  = 10 * time.Minute
)

// missing is why JupyterLab cannot be tested here. That is no failure: somebody
// without a browser or npm can still work on the rest.
type missing string

func (m missing) Error() string { return string(m) }

// labtest is the verb: setup, then the notebooks in JupyterLab.
func (a *app) labtest(ctx context.Context) error {
	a.log.last = setupStages + 1
	if err := a.setup(ctx); err != nil {
		return err
	}
	return a.inLab(ctx)
}

// inLab drives JupyterLab in a browser without a window, as notebooks/lab says, and then
// reads what it saved. On a machine that cannot do so it says why. Root on Debian can: what
// is missing is installed with apt-get, as Jupyter is.
func (a *app) inLab(ctx context.Context) error {
	var missed missing
	err := a.log.stream("notebooks in JupyterLab", func() error {
		limit := labLimit + time.Duration(len(a.args))*labEach
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err := a.driveLab(limited)
		switch {
		case errors.As(err, &missed):
			fmt.Fprintf(a.log.w, "    left out: %s.\n", missed)
			return nil
		case err != nil && ctx.Err() == nil && limited.Err() != nil:
			err = fmt.Errorf("not done in %v; %w", limit, err)
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(a.log.w, err)
		return errReported
	}
	return err
}

func (a *app) driveLab(ctx context.Context) error {
	t, err := findLabTools(ctx, a.root)
	if err != nil && t.npm != "" && canApt() {
		fmt.Fprintln(a.log.w, "    apt-get install", strings.Join(labPackages, " "))
		if err := aptGet(ctx, labPackages...); err != nil && ctx.Err() == nil {
			return missing("apt-get could not install what JupyterLab's test needs: " + err.Error())
		}
		t, err = findLabTools(ctx, a.root)
	}
	if err != nil {
		return err
	}
	if err := a.buildLab(ctx, t); err != nil {
		return err
	}

	// The server keeps all it writes here, and shows copies of the notebooks, so that
	// JupyterLab cannot save into what is committed.
	private, err := os.MkdirTemp("", "twornn-lab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	plan, err := a.planLab(filepath.Join(private, "notebooks"))
	if err != nil {
		return err
	}
	plan.Browser, plan.Sandbox = t.browser, os.Geteuid() != 0 // root has to do without
	stop, err := a.serveLab(ctx, t, private, plan)
	if err != nil {
		return err
	}
	defer stop()

	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	path := filepath.Join(private, "plan.json")
	if err := os.WriteFile(path, data, 0o600); err != nil { // it holds the token
		return err
	}
	cmd := exec.CommandContext(ctx, t.node, "drive.mjs", path)
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.npmDir(), a.log.w, a.log.w
	cmd.Env = outsideHome(filepath.Join(private, "home")) // where Chromium leaves files
	terminate(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("JupyterLab did not show what it should; the screen is in notebooks/out/lab/failed.png, the server's words in server.log beside it (%w)", err)
	}
	return plan.checkSaved(filepath.Join(private, "notebooks"))
}

// serverPackages are what Debian has of JupyterLab, and labPackages what the test needs
// beside. node and npm are left to the machine.
var (
	serverPackages = []string{"jupyter-server", "python3-jupyterlab-server"}
	labPackages    = append([]string{"chromium", "fonts-dejavu-core"}, serverPackages...)
)

// labTools are the programs that JupyterLab's front end needs, and to test it a browser.
type labTools struct{ node, npm, python, browser string }

// findLabTools finds all that the test needs.
func findLabTools(ctx context.Context, root string) (labTools, error) {
	t, err := findFrontEnd(ctx, root)
	if err != nil {
		return t, err
	}
	if t.browser = find("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"); t.browser == "" {
		return t, missing("Chromium is needed to look at JupyterLab")
	}
	return t, nil
}

// findFrontEnd finds what builds and serves the front end.
func findFrontEnd(ctx context.Context, root string) (t labTools, err error) {
	t.node = find("node")
	// A version manager's placeholder answers to the name and does not run.
	if t.node == "" || quiet(ctx, t.node, "-e", "process.exit(parseInt(process.version.slice(1)) < 20 ? 1 : 0)") != nil {
		return t, missing("node 20 or newer is needed to build JupyterLab's front end")
	}
	if t.npm = find("npm"); t.npm == "" {
		return t, missing("npm is needed to build JupyterLab's front end")
	}
	for _, python := range append(pythons(), nb.VenvPython(root)) {
		if quiet(ctx, python, "-c", "import jupyter_server, jupyterlab_server") == nil {
			t.python = python
			return t, nil
		}
	}
	return t, missing("no Python here has jupyter_server and jupyterlab_server")
}

// find returns the path of the first of these programs that is there, or "".
func find(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// npmDir is where the front end is built. Go leaves folders with an underscore alone;
// it would search the thousands that npm makes.
func (a *app) npmDir() string { return filepath.Join(nb.Out(a.root), "lab", "_npm") }

// buildLab copies notebooks/lab to where it may grow, and has npm install and build
// there, unless it has done so for the same files.
func (a *app) buildLab(ctx context.Context, t labTools) error {
	dir, src := a.npmDir(), filepath.Join(a.root, "notebooks", "lab")
	sum := sha256.New()
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if slices.Contains([]string{"package.json", ".npmrc", "build.mjs"}, d.Name()) {
			fmt.Fprintf(sum, "%s %d\n%s", d.Name(), len(data), data)
		}
		_, err = nb.Replace(filepath.Join(dir, d.Name()), data)
		return err
	})
	if err != nil {
		return err
	}
	stamp, want := filepath.Join(dir, "stamp"), fmt.Appendf(nil, "%x\n", sum.Sum(nil))
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, want) {
		return nil
	}
	if err := os.RemoveAll(stamp); err != nil {
		return err
	}
	// What npm downloads is not kept twice.
	cache, err := os.MkdirTemp("", "twornn-npm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	fmt.Fprintln(a.log.w, "    npm installs and builds JupyterLab's front end: two or three minutes, this once")
	begin := time.Now()
	// One package first, without a second try: without a network that fails in seconds.
	// The rest may then be patient.
	for _, args := range [][]string{
		{"view", "@jupyterlab/application", "name", "--fetch-retries", "0", "--fetch-timeout", "15000"},
		{"install"},
	} {
		out, err := inFolder(ctx, dir, t.npm, append(args, "--cache", cache, "--loglevel", "error")...)
		switch {
		case err == nil:
		case noRegistry.Match(out):
			return missing("npm does not reach its registry, from where JupyterLab's front end comes")
		default:
			return fmt.Errorf("npm cannot install JupyterLab's front end: %w\n%s", err, bytes.TrimSpace(out))
		}
	}
	installed := time.Since(begin)
	if out, err := inFolder(ctx, dir, t.node, "build.mjs"); err != nil {
		return fmt.Errorf("JupyterLab's front end cannot be built: %w\n%s", err, bytes.TrimSpace(out))
	}
	fmt.Fprintf(a.log.w, "    front end: npm install %.0f s, build %.0f s\n", installed.Seconds(), (time.Since(begin) - installed).Seconds())
	return os.WriteFile(stamp, want, 0o644)
}

// noRegistry finds what npm says where there is no network, or one that refuses.
var noRegistry = regexp.MustCompile(`\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED|E407|E50\d)\b|network timeout`)

func inFolder(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	terminate(cmd)
	out, err := cmd.CombinedOutput()
	return out, err
}

// terminate makes a cancelled command end its children too: node's are browsers, and a
// server's are kernels.
func terminate(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 15 * time.Second
}

// outsideHome is the environment of a program that shall leave nothing in the user's home.
func outsideHome(home string) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HOME=") && !strings.HasPrefix(v, "XDG_") {
			env = append(env, v)
		}
	}
	return append(env, "HOME="+home)
}

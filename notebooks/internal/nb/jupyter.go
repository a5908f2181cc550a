package nb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Root returns the repository's folder: the one at or above the working folder
// that holds notebooks/kernel.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "notebooks", "kernel", "go.mod")); err == nil {
			if strings.Contains(d, string(os.PathListSeparator)) {
				return "", fmt.Errorf("the folder %q has a %q in its name, which PATH cannot hold; give it another name", d, os.PathListSeparator)
			}
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("%s is not inside the repository", dir)
		}
	}
}

// Venv and Requirements are where setup puts a Jupyter of the repository's own,
// and the file that pins it.
func Venv(root string) string { return filepath.Join(root, "notebooks", "kernel", "venv") }
func Requirements(root string) string {
	return filepath.Join(root, "notebooks", "kernel", "requirements.txt")
}

// VenvPython is that environment's Python. Jupyter is called through it and not
// by the scripts beside it, which name the folder they were installed in.
func VenvPython(root string) string { return filepath.Join(Venv(root), "bin", "python") }

// Out is the folder, ignored by git, for all that is made.
func Out(root string) string { return filepath.Join(root, "notebooks", "out") }

// Course returns the paths of the course's notebooks, in order: those named like
// 00_first.ipynb. Others in their folder, such as copies that Jupyter makes, belong to
// the user.
func Course(root string) ([]string, error) {
	dir := filepath.Join(root, "notebooks")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && course.MatchString(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

var course = regexp.MustCompile(`^[0-9]{2}_[a-z0-9_]+\.ipynb$`)

// tempDir makes a folder for one call of Jupyter. It removes those a day old, which
// runs that were killed have left.
func tempDir() (string, error) {
	const prefix = "twornn-jupyter-"
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), prefix) && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(filepath.Join(os.TempDir(), e.Name())) // it may be another user's
		}
	}
	return os.MkdirTemp("", prefix)
}

// Jupyter is a Jupyter that has been seen to work.
type Jupyter struct {
	Version string   // of nbconvert
	Name    string   // where it is, to be shown
	command []string // what "jupyter" is; nil for a venv
	python  string   // the venv's Python; "" for a command
	root    string
}

// ErrNoJupyter says that there is no Jupyter that works.
var ErrNoJupyter = errors.New("there is no Jupyter with nbconvert")

// Find returns the user's own Jupyter, else the one that setup has put into the
// repository. A "jupyter" on the PATH proves nothing: it may be a placeholder of
// a version manager. So each is run, and the first that answers is taken.
func Find(ctx context.Context, root string) (*Jupyter, error) {
	var candidates []*Jupyter
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, "jupyter")
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			candidates = append(candidates, &Jupyter{Name: path, command: []string{path}, root: root})
		}
	}
	if j := InVenv(root); j != nil {
		candidates = append(candidates, j)
	}
	for _, j := range candidates {
		if j.works(ctx) {
			return j, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, ErrNoJupyter
}

// InVenv returns the Jupyter that setup has put into the repository, or nil.
func InVenv(root string) *Jupyter {
	if !InstalledVenv(root) {
		return nil
	}
	return &Jupyter{Name: "notebooks/kernel/venv", python: VenvPython(root), root: root}
}

// In returns the same Jupyter for another copy of the repository.
func (j *Jupyter) In(root string) *Jupyter {
	k := *j
	k.root = root
	return &k
}

// VenvMark is the file written last into the environment, a copy of what was
// asked for; without it, the environment is one that was broken off.
func VenvMark(root string) string { return filepath.Join(Venv(root), "complete") }

// InstalledVenv says whether the environment is whole and of the pinned versions.
func InstalledVenv(root string) bool {
	want, err := os.ReadFile(Requirements(root))
	if err != nil {
		return false
	}
	have, err := os.ReadFile(VenvMark(root))
	return err == nil && bytes.Equal(want, have)
}

// Has says whether Jupyter has a program, such as "lab", and its version.
func (j *Jupyter) Has(ctx context.Context, program string) (version string, ok bool) {
	private, err := tempDir()
	if err != nil {
		return "", false
	}
	defer os.RemoveAll(private)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var out bytes.Buffer
	cmd := j.batch(ctx, private, program, "--version")
	cmd.Dir, cmd.Stdout = private, &out
	if cmd.Run() != nil {
		return "", false
	}
	// Some print warnings before it.
	version = versionLine.FindString(out.String())
	return version, version != ""
}

var versionLine = regexp.MustCompile(`(?m)^\d+(\.\d+)+\S*$`)

func (j *Jupyter) works(ctx context.Context) bool {
	version, ok := j.Has(ctx, "nbconvert")
	if !ok {
		return false
	}
	j.Version = version
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 6 // the first with the options that Execute passes
}

// Command returns a call of one of Jupyter's programs that finds the kernel of
// the repository and keeps its own files in the folder private. Neither does it
// read the user's settings, nor does it write in the user's home.
func (j *Jupyter) Command(ctx context.Context, private, program string, args ...string) *exec.Cmd {
	argv := append(append([]string{}, j.command...), program)
	if j.python != "" {
		module := program
		if program == "lab" {
			module = "jupyterlab"
		}
		argv = []string{j.python, "-m", module}
	}
	argv = append(argv, args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	// An interrupt lets nbconvert stop the kernel, which a kill would leave behind.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "JUPYTER") && name != "IPYTHONDIR" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	// The repository's kernel comes first, so that it hides one of the same name.
	// The user's data folder stays in sight: with "pip install --user" the page's
	// templates lie there.
	path := []string{filepath.Join(j.root, "notebooks", "kernel"), os.Getenv("JUPYTER_PATH"), userData()}
	path = compact(path)
	cmd.Env = append(cmd.Env,
		"JUPYTER_PATH="+strings.Join(path, string(os.PathListSeparator)),
		"JUPYTER_CONFIG_DIR="+filepath.Join(private, "config"),
		"JUPYTER_DATA_DIR="+filepath.Join(private, "data"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(private, "runtime"),
		"IPYTHONDIR="+filepath.Join(private, "ipython"),
	)
	return cmd
}

// batch is Command for a program that asks nobody. Settings of the whole system
// are left out too, and temporary files stay within private, where even those of
// a kernel that was killed are found and removed.
func (j *Jupyter) batch(ctx context.Context, private, program string, args ...string) *exec.Cmd {
	cmd := j.Command(ctx, private, program, args...)
	tmp := filepath.Join(private, "tmp")
	if os.MkdirAll(tmp, 0o700) == nil {
		cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
	}
	cmd.Env = append(cmd.Env, "JUPYTER_NO_CONFIG=1")
	return cmd
}

// userData is where the user's Jupyter keeps its data.
func userData() string {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter")
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter")
	}
	return filepath.Join(home, ".local", "share", "jupyter")
}

func compact(list []string) []string {
	var kept []string
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// Execute has Jupyter run a notebook from the top in a fresh kernel, and writes
// the result to dst. Cells are run to the end even if one fails, so that what
// went wrong can be read from the result: see [Scan]. The notebook runs in an
// empty temporary folder, as it would for its first reader, and what it writes
// beside itself is gone afterwards.
func (j *Jupyter) Execute(ctx context.Context, src, dst string) (*Notebook, error) {
	work, err := tempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	dir := filepath.Join(work, "run")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(src)
	if err != nil {
		return nil, err
	}
	const name = "notebook.ipynb"
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		return nil, err
	}
	return j.execute(ctx, work, dir, name, dst)
}

// ExecuteInPlace is Execute for a notebook that runs in its own folder, as it does when it is
// opened: it finds the files beside it, and what it writes beside itself stays.
func (j *Jupyter) ExecuteInPlace(ctx context.Context, src, dst string) (*Notebook, error) {
	work, err := tempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	return j.execute(ctx, work, filepath.Dir(src), filepath.Base(src), dst)
}

// execute runs the notebook name of the folder dir. Jupyter's own files are in work.
func (j *Jupyter) execute(ctx context.Context, work, dir, name, dst string) (*Notebook, error) {
	cmd := j.batch(ctx, filepath.Join(work, "jupyter"), "nbconvert",
		"--to", "notebook", "--execute", "--allow-errors",
		"--output-dir", filepath.Join(work, "out"), "--output", "notebook",
		"--ExecutePreprocessor.kernel_name=gonb",
		"--ExecutePreprocessor.timeout=3600",
		"--ExecutePreprocessor.startup_timeout=120",
		// By default the last outputs of a cell are lost, without a word, if they come more
		// than four seconds behind its reply.
		"--ExecutePreprocessor.iopub_timeout=120",
		"--ExecutePreprocessor.record_timing=False",
		"--", noPattern.Replace(name))
	cmd.Dir = dir
	if err := run(cmd); err != nil {
		return nil, fmt.Errorf("Jupyter could not run %s: %w", name, err)
	}
	data, err := os.ReadFile(filepath.Join(work, "out", "notebook.ipynb"))
	if err != nil {
		return nil, fmt.Errorf("Jupyter left no notebook: %w", err)
	}
	n, err := Parse(data)
	if err != nil {
		return nil, err
	}
	return n, write(dst, data)
}

// noPattern writes a file's name so that nbconvert, which takes it for a pattern, finds it.
var noPattern = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")

// Page writes an executed notebook as one HTML page that needs no other file and no network:
// formulas are MathML, and there is no script. See [Around] for what stands above and below.
func (j *Jupyter) Page(ctx context.Context, src, dst, title string, around Around) error {
	work, err := tempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	data, err := os.ReadFile(src)
	if err != nil {
		return err
	}
	// The kernel names no language to colour, so that Go would be taken for Python.
	if data, err = Clean(data); err != nil {
		return err
	}
	// The page's title is the file's name.
	if err := os.WriteFile(filepath.Join(work, title+".ipynb"), data, 0o600); err != nil {
		return err
	}
	cmd := j.batch(ctx, filepath.Join(work, "jupyter"), "nbconvert",
		"--to", "html", "--output-dir", filepath.Join(work, "out"), "--output", "page", title+".ipynb")
	cmd.Dir = work
	if err := run(cmd); err != nil {
		return fmt.Errorf("Jupyter could not write the page: %w", err)
	}
	page, err := os.ReadFile(filepath.Join(work, "out", "page.html"))
	if err != nil {
		return fmt.Errorf("Jupyter left no page: %w", err)
	}
	text, err := finish(string(page), around)
	if err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	return write(dst, []byte(text))
}

// run runs a command and returns the end of what it complained about.
func run(cmd *exec.Cmd) error {
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &complaint, &complaint
	err := cmd.Run()
	if err == nil {
		return nil
	}
	// Indented lines are Python's stack, which says nothing to the reader.
	var last []string
	for line := range strings.Lines(complaint.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, " ") {
			last = append(last, "  "+line)
		}
	}
	last = last[max(0, len(last)-8):]
	return fmt.Errorf("%w\n%s", err, strings.Join(last, "\n"))
}

// write replaces a file in one step.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// Replace writes data to path in one step, unless it is there already, and says
// whether it changed anything.
func Replace(path string, data []byte) (changed bool, err error) {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return false, nil
	}
	return true, write(path, data)
}

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/beam"
)

// TestMain runs the command itself where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("TWORNN_RUN_FIT") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command returns the command, to run in dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TWORNN_RUN_FIT=1")
	return cmd
}

// runIn returns what the command prints, and its exit code.
func runIn(t *testing.T, dir string, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := command(t, dir, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// put writes a file of hourly rows, wind after rain.
func put(t *testing.T, name string, rows int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("time,wind,rain\n")
	rnd := rand.New(rand.NewPCG(uint64(rows), 1))
	at, y := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), 0.0
	for range rows {
		u := rnd.NormFloat64()
		y = 0.7*y + 0.4*u + 0.1*rnd.NormFloat64()
		fmt.Fprintf(&b, "%s,%.6f,%.6f\n", at.Format(time.RFC3339), y, u)
		at = at.Add(time.Hour)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// state is what a folder holds, with the sizes and times of files.
func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		} else if err == nil {
			fmt.Fprintln(&b, path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestMistakes: each ends the command with one line that names the place and the cure, and leaves
// every file as it was and no other.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.csv"), 60)
	put(t, filepath.Join(dir, "b.csv"), 50)
	text, err := os.ReadFile(filepath.Join(dir, "b.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bad.txt": string(text) + "2021-01-01T00:00:00Z,x,1\n", "named.txt": "time,name,wind\n2020-01-01,x,1\n2020-01-02,x,2\n2020-01-03,x,3\n", "old.json": "{}", "old.sums": "1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "folder"), 0o777),
		os.Symlink("a.csv", filepath.Join(dir, "link")),
		os.Symlink("nowhere", filepath.Join(dir, "loose")),
		os.Symlink("folder", filepath.Join(dir, "folder2")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		// Flags.
		{"--lenght 4", "there is no flag --lenght; say --length"},
		{"--zzz 4", "there is no flag --zzz; --help lists all"},
		{"--length x", `--length is "x"; give it a whole number`},
		{"--length 99999999999999999999", "give it a whole number"},
		{"--input a.csv --length", "--length has no value"},
		{"--step 24", "10m or 1h"},
		{"--bias=maybe", "true or false"},
		{"---x", "--help"},
		{"", "say --input"},
		{"--input ,", "say --input"},
		{"--input a.csv b.csv", "quote a pattern"},
		{"--input a.csv --runner direct", "prism, flink"},
		{"--input a.csv --runner flink", "--endpoint"},
		{"--input a.csv --rank -1", "--rank and --L"},
		{"--input a.csv --length 0", "1 or more"},
		{"--input a.csv --L 100 --length 4", "--L 100 takes windows of 2 L + 1 = 201 rows of inputs, and --length is 4; lower --L to 1, or raise --length"},
		{"--input a.csv --L 1 --length 2", "leave out --L, or raise --length"},
		{"--input a.csv --target wind,rain,wind", "the target wind is named twice; name each once"},
		{"--input a.csv --length 9223372036854775807", "lower --length or --horizon"},
		{"--input a.csv --horizon 9223372036854775807", "lower --length or --horizon"},
		{"--input a.csv --length 99999999", "no window of 100000000 rows is in the 60 rows"},
		{"--input a.csv --comma xy", "--comma"},
		{"--input a.csv --where x", "column=text"},
		// What is read.
		{"--input a.csv,c*.csv --sums s", "no file is called c*.csv"},
		{"--input a.csv --input c*.csv --sums s", "no file is called c*.csv"},
		{"--input [a", "bracket"},
		{"--input folder", "is a directory; name the files in it"},
		{"--input pipe", "pipe is a pipe or a device"},
		{"--input /dev/zero", "is a pipe or a device"},
		{"--input bad.txt --sums s", "bad.txt, line 52, column wind"},
		{"--input bad.txt --sums old.sums --output old.json", "bad.txt, line 52, column wind"},
		{"--input a.csv --target gust --sums s", "no column gust"},
		{"--input named.txt", "tell series apart by it with --group"},
		{"--input named.txt --group names", "--group may name time, name"},
		// What is written.
		{"--input a.csv --output a.csv", "--output a.csv is one of the files to read"},
		{"--input *.csv --output ./b.csv", "--output ./b.csv is one of the files to read"},
		{"--input a.csv --output link", "--output link is one of the files to read"},
		{"--input link --output a.csv", "--output a.csv is one of the files to read"},
		{"--input a.csv --sums folder/../a.csv", "--sums folder/../a.csv is one of the files to read"},
		{"--input a.csv --sums folder/x --output folder2/x", "are one file"},
		{"--input a.csv --sums x --output ./x", "are one file"},
		{"--input ./?.* --output b", "would be read as one of"},
		{"--input * --output new", "folder"},
		{"--input a.csv --output folder", "is a directory; name a file in it"},
		{"--input a.csv --sums folder", "is a directory; name a file in it"},
		{"--input a.csv --output nowhere/m", "make the folder"},
		{"--input a.csv --sums nowhere/m", "make the folder"},
		{"--input a.csv --output a.csv/m", "make the folder"},
		{"--input a.csv --output loose", "leads to no file"},
		{"--input a.csv --sums pipe", "is a pipe or a device; name a file"},
		{"--input a.csv --sums /dev/null", "is a pipe or a device; name a file"},
		{"--input a.csv --output /proc/m", "cannot be written"},
		{"--input a.csv --output=", "--output is empty"},
		{"--input a.csv --output gs://b/m", "not on this machine"},
		{"--input a.csv --sums what://b/m", "--sums what://b/m"},
	} {
		args := strings.Fields(c.args)
		if !strings.Contains(c.args, "--target") && len(args) > 2 {
			args = append([]string{"--target", "wind"}, args...)
		}
		before := state(t, dir)
		out, errs, code := runIn(t, dir, args...)
		if code == 0 || !strings.Contains(errs, c.want) || strings.Contains(errs, ".part") || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("fit %s ended with %d and printed\n%s%s\nwant one line with %q", c.args, code, out, errs, c.want)
		}
		if after := state(t, dir); after != before {
			t.Errorf("fit %s left\n%s\nof\n%s", c.args, after, before)
		}
	}
}

func TestHelp(t *testing.T) {
	out, errs, code := runIn(t, t.TempDir(), "--help")
	mine, theirs := strings.Index(out, "-input files"), strings.Index(out, "-environment_type")
	if code != 0 || errs != "" || mine < 0 || theirs < mine || strings.Count(out, "-input files") != 1 {
		t.Errorf("ended with %d, own flags at %d, Beam's at %d, errors %q", code, mine, theirs, errs)
	}
}

// TestModelOfTheCommand: that of Fit in a program, once for every file however it is named, and
// nothing is left but what was asked for.
func TestModelOfTheCommand(t *testing.T) {
	dir := t.TempDir()
	var parts []iter.Seq[twornn.Sequence]
	w := datasets.Window{Length: 4, Targets: []string{"wind"}, Bias: true}
	for i, rows := range []int{70, 90, 110} {
		name := filepath.Join(dir, fmt.Sprintf("%d.csv", i))
		put(t, name, rows)
		s, err := datasets.ReadCSV(name, datasets.CSV{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, s.Windows(w))
	}
	windows := datasets.Join(parts...)
	want, err := twornn.Fit(context.Background(), windows, twornn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("1.csv", filepath.Join(dir, "again.csv")); err != nil {
		t.Fatal(err)
	}
	out, errs, code := runIn(t, dir, "--input", "?.csv,./2.csv,again.csv", "--input", filepath.Join(dir, "1.*"),
		"--target", "wind", "--length", "4", "--output", "m.json", "--sums", "kept")
	if code != 0 || !strings.Contains(out, "258 windows of 5 rows from 270 rows in 3 files (0 without rows)") {
		t.Fatalf("ended with %d\n%s%s", code, out, errs)
	}
	m, err := twornn.Load(filepath.Join(dir, "m.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := beam.Open(context.Background(), filepath.Join(dir, "kept"))
	if err != nil || c[4].N() != 258 {
		t.Errorf("kept measurements of %d windows, %v", c[4].N(), err)
	}
	var most float64
	for s := range windows {
		y, z := m.Predict(nil, s.X), want.Predict(nil, s.X)
		most = max(most, math.Abs(y[0]-z[0]))
	}
	if !(most <= 1e-10) {
		t.Errorf("forecasts differ by %.3g", most)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 6 {
		t.Errorf("left %v, %v", names, err)
	}
}

// TestInterrupted: whatever ends a run, nothing of it is left, but the measurements that are whole.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	for i := range 4 {
		put(t, filepath.Join(dir, fmt.Sprintf("%d.csv", i)), 20_000+i)
	}
	for _, c := range []struct {
		signal     syscall.Signal
		at         string // a line that says how far the run is
		want, left string
		older      string // what m.json held before
	}{
		{syscall.SIGINT, "[SDK]", "fit: interrupted; no model was written\n", "", ""},
		{syscall.SIGTERM, "[SDK]", "fit: interrupted; no model was written\n", "", ""},
		{syscall.SIGHUP, "[SDK]", "fit: interrupted; no model was written\n", "", ""},
		{syscall.SIGHUP, " windows of ", "fit: interrupted; no model was written; the measurements of all files are in kept\n", "kept", ""},
		{syscall.SIGTERM, " windows of ", "fit: interrupted; no model was written; the measurements of all files are in kept\n", "kept m.json", "an older model"},
	} {
		if signal.Ignored(c.signal) {
			t.Logf("%v is ignored here, and so by the command: not tried", c.signal)
			continue
		}
		if c.older != "" {
			if err := os.WriteFile(filepath.Join(dir, "m.json"), []byte(c.older), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := command(t, dir, "--input", "*.csv", "--target", "wind", "--output", "m.json", "--sums", "kept", "--verbose")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = w, w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		lines := bufio.NewReader(r)
		var said strings.Builder
		for {
			line, err := lines.ReadString('\n')
			said.WriteString(line)
			if err != nil || strings.Contains(line, c.at) {
				break
			}
		}
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Error(err)
		}
		rest, _ := io.ReadAll(lines)
		r.Close()
		_ = cmd.Wait()
		said.Write(rest)
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(said.String(), c.want) {
			t.Errorf("%v after %q: ended with %d\n%.3000s", c.signal, c.at, code, said.String())
		}
		var left []string
		all, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if !strings.HasSuffix(e.Name(), ".csv") {
				left = append(left, e.Name())
			}
		}
		if strings.Join(left, " ") != c.left {
			t.Errorf("%v after %q: left %v, want %q", c.signal, c.at, left, c.left)
		}
		if now, _ := os.ReadFile(filepath.Join(dir, "m.json")); string(now) != c.older {
			t.Errorf("%v after %q: m.json holds %.20q, want %q", c.signal, c.at, now, c.older)
		}
	}
}

package nb

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// notebook is a notebook of code cells, each given as its fields after the type.
func notebook(cells ...string) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(`{"cell_type":"code",` + c + `}`)
	}
	return `{"cells":[{"cell_type":"markdown","source":"# A title"},` + b.String() +
		`],"metadata":{"kernelspec":{"name":"gonb"}},"nbformat":4}`
}

func stderr(text string) string {
	return fmt.Sprintf(`"execution_count":1,"source":"%%%%\nrun()","outputs":[{"output_type":"stream","name":"stderr","text":%s}]`, quote(text))
}

// box is what GoNB shows of a line at fault, and message what stands behind its place.
func box(cell, line int, message string) string {
	return fmt.Sprintf(`<div style="white-space: pre-wrap;"><span class="gonb-err-hover-area"><span class="gonb-cell-line-info">Cell[%d]: Line %d</span> `+
		`<span class="gonb-err-location">./main.go:11:1: </span></span>%s<div class="gonb-err-context">x := 1</div></div>`, cell, line, message)
}

func boxedStderr(text, box string) string {
	return fmt.Sprintf(`"execution_count":1,"source":"%%%%\nrun()","outputs":[{"output_type":"stream","name":"stderr","text":%s},
		{"output_type":"display_data","metadata":{},"data":{"text/html":%s}}]`, quote(text), quote(box))
}

func quote(text string) string {
	q, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(q)
}

func parse(t *testing.T, text string) *Notebook {
	t.Helper()
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The texts on stderr are GoNB's, as v0.11.4 writes them.
func TestScan(t *testing.T) {
	for _, test := range []struct {
		name, cell string
		want       string // "" is a cell that is well
	}{
		{"quiet", `"execution_count":1,"source":"%%\nrun()","outputs":[]`, ""},
		{"stdout may say anything",
			`"execution_count":1,"source":"run()","outputs":[{"output_type":"stream","name":"stdout","text":"panic: no\nexit status 1\n"}]`, ""},
		{"a warning", stderr("step size halved\n"), ""},
		{"the words within a line", stderr("the child's exit status 1 is expected\n"), ""},
		{"panic", stderr("panic: no data\n\ngoroutine 1 [running]:\nmain.main()\n\t \x1b[7m[[ Cell [1] Line 2 ]]\x1b[0m /x/main.go:9 +0x1\nexit status 2\n"),
			"cell [1] line 2 (run()): panic: no data (exit status 2)"},
		{"panic in another cell's function", stderr("panic: no data\n\t \x1b[7m[[ Cell [7] Line 3 ]]\x1b[0m /x/main.go:9\nexit status 2\n"),
			"cell [1] (run()): panic: no data (exit status 2)"},
		{"exit", stderr("exit status 3\n"), "cell [1] (run()): exit status 3"},
		{"exit after text without a line feed", stderr("almostexit status 3\n"), "cell [1] (run()): almost (exit status 3)"},
		{"exit, in the reply alone", `"execution_count":1,"source":"run()","outputs":[{"output_type":"stream","name":"stderr","text":"no data\n"},` +
			`{"output_type":"error","ename":"ERROR","evalue":"exit status 1","traceback":["exit status 1"]}]`,
			"cell [1] (run()): no data (exit status 1)"},
		{"log.Fatal", stderr("no such file\nexit status 1\n"), "cell [1] (run()): no such file (exit status 1)"},
		{"killed", stderr("signal: killed\n"), "cell [1] (run()): signal: killed"},
		{"interrupted", stderr("^C\nsignal: interrupt\n"), "cell [1] (run()): ^C (signal: interrupt)"},
		{"deadlock", stderr("fatal error: all goroutines are asleep - deadlock!\nexit status 2\n"),
			"cell [1] (run()): fatal error: all goroutines are asleep - deadlock! (exit status 2)"},
		{"a quit that can be found", `"execution_count":1,"source":["%%\n","run()\n","os.Exit(3)"],"outputs":[{"output_type":"stream","name":"stderr","text":["exit status 3\n"]}]`,
			"cell [1] line 3 (os.Exit(3)): exit status 3"},
		{"pieces of one stream", `"execution_count":1,"source":"run()","outputs":[
			{"output_type":"stream","name":"stderr","text":"panic: no "},{"output_type":"stream","name":"stderr","text":"data\nexit status 2\n"}]`,
			"cell [1] (run()): panic: no data (exit status 2)"},
		{"panic whose stack came in parts", boxedStderr("panic: no data\n\nmain.main()\n\t/x/main.go:9 +0x1\nexit status 2\n", box(7, 3, "")+box(1, 2, " +0x1")),
			"cell [1] line 2 (run()): panic: no data (exit status 2)"},
		{"compile error", fmt.Sprintf(`"execution_count":1,"source":"%%%%\nx := 1","outputs":[{"output_type":"display_data","metadata":{},"data":{"text/html":%s}},
			{"output_type":"error","ename":"ERROR","evalue":"failed to run \"go build\": exit status 1","traceback":[]}]`, quote(box(1, 2, "cannot use &#34;a&lt;b&#34;")+box(1, 3, "undefined: y"))),
			`cell [1] line 2 (x := 1): cannot use "a<b"`},
		{"compile error without a place", `"execution_count":1,"source":"%%\nx := 1","outputs":[{"output_type":"error","ename":"ERROR",
			"evalue":"failed to run \"go build\": exit status 1","traceback":[]}]`, `cell [1] (x := 1): failed to run "go build": exit status 1`},
		{"another error", `"execution_count":1,"source":"%cd nowhere","outputs":[{"output_type":"error","ename":"ERROR","evalue":"no such folder","traceback":[]}]`,
			"cell [1] (%cd nowhere): no such folder"},
		{"no figure", display("text/markdown", "**No figure:** plotting: no value is finite"), "cell [1] (draw()): No figure: plotting: no value is finite"},
		{"words on a missing figure", display("text/markdown", "Below is **No figure:** a quotation"), ""},
		{"not run", `"execution_count":null,"source":"%%\nrun()","outputs":[]`, "cell [1] (run()): was not run"},
		{"empty", `"execution_count":null,"source":" ","outputs":[]`, "cell [1] (): is empty, so Jupyter does not run it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := Scan(parse(t, notebook(test.cell)))
			got := ""
			for _, p := range problems {
				got += p.String()
			}
			if got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// Each cell that went wrong is named by its number among the code cells.
func TestScanNamesEachCell(t *testing.T) {
	well := `"execution_count":1,"source":"run()","outputs":[]`
	problems := Scan(parse(t, notebook(well, stderr("exit status 3\n"), well, stderr("signal: killed\n"))))
	if len(problems) != 2 || problems[0].Cell != 2 || problems[1].Cell != 4 {
		t.Errorf("got %v, want problems in cells 2 and 4", problems)
	}
}

// figure is a PNG image of noise, which does not compress: about 3wh bytes.
func figure(t *testing.T, w, h int) string {
	t.Helper()
	src := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{uint8(src.Uint32()), uint8(src.Uint32()), uint8(src.Uint32()), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func display(mediaType, text string) string {
	return fmt.Sprintf(`"execution_count":1,"source":"draw()","outputs":[{"output_type":"display_data","metadata":{},"data":{%s:%s}}]`, quote(mediaType), quote(text))
}

func TestLint(t *testing.T) {
	t.Setenv("HOME", "/somebody")
	small := figure(t, 8, 8)
	for _, test := range []struct {
		name, notebook, want string
	}{
		{"well", notebook(display("image/png", small)), ""},
		{"no figure", notebook(display("text/plain", "hello")), "it shows no figure (image/png)"},
		{"large figure", notebook(display("image/png", figure(t, 200, 200))), "cell [1] (draw()): has a figure of "},
		{"broken figure", notebook(display("image/png", small[:40])), "cell [1] (draw()): has a figure that is not a PNG image"},
		{"not base64", notebook(display("image/png", "!")), "cell [1] (draw()): has a figure that is not base64"},
		{"counts", notebook(display("image/png", small), display("text/plain", "2")), "cell [2] (draw()): has the count 1"},
		{"stderr", notebook(`"execution_count":1,"source":"draw()","outputs":[{"output_type":"stream","name":"stderr","text":"hm\n"},
			{"output_type":"display_data","data":{"image/png":"` + small + `"}}]`), "cell [1] (draw()): wrote to stderr: hm"},
		{"failed", notebook(`"execution_count":1,"source":"draw()","outputs":[{"output_type":"stream","name":"stderr","text":"exit status 3\n"},
			{"output_type":"display_data","data":{"image/png":"` + small + `"}}]`), "cell [1] (draw()): exit status 3"},
		{"root", notebook(display("image/png", small), strings.Replace(display("text/html", "in /repo/file"), ":1", ":2", 1)), "cell [2] (draw()): shows a path of this machine: in /repo/file"},
		{"home", notebook(display("image/png", small), strings.Replace(display("text/plain", "/somebody/x"), ":1", ":2", 1)), "cell [2] (draw()): shows a path of this machine: /somebody/x"},
		{"temporary", notebook(display("image/png", small), strings.Replace(display("text/plain", "/tmp/x"), ":1", ":2", 1)), "cell [2] (draw()): shows a path of this machine: /tmp/x"},
		{"long", notebook(strings.Replace(display("image/png", small), "draw()", "draw()"+strings.Repeat(`\n`, 12)+"end()", 1)), "cell [1] (draw()): has 13 lines, more than 12"},
		{"wide", notebook(strings.Replace(display("image/png", small), "draw()", "draw() // "+strings.Repeat("x", 91), 1)), "cell [1] (draw() // " + strings.Repeat("x", 91) + "): has a line of 101 characters, more than 100"},
		{"kernel", strings.Replace(notebook(display("image/png", small)), `"gonb"`, `"python3"`, 1), `its kernel is "python3", not "gonb"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := Lint(parse(t, test.notebook), "/repo")
			switch {
			case test.want == "" && len(problems) > 0:
				t.Errorf("got %v, want none", problems)
			case test.want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0].String(), test.want)):
				t.Errorf("got %v, want one that begins with %q", problems, test.want)
			}
		})
	}
}

func TestTables(t *testing.T) {
	multi := `"execution_count":1,"source":"","outputs":[{"output_type":"display_data","data":{
		"text/markdown":%s,"text/plain":["method  R2\n","ours    0.4\n"]}}]`
	n := parse(t, notebook(
		fmt.Sprintf(multi, quote("| method | R2 |\n|:--|--:|\n| ours | 0.4 |\n")),
		fmt.Sprintf(multi, quote("*Just text*, with a | in it -- and dashes.")),
		display("text/markdown", "| a |\n|---|\n| 1 |\n")))
	tables := n.Tables()
	if len(tables) != 1 || tables[0] != "method  R2\nours    0.4" {
		t.Errorf("got %q", tables)
	}
}

// Two runs that differ in all that may differ are the same when clean, and what
// is clean stays as it is.
func TestClean(t *testing.T) {
	const a = `{"cells":[{"cell_type":"code","id":"x1","metadata":{"execution":{"shell.execute_reply":"2026-01-01"},"tags":["keep"]},"execution_count":1,
		"source":"%%\nrun()","outputs":[
		{"output_type":"stream","name":"stdout","text":["one\n"]},
		{"output_type":"display_data","metadata":{},"data":{"image/png":"aGk=\n","text/plain":"a\nb"}},
		{"output_type":"stream","name":"stdout","text":"<two> é\n"}]}],
		"metadata":{"kernelspec":{"name":"gonb","display_name":"Go (gonb)"},"language_info":{"name":"go","version":"go1.26.8"}},"nbformat":4,"nbformat_minor":4}`
	const b = `{"cells":[{"cell_type":"code","metadata":{"tags":["keep"],"scrolled":true},"execution_count":1,
		"source":["%%\n","run()"],"outputs":[
		{"output_type":"display_data","metadata":{},"data":{"image/png":"aGk=","text/plain":["a\n","b"]}},
		{"output_type":"stream","name":"stdout","text":"one\n<two> é\n"}]}],
		"metadata":{"kernelspec":{"name":"gonb"}},"nbformat":4,"nbformat_minor":5}`
	cleanA, err := Clean([]byte(a))
	if err != nil {
		t.Fatal(err)
	}
	cleanB, err := Clean([]byte(b))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(cleanA, cleanB) {
		t.Errorf("two runs differ:\n%s\n%s", cleanA, cleanB)
	}
	again, err := Clean(cleanA)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, cleanA) {
		t.Errorf("cleaned twice it differs:\n%s\n%s", cleanA, again)
	}
	for _, text := range []string{"2026", "go1.26", "null"} {
		if bytes.Contains(cleanA, []byte(text)) {
			t.Errorf("%q is left in\n%s", text, cleanA)
		}
	}
	for _, text := range []string{`"keep"`, `"<two> é\n"`, `"execution_count": 1`, `"pygments_lexer": "go"`} {
		if !bytes.Contains(cleanA, []byte(text)) {
			t.Errorf("%s is missing from\n%s", text, cleanA)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"", "[]", `{"cells":[{"source":3}]}`} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("Parse(%q) is no error", text)
		}
	}
	for _, text := range []string{"", "{}", `{"cells":[1]}`} {
		if _, err := Clean([]byte(text)); err == nil {
			t.Errorf("Clean(%q) is no error", text)
		}
	}
}

// The course is what its notebooks are named like; what else lies beside them is the
// user's.
func TestCourse(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "notebooks")
	if err := os.MkdirAll(filepath.Join(dir, "03_folder.ipynb"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"10_last.ipynb", "00_first_one.ipynb", "mine.ipynb", "00_first_one-Copy1.ipynb", "Untitled.ipynb",
		"1_short.ipynb", "001_long.ipynb", "02_notes.txt", "x00_first.ipynb", "02_my wind.ipynb"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Course(root)
	want := []string{filepath.Join(dir, "00_first_one.ipynb"), filepath.Join(dir, "10_last.ipynb")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := Course(t.TempDir()); err == nil {
		t.Error("no error without a folder")
	}
}

// A run that was killed leaves its folder, and one of a later day removes it, but no
// folder of another name and none that may be in use.
func TestTempDir(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	old, err := tempDir()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(tmp, "twornn-data")
	if err := os.MkdirAll(filepath.Join(old, "jupyter"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	used, err := tempDir()
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-25 * time.Hour)
	for _, dir := range []string{old, other} {
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tempDir(); err != nil {
		t.Fatal(err)
	}
	exists := func(dir string) bool { _, err := os.Stat(dir); return err == nil }
	if exists(old) || !exists(other) || !exists(used) {
		t.Errorf("there is the old one: %v, another's: %v, the one in use: %v", exists(old), exists(other), exists(used))
	}
}

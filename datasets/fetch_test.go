package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// server serves text at /wind.csv, breaks off at /cut, and counts its requests.
func server(t *testing.T, text *string, requests *int) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		switch r.URL.Path {
		case "/wind.csv":
			w.Header().Set("Content-Length", fmt.Sprint(len(*text)))
			fmt.Fprint(w, *text)
		case "/cut":
			w.Header().Set("Content-Length", fmt.Sprint(2*len(*text)))
			fmt.Fprint(w, *text)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestFetch(t *testing.T) {
	text, requests := "time,x\n2020-01-01,1\n2020-01-02,2\n"+strings.Repeat("\n", 100_000), 0
	s := server(t, &text, &requests)
	var steps []int64
	o := FetchOptions{Dir: t.TempDir(), Progress: func(done, total int64) {
		if total != int64(len(text)) {
			t.Errorf("%d of %d bytes", done, total)
		}
		steps = append(steps, done)
	}}
	ctx := context.Background()
	path, err := Fetch(ctx, s.URL+"/wind.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	if series, err := ReadCSV(path, CSV{}); err != nil || series.Len() != 2 {
		t.Errorf("%v, %v", series, err)
	}
	if len(steps) < 2 || steps[len(steps)-1] != int64(len(text)) {
		t.Errorf("progress %v", steps)
	}
	// The copy serves until it is to be refreshed, or has another checksum.
	old := text
	text += "2020-01-03,3\n"
	again, err := Fetch(ctx, s.URL+"/wind.csv", o)
	if err != nil || again != path || requests != 1 {
		t.Errorf("%s, %v after %d requests", again, err, requests)
	}
	sum := sha256.Sum256([]byte(text))
	o.SHA256 = strings.ToUpper(hex.EncodeToString(sum[:]))
	if _, err := Fetch(ctx, s.URL+"/wind.csv", o); err != nil || requests != 2 {
		t.Errorf("another checksum: %v after %d requests", err, requests)
	}
	if series, err := ReadCSV(path, CSV{}); err != nil || series.Len() != 3 {
		t.Errorf("%v, %v", series, err)
	}
	// A file with a checksum that is not wanted leaves the copy alone.
	text = old
	o.Refresh = true
	if _, err := Fetch(ctx, s.URL+"/wind.csv", o); err == nil || !strings.Contains(err.Error(), "its checksum is") {
		t.Errorf("a wrong file: %v", err)
	}
	o.SHA256 = ""
	if _, err := Fetch(ctx, s.URL+"/wind.csv", o); err != nil || requests != 4 {
		t.Errorf("refreshed: %v after %d requests", err, requests)
	}
	// Two files of one name are two copies, and nothing else is left in the folder.
	files, err := os.ReadDir(o.Dir)
	if err != nil || len(files) != 1 {
		t.Errorf("%v in the folder, %v", files, err)
	}
}

func TestFetchErrors(t *testing.T) {
	text, requests := "x\n1\n", 0
	s := server(t, &text, &requests)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	dir := t.TempDir()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx     context.Context
		address string
		o       FetchOptions
		want    string
	}{
		{context.Background(), "wind.csv", FetchOptions{}, "it is no address that begins with http:// or https://"},
		{context.Background(), "ftp://x/y", FetchOptions{}, "it is no address"},
		{context.Background(), s.URL + "/wind.csv", FetchOptions{SHA256: "12"}, "it needs 64 hexadecimal digits"},
		{context.Background(), s.URL + "/none", FetchOptions{}, "answers 404 Not Found; check the address"},
		{context.Background(), s.URL + "/cut", FetchOptions{}, "it breaks off after 4 bytes"},
		{context.Background(), gone.URL + "/wind.csv", FetchOptions{}, "save the file there by hand, or try again with a network"},
		{ended, s.URL + "/wind.csv", FetchOptions{}, "context canceled"},
	} {
		c.o.Dir = dir
		path, err := Fetch(c.ctx, c.address, c.o)
		if path != "" || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, %v", c.address, path, err)
		}
		if c.ctx == ended && !errors.Is(err, context.Canceled) {
			t.Errorf("%v is not of the context", err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%v is left", files)
	}
}

// Without a network the copy serves; and the cure for its lack works: a file saved by
// hand where the error says.
func TestFetchOffline(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	o := FetchOptions{Dir: t.TempDir()}
	address := gone.URL + "/a%20b/wind.csv?station=1"
	_, err := Fetch(context.Background(), address, o)
	if err == nil {
		t.Fatal("a server that is gone answers")
	}
	_, after, _ := strings.Cut(err.Error(), "the local copy is ")
	path, _, ok := strings.Cut(after, ": save the file there by hand")
	if !ok || os.WriteFile(path, []byte("x\n1\n"), 0o644) != nil {
		t.Fatalf("no place in %v", err)
	}
	if got, err := Fetch(context.Background(), address, o); err != nil || got != path {
		t.Errorf("%s, %v", got, err)
	}
	o.Refresh = true
	if _, err := Fetch(context.Background(), address, o); err == nil || !strings.Contains(err.Error(), "there is an older copy") {
		t.Errorf("%v", err)
	}
}

func ExampleProgressBar() {
	var line strings.Builder
	bar := ProgressBar(&line)
	for done := int64(0); done <= 2_000_000; done += 500 {
		bar(done, 2_000_000)
	}
	drawn := strings.Split(line.String(), "\r")
	fmt.Println(len(drawn)-1, "times")
	fmt.Print(drawn[51], "\n", drawn[101])
	// Output:
	// 101 times
	// [====================                    ]  50 % of 2.0 MB
	// [========================================] 100 % of 2.0 MB
}

// TestFetchPages: a web page or nothing in place of the file is an error, and no copy is kept or lost;
// with its checksum it is the file.
func TestFetchPages(t *testing.T) {
	kind, body := "", ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	}))
	defer s.Close()
	dir := t.TempDir()
	for _, c := range []struct{ kind, body, want string }{
		{"text/csv", "", "answers with an empty file"},
		{"text/html; charset=utf-8", "<p>log in</p>", "answers with a web page"},
		{"TEXT/HTML", "a,b\n1,2\n", "answers with a web page"},
		{"text/csv", "\ufeff \r\n<!DOCTYPE HTML><title>log in</title>", "answers with a web page"},
		{"", "<html lang=en>" + strings.Repeat(" ", 5000), "answers with a web page"},
		{"text/plain", "a,b\n<html>,2\n", ""},
		{"application/octet-stream", "x", ""},
	} {
		kind, body = c.kind, c.body
		o := FetchOptions{Dir: filepath.Join(dir, fmt.Sprint(len(c.body), c.kind == ""))}
		path, err := Fetch(t.Context(), s.URL+"/wind.csv", o)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s %q: %v", c.kind, c.body, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %s, %v", c.kind, c.body, path, err)
		}
		if files, err := os.ReadDir(o.Dir); err != nil || len(files) > 0 {
			t.Errorf("%s %q: %v is kept, %v", c.kind, c.body, files, err)
		}
		sum := sha256.Sum256([]byte(body))
		o.SHA256 = hex.EncodeToString(sum[:])
		if _, err := Fetch(t.Context(), s.URL+"/wind.csv", o); err != nil {
			t.Errorf("%s %q with its checksum: %v", c.kind, c.body, err)
		}
	}
	// The copy of before stays.
	kind, body = "text/csv", "a,b\n1,2\n"
	o := FetchOptions{Dir: t.TempDir(), Refresh: true}
	path, err := Fetch(t.Context(), s.URL+"/wind.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	kind = "text/html"
	if _, err := Fetch(t.Context(), s.URL+"/wind.csv", o); err == nil {
		t.Error("a page took the place of the copy")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != body {
		t.Errorf("the copy is %q, %v", text, err)
	}
}

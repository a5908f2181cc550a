package datasets

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// FetchOptions says where Fetch keeps files and what it expects of them.
type FetchOptions struct {
	// Dir is the folder of the local copies. Empty means twornn in the user's folder
	// of caches.
	Dir string
	// SHA256 is the checksum of the file in hexadecimal digits. Empty takes any file.
	SHA256 string
	// Refresh fetches the file though there is a copy of it, since a file can grow.
	Refresh bool
	// Progress is called as bytes arrive, with how many there are and how many there
	// will be, −1 if that is not known; see ProgressBar. Nil is silent.
	Progress func(done, total int64)
	// Client makes the request. Nil means http.DefaultClient.
	Client *http.Client
}

// Fetch returns the path of a local copy of the file at an address with http or https,
// for ReadCSV, or os.Open and ReadTUDelft. The first time it fetches the file; from then
// on the copy does, also without a network. A copy that has not the checksum is fetched
// again. A file comes in whole or not at all: what breaks off, or has another checksum,
// leaves the copy of before as it was.
//
// It errs if the address is none, the server cannot be reached and there is no copy,
// it answers with anything but the file, the checksum is another, or ctx ends. Without a checksum an empty
// file and a web page, such as one to log in, are not the file either.
func Fetch(ctx context.Context, address string, o FetchOptions) (string, error) {
	fail := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("datasets: fetching "+inline(address)+": "+format, args...)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fail("it is no address that begins with http:// or https://")
	}
	want := strings.ToLower(strings.TrimSpace(o.SHA256))
	if _, err := hex.DecodeString(want); err != nil || want != "" && len(want) != 2*sha256.Size {
		return fail("FetchOptions.SHA256 is %s; it needs %d hexadecimal digits", quote(o.SHA256), 2*sha256.Size)
	}
	if o.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fail("there is no folder of caches (%w); set FetchOptions.Dir", err)
		}
		o.Dir = filepath.Join(cache, "twornn")
	}
	local := filepath.Join(o.Dir, localName(u))
	if !o.Refresh {
		switch sum, err := checksum(local); {
		case err == nil && (want == "" || sum == want):
			return local, nil
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return fail("the copy cannot be read: %w", err)
		}
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return fail("no copy can be kept: %w", err)
	}
	if err := download(ctx, u, local, want, o); err != nil {
		return fail("%w", err)
	}
	return local, nil
}

// localName returns the name of the copy: that of the file, after some digits that tell
// files of one name apart.
func localName(u *url.URL) string {
	sum := sha256.Sum256([]byte(u.String()))
	name := path.Base(u.Path)
	plain := func(r rune) rune {
		if r < 0x80 && (r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}
	name = strings.Trim(strings.Map(plain, name), "._")
	return hex.EncodeToString(sum[:4]) + "-" + cmp.Or(name[max(0, len(name)-80):], "data")
}

// checksum returns the SHA-256 of a file.
func checksum(local string) (string, error) {
	f, err := os.Open(local)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// download fetches a file to a name of its own, and gives it the name local once it
// is whole.
func download(ctx context.Context, u *url.URL, local, want string, o FetchOptions) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	answer, err := cmp.Or(o.Client, http.DefaultClient).Do(request)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return unreachable(u, local, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s; check the address", u.Host, inline(answer.Status))
	}
	part, err := os.CreateTemp(o.Dir, "part-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	defer part.Close()
	p := &progress{w: part, h: sha256.New(), total: answer.ContentLength, report: o.Progress}
	if _, err := io.Copy(p, answer.Body); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("it breaks off after %s: %w; try again", count(int(p.done), "byte"), err))
	}
	sum := hex.EncodeToString(p.h.Sum(nil))
	if want != "" && sum != want {
		return fmt.Errorf("its checksum is %s, not %s; it is another file, or was changed: if it is right, set FetchOptions.SHA256 to that", sum, want)
	}
	switch {
	case want != "":
	case p.done == 0:
		return fmt.Errorf("%s answers with an empty file; check the address, and try again later", u.Host)
	case isPage(answer.Header.Get("Content-Type"), p.first):
		return fmt.Errorf("%s answers with a web page, to log in, say, and not with data; open the address in a browser, and save the file by hand or take the address that it is at; if the page is what you want, set FetchOptions.SHA256 to %s", u.Host, sum)
	}
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), local)
}

// isPage reports whether an answer of a type, which begins so, is a web page.
func isPage(kind string, first []byte) bool {
	if kind, _, _ = strings.Cut(kind, ";"); strings.EqualFold(strings.TrimSpace(kind), "text/html") {
		return true
	}
	return beginsPage(bytes.TrimPrefix(first, []byte(mark)))
}

// unreachable says what to do without a network.
func unreachable(u *url.URL, local string, err error) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	cure := "save the file there by hand, or try again with a network"
	if _, missing := os.Stat(local); missing == nil {
		cure = "there is an older copy, which is used without FetchOptions.Refresh and with its own SHA256"
	}
	return fmt.Errorf("%s cannot be reached (%w); the local copy is %s: %s", u.Host, err, local, cure)
}

// progress writes, sums and reports what arrives.
type progress struct {
	w           io.Writer
	h           hash.Hash
	done, total int64
	first       []byte // of what arrives
	report      func(done, total int64)
}

func (p *progress) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.first = append(p.first, b[:min(n, max(0, 512-len(p.first)))]...)
	p.h.Write(b[:n])
	p.done += int64(n)
	if p.report != nil {
		p.report(p.done, p.total)
	}
	return n, err
}

// ProgressBar returns a FetchOptions.Progress that draws a bar on one line of w, anew
// for each hundredth, or for each megabyte if the length is not known.
func ProgressBar(w io.Writer) func(done, total int64) {
	const width = 40
	last := int64(-1)
	return func(done, total int64) {
		step := done >> 20
		if total > 0 {
			step = 100 * done / total
		}
		if step == last {
			return
		}
		last = step
		mb := float64(done) / 1e6
		if total <= 0 {
			fmt.Fprintf(w, "\r%.1f MB", mb)
			return
		}
		full := int(min(step, 100)) * width / 100
		fmt.Fprintf(w, "\r[%s%s] %3d %% of %.1f MB", strings.Repeat("=", full), strings.Repeat(" ", width-full), step, float64(total)/1e6)
		if done >= total {
			fmt.Fprintln(w)
		}
	}
}

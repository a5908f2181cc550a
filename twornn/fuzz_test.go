package twornn

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twornn/spectral/twornn/internal/store"
)

// Whatever the text, sealed or not, a model that comes back the same when it is saved, or an
// error in one line; memory for what is there alone.
func FuzzLoad(f *testing.F) {
	text, err := Random(2, 2, 1, 1, pcg(1)).encode()
	if err != nil {
		f.Fatal(err)
	}
	const one = `{"h0":[1],"A":[[[1]]],"Omega":[[1]]}`
	list := func(what string, k int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(what+",", k), ",") + "]"
	}
	for _, s := range []string{string(text), one, "", "{}", "null", "[]", `{"h0":[],"A":[],"Omega":[]}`, strings.Replace(one, "[[[1]]]", "[[[1],[1]]]", 1), strings.Replace(one, "[1]", "[null]", 1),
		`{"h0":` + list("1", 3000) + `,"A":[` + list("[]", 1000) + strings.Repeat(",[]", 2999) + `],"Omega":[[1]]}`, strings.Replace(one, "[[[1]]]", list("[]", 1<<12), 1), strings.Replace(one, "[[1]]", list("[1]", 1<<12), 1),
		strings.Replace(one, "[[[1]]]", strings.Repeat("[", 1<<10)+strings.Repeat("]", 1<<10), 1), strings.Replace(one, "[1]", "[1e400]", 1), strings.Replace(one, "[1]", "[-0]", 1), strings.Replace(one, "[1]", `["]"]`, 1),
		`{"format":"twornn model","version":2}`, `{"version":99999999999999999999}`, `{"h0":{"a":[1]},"A":[[[1]]],"Omega":[[1]]}`, " \t" + one + " \n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, seal bool) {
		if seal {
			text = store.Seal(text)
		}
		m, err := decode(text)
		if err != nil {
			if m != nil || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 1000 {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		text, err = m.encode()
		if err != nil || !json.Valid(text) {
			t.Fatalf("%v, or what is saved is no JSON", err)
		}
		if back, err := decode(store.Seal(text)); err != nil || !sameModel(m, back) {
			t.Fatalf("another model came back: %v", err)
		}
	})
}

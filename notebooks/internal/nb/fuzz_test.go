package nb

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Whatever a notebook holds, it is read, scanned and cleaned without a panic, each problem
// is of a cell that is there, and what was cleaned is a notebook.
func FuzzScan(f *testing.F) {
	cell := func(outputs string) string {
		return `{"cells":[{"cell_type":"code","source":"a\nos.Exit(1)","execution_count":1,"outputs":[` + outputs + `]}]}`
	}
	stderr := func(text string) string {
		b, _ := json.Marshal(text)
		return cell(`{"output_type":"stream","name":"stderr","text":` + string(b) + `}`)
	}
	for _, s := range []string{"", "{}", "null", "[]", cell(""), stderr("exit status 1"), stderr("panic: a\n Cell [1] Line 99999999999999999999\nexit status 2\n"), stderr("Cell[1] Line 2"), stderr("\x1b[0mfatal error: x"), stderr("exit status 1\nexit status 1"),
		stderr("signal: killed (core dumped)"), stderr(strings.Repeat("panic: ", 1<<12)), cell(fmt.Sprintf(`{"output_type":"display_data","data":{"text/html":%s}},{"output_type":"error","ename":"","evalue":"main.go:"}`, quote(box(1, 0, "undefined: x")))), cell(`{"output_type":"error"}`),
		cell(`{"output_type":"display_data","data":{"text/markdown":["**No figure:**"],"image/png":"AAAA"}}`), cell(`{"data":{"text/markdown":1}}`), `{"cells":[null,{"cell_type":"code","source":[]},{"source":{"a":1}}]}`, `{"cells":{}}`, strings.Repeat(`{"cells":[`, 1<<10)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse(data)
		if err != nil {
			return
		}
		code := n.Code()
		for _, p := range Scan(n) {
			if p.Cell < 1 || p.Cell > len(code) || p.Cause == "" || p.Line < 0 {
				t.Fatalf("%+v", p)
			}
			_ = p.String()
		}
		n.Figures()
		n.Tables()
		if clean, err := Clean(data); err == nil {
			if _, err := Parse(clean); err != nil {
				t.Fatalf("what was cleaned is no notebook: %v", err)
			}
		}
	})
}

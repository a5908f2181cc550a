package nb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Notebook is what this package needs of the notebook format, version 4.
type Notebook struct {
	Cells    []Cell `json:"cells"`
	Metadata struct {
		Kernelspec struct {
			Name string `json:"name"`
		} `json:"kernelspec"`
	} `json:"metadata"`
}

// Cell is a cell of a notebook. Code cells alone have a Count and Outputs.
type Cell struct {
	Type     string   `json:"cell_type"`
	Source   Text     `json:"source"`
	Count    *int     `json:"execution_count"`
	Outputs  []Output `json:"outputs"`
	Metadata struct {
		Tags []string `json:"tags"`
	} `json:"metadata"`
}

// Output is one block of a cell's output.
type Output struct {
	Type string `json:"output_type"` // stream, display_data, execute_result or error

	// Of a stream: stdout or stderr, and what was written to it.
	Name string `json:"name"`
	Text Text   `json:"text"`

	// Of a display: the same thing in several forms, by media type.
	Data map[string]json.RawMessage `json:"data"`

	// Of an error.
	Ename  string `json:"ename"`
	Evalue string `json:"evalue"`
}

// Text is text that a notebook may hold in one piece or as a list of lines.
type Text string

// UnmarshalJSON accepts both forms.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = Text(s)
		return nil
	}
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		return err
	}
	*t = Text(strings.Join(lines, ""))
	return nil
}

// Parse reads a notebook.
func Parse(data []byte) (*Notebook, error) {
	n := new(Notebook)
	if err := json.Unmarshal(data, n); err != nil {
		return nil, fmt.Errorf("not a notebook: %w", err)
	}
	return n, nil
}

// Read reads the notebook in a file.
func Read(path string) (*Notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Code returns the code cells, in order. In a fresh kernel the i-th of them,
// counted from one, is the one that Jupyter shows as [i].
func (n *Notebook) Code() []Cell {
	var code []Cell
	for _, c := range n.Cells {
		if c.Type == "code" {
			code = append(code, c)
		}
	}
	return code
}

// In returns a display in one of its forms.
func (o Output) In(mediaType string) (string, bool) {
	raw, ok := o.Data[mediaType]
	if !ok {
		return "", false
	}
	var t Text
	if json.Unmarshal(raw, &t) != nil {
		return "", false
	}
	return string(t), true
}

// Figures returns the base64 texts of all PNG images, in order.
func (n *Notebook) Figures() []string {
	var figures []string
	for _, c := range n.Code() {
		for _, o := range c.Outputs {
			if png, ok := o.In("image/png"); ok {
				figures = append(figures, png)
			}
		}
	}
	return figures
}

// Tables returns, as plain text, each display that is a table in Markdown and
// has a plain form beside it.
func (n *Notebook) Tables() []string {
	var tables []string
	for _, c := range n.Code() {
		for _, o := range c.Outputs {
			markdown, ok := o.In("text/markdown")
			if !ok || !isTable(markdown) {
				continue
			}
			if plain, ok := o.In("text/plain"); ok {
				tables = append(tables, strings.TrimRight(plain, "\n"))
			}
		}
	}
	return tables
}

// isTable says whether text holds the row of dashes under a table's head.
func isTable(markdown string) bool {
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "|") && strings.Contains(line, "--") && strings.Trim(line, "|:- ") == "" {
			return true
		}
	}
	return false
}

// Clean returns an executed notebook in the form in which it is committed: what
// changes from run to run is gone, so that the same outputs give the same bytes.
//
// Times, editor state and the version of the kernel go; the kernel stays "gonb", and
// the language is named to what colours code.
// A cell's pieces of printed text are joined and come first, because GoNB sends
// prints and displays through two pipes and their order is a matter of luck.
func Clean(data []byte) ([]byte, error) {
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a number in a display keeps its digits
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not a notebook: %w", err)
	}
	cells, ok := doc["cells"].([]any)
	if !ok {
		return nil, fmt.Errorf("not a notebook of format 4: it has no list of cells")
	}
	for i, c := range cells {
		cell, ok := c.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("not a notebook: cell %d is not an object", i+1)
		}
		cell["metadata"] = cleanMetadata(cell["metadata"])
		cell["id"] = fmt.Sprintf("cell-%02d", i)
		cell["source"] = lines(cell["source"])
		if outputs, ok := cell["outputs"].([]any); ok {
			cell["outputs"] = cleanOutputs(outputs)
		}
	}
	doc["metadata"] = map[string]any{
		"kernelspec":    map[string]any{"display_name": "Go (twornn)", "language": "go", "name": "gonb"},
		"language_info": map[string]any{"file_extension": ".go", "mimetype": "text/x-go", "name": "go", "pygments_lexer": "go"},
	}
	doc["nbformat"], doc["nbformat_minor"] = 4, 5

	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// cleanMetadata keeps what an author sets by hand: tags, and what to hide.
func cleanMetadata(m any) map[string]any {
	kept := make(map[string]any)
	if m, ok := m.(map[string]any); ok {
		for _, key := range []string{"tags", "jupyter", "slideshow"} {
			if v, ok := m[key]; ok {
				kept[key] = v
			}
		}
	}
	return kept
}

func cleanOutputs(outputs []any) []any {
	text := make(map[string]string)
	rest := []any{}
	for _, o := range outputs {
		output, ok := o.(map[string]any)
		if !ok {
			continue
		}
		if output["output_type"] == "stream" {
			name, _ := output["name"].(string)
			text[name] += joined(output["text"])
			continue
		}
		if data, ok := output["data"].(map[string]any); ok {
			for mediaType, v := range data {
				if strings.HasPrefix(mediaType, "image/") && mediaType != "image/svg+xml" {
					data[mediaType] = strings.ReplaceAll(joined(v), "\n", "")
				} else if strings.HasPrefix(mediaType, "text/") {
					data[mediaType] = lines(v)
				}
			}
		}
		rest = append(rest, output)
	}
	var cleaned []any
	for _, name := range []string{"stdout", "stderr"} {
		if text[name] != "" {
			cleaned = append(cleaned, map[string]any{"name": name, "output_type": "stream", "text": lines(text[name])})
		}
	}
	cleaned = append(cleaned, rest...)
	if cleaned == nil {
		return []any{} // null is not in the format
	}
	return cleaned
}

// joined is text in one piece, lines the same text as a list of lines.
func joined(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, line := range v {
			s, _ := line.(string)
			b.WriteString(s)
		}
		return b.String()
	}
	return ""
}

func lines(v any) []any {
	list := []any{}
	for line := range strings.Lines(joined(v)) {
		list = append(list, line)
	}
	return list
}

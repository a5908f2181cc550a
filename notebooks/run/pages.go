package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// pages writes the course as HTML: a page for each notebook as it is committed, for its
// solutions, and for the index of the paper, with links between them. They need no network,
// and may be moved, all of them together.
func (a *app) pages(ctx context.Context) error {
	course, err := nb.Course(a.root)
	if err != nil {
		return err
	}
	var names []string
	for _, path := range course {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".ipynb"))
	}
	a.log.last = setupStages + len(names) + 1
	if err := a.setup(ctx); err != nil {
		return err
	}
	dir := filepath.Join(nb.Out(a.root), "pages")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for i, path := range course {
		around := nb.Links(neighbour(names, i-1), neighbour(names, i+1))
		err := a.log.run(ctx, filepath.Base(path), func(ctx context.Context) (string, error) {
			return "", a.jupyter.Page(ctx, path, filepath.Join(dir, names[i]+".html"), names[i], around)
		})
		if err != nil {
			return err
		}
	}
	err = a.log.run(ctx, "index and solutions", func(ctx context.Context) (string, error) {
		if err := a.texts(ctx, dir, names); err != nil {
			return "", err
		}
		return "notebooks/out/pages/index.html", writeIndex(a.root, dir, names)
	})
	return err
}

func neighbour(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return ""
	}
	return names[i]
}

// texts makes pages of what is Markdown: the index of the paper and the solutions.
func (a *app) texts(ctx context.Context, dir string, names []string) error {
	page := func(path, name string, around nb.Around) error {
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil // a copy of the course without the solutions
		}
		if err != nil {
			return err
		}
		// A notebook of this one text: nbconvert renders it as it does the others.
		cell := map[string]any{"cell_type": "markdown", "id": "text", "metadata": map[string]any{}, "source": string(text)}
		data, err := json.Marshal(map[string]any{"cells": []any{cell}, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
		if err != nil {
			return err
		}
		made := filepath.Join(dir, name+".ipynb")
		if _, err := nb.Replace(made, data); err != nil {
			return err
		}
		defer os.Remove(made)
		return a.jupyter.Page(ctx, made, filepath.Join(dir, name+".html"), name, around)
	}
	notebooks := filepath.Join(a.root, "notebooks")
	if err := page(filepath.Join(notebooks, "INDEX.md"), "paper", nb.Links("", "")); err != nil {
		return err
	}
	for _, name := range names {
		if err := page(filepath.Join(notebooks, "solutions", name+".md"), "solutions_"+name, nb.Links(name, "")); err != nil {
			return err
		}
	}
	return nil
}

// writeIndex writes the first page: the notebooks in order, each with its title and picture.
func writeIndex(root, dir string, names []string) error {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The course</title><style>
body { font-family: sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em; color: #222; }
li { display: flex; gap: 1.2em; align-items: center; margin: 1em 0; } ol { list-style: none; padding: 0; }
img { width: 240px; border: 1px solid #ddd; }
a { color: #1976d2; text-decoration: none; } a:hover { text-decoration: underline; }
small { color: #666; }
</style></head><body><h1>Linear 2-RNNs and weighted automata: the course</h1>
<p>Each page is a notebook as it was run. <a href="paper.html">The paper, by number</a> finds each result of the paper in them.</p><ol>
`)
	for _, name := range names {
		n, err := nb.Read(filepath.Join(root, "notebooks", name+".ipynb"))
		if err != nil {
			return err
		}
		title := name
		if len(n.Cells) > 0 {
			first, _, _ := strings.Cut(string(n.Cells[0].Source), "\n")
			title = strings.TrimLeft(first, "# ")
		}
		picture, err := os.ReadFile(filepath.Join(root, "notebooks", "pictures", name+".png"))
		if err != nil {
			return err
		}
		if _, err := nb.Replace(filepath.Join(dir, name+".png"), picture); err != nil {
			return err
		}
		fmt.Fprintf(&b, `<li><a href="%s.html"><img src="%s.png" alt=""></a><span><a href="%s.html">%s</a><br><small>%s`, name, name, name, html.EscapeString(title), name)
		if _, err := os.Stat(filepath.Join(dir, "solutions_"+name+".html")); err == nil {
			fmt.Fprintf(&b, `, <a href="solutions_%s.html">solutions</a>`, name)
		}
		b.WriteString("</small></span></li>\n")
	}
	b.WriteString("</ol></body></html>\n")
	_, err := nb.Replace(filepath.Join(dir, "index.html"), []byte(b.String()))
	return err
}

package twornn

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOpenBLAS builds the package with the tag openblas and runs the tests that lean most
// on matrix products.
func TestOpenBLAS(t *testing.T) {
	if testing.Short() || os.Getenv("TWORNN_OPENBLAS") != "" {
		t.Skip("builds the package anew")
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "CGO_LDFLAGS=-lopenblas", "OPENBLAS_NUM_THREADS=1", "TWORNN_OPENBLAS=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	// A program must be linked to tell whether the library is here.
	out, err := run("test", "-tags", "openblas", "-run", "^$", ".")
	if err != nil {
		for _, missing := range []string{"-lopenblas", "C compiler", "gcc", "netlib"} {
			if strings.Contains(out, missing) {
				t.Skip("OpenBLAS, cgo or gonum's netlib is not here, so the tag openblas goes untested: ", strings.TrimSpace(out))
			}
		}
		t.Fatal(out)
	}
	if out, err := run("test", "-tags", "openblas", "-run", "Gram|Collect|Threshold|PredictBatch|Levenberg|LeastSum|Theorem", "."); err != nil {
		t.Error(out)
	}
}

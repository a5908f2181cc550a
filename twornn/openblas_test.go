package twornn

import (
	"os"
	"os/exec"
	"path/filepath"
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
	// A program must be linked to tell whether the library is here; the smallest will do.
	link := exec.CommandContext(t.Context(), "cc", "-x", "c", "-", "-lopenblas", "-o", filepath.Join(t.TempDir(), "empty"))
	link.Stdin = strings.NewReader("int main(void) { return 0; }")
	if out, err := link.CombinedOutput(); err != nil {
		t.Skip("OpenBLAS or a C compiler is not here, so the tag openblas goes untested: ", err, " ", strings.TrimSpace(string(out)))
	}
	if out, err := run("list", "gonum.org/v1/netlib/blas/netlib"); err != nil {
		t.Skip("gonum's netlib is not here, so the tag openblas goes untested: ", strings.TrimSpace(out))
	}
	if out, err := run("test", "-tags", "openblas", "-run", "Gram|Collect|Threshold|PredictBatch|Levenberg|LeastSum|Theorem", "."); err != nil {
		t.Error(out)
	}
}

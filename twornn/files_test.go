package twornn_test

import (
	"testing"

	"github.com/twornn/spectral/twornn/internal/order"
)

// TestFilesReadInOrder: doc.go lists the files so that nothing is met before its file.
func TestFilesReadInOrder(t *testing.T) {
	faults, err := order.Check(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

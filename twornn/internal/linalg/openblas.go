//go:build openblas

package linalg

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/netlib/blas/netlib"
)

// With the tag openblas all matrix products go to the C library that CGO_LDFLAGS names.
func init() { blas64.Use(netlib.Implementation{}) }

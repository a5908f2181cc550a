//go:build !unix

package main

import "time"

var began = time.Now()

// cpu returns the seconds since the program began, where those of the processor are not to be had.
func cpu() float64 { return time.Since(began).Seconds() }

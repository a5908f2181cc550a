// Package beam learns from data that many machines hold: it runs the pass of twornn.Fit over the
// data on Apache Beam, and so on Flink, Spark or any other engine that Beam runs on.
//
//	p, s := sdk.NewPipelineWithRoot()
//	data := beam.Read(s, beam.Files{Pattern: "data/*.csv", Window: datasets.Window{Length: 24, Targets: []string{"wind"}, Bias: true}})
//	beam.Write(s, beam.Collect(s, beam.Options{}, data), "sums")
//	err := beamx.Run(ctx, p)
//	c, err := beam.Open(ctx, "sums")
//	fit, err := twornn.FitCollection(ctx, c, twornn.Options{})
//	err = fit.Save("model.json")
//
// where sdk is github.com/apache/beam/sdks/v2/go/pkg/beam. The command in cmd/fit does all
// this. README.md beside this file has runners, costs, and from what size on it pays.
//
// # What is the same as on one machine
//
// Every sequence carries its place among all the data, and what is kept of the data follows from the
// places and from sums that are the same in any order up to rounding; see twornn.Shard. So the
// model is that of Fit on the files read one after the other in the order of their names,
// whatever the number of files, bundles and workers, in whatever order they come, and whichever
// of them are lost and done again. Sequences without places are summed up alike, but which
// examples are kept then depends on the order of arrival.
//
// # Errors
//
// What is wrong with the data travels with them as text, and Open returns it: a bundle that
// fails would be tried again and again. A file system that fails does fail the bundle.
//
// # Files
//
//	sequence.go  Sequence, the element of a PCollection
//	share.go     what a bundle has gathered, and how it travels
//	store.go     files of any file system: listed, read and written whole
//	collect.go   Collect, Write and Open
//	source.go    files to series
//	parquet.go   the same for Parquet
//	plan.go      what all files together hold, and where each begins
//	read.go      Read
//	words.go     counts of words, prefixes, suffixes and factors
//
// It is a module of its own, so that Beam and what it needs are no part of spectral.
package beam

// Package store keeps files that can be believed when they are read back: JSON objects that
// end in their own checksum, written whole or not at all, and read in bounded memory.
//
// # Files
//
// In this order no file names what a later one declares:
//
//	file.go     reading up to a limit, and writing under another name
//	seal.go     the checksum
//	numbers.go  lists of numbers, one after the other
//	json.go     where a text is no JSON
package store

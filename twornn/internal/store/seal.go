package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// The seal is the last entry of an object: the SHA-256 of the bytes before it.
const (
	before = `,"sha256":"`
	after  = `"}`
	length = len(before) + 2*sha256.Size + len(after)
)

// ErrDamaged says that the contents are not those that were sealed.
var ErrDamaged = errors.New("it was damaged or changed since it was saved: its checksum is not that of its contents; save it again")

// Seal returns the text of a JSON object, which must not be empty, with its checksum as its
// last entry. What is no object stays as it is.
func Seal(object []byte) []byte {
	object = bytes.TrimSpace(object)
	if !bytes.HasSuffix(object, []byte("}")) {
		return object
	}
	body := object[:len(object)-1]
	sum := sha256.Sum256(body)
	return append(append(append(bytes.Clone(body), before...), hex.EncodeToString(sum[:])...), after...)
}

// Open reports whether the object ends in a checksum, and errs with ErrDamaged if that is
// not the one of what stands before it.
func Open(object []byte) (sealed bool, err error) {
	object = bytes.TrimSpace(object)
	at := len(object) - length
	if at < 0 || !bytes.HasPrefix(object[at:], []byte(before)) || !bytes.HasSuffix(object, []byte(after)) {
		return false, nil
	}
	sum := sha256.Sum256(object[:at])
	if string(object[at+len(before):len(object)-len(after)]) != hex.EncodeToString(sum[:]) {
		return true, ErrDamaged
	}
	return true, nil
}

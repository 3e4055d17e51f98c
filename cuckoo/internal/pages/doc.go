// Package pages implements a cuckoo filter that grows page by page.
//
// To read the code, start with set.go, which adds and finds keys. The other
// files are
//
//   - shape.go: the size of pages, and the length of fingerprints
//   - page.go: a table of fingerprints, which split.go splits when it is full
//   - directory.go: finding a key's page, among newer and older ones
//   - codec.go: encodings
package pages

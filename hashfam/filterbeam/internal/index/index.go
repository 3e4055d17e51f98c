// Package index encodes the index of a filter in parts.
//
// An index consists of two lines. The first is JSON, and the second is the
// CRC-32 of the first, without its line end, in eight hexadecimal digits.
package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path"
	"path/filepath"
	"unicode/utf8"
)

// An Index names the files of the parts.
type Index struct {
	Version int    // 1
	Kind    string // of the filters
	Check   uint64 // check value of the family
	Parts   []Part
}

// A Part describes a part's file, which is in the same folder as the index. The
// zero Part has no file and no keys.
type Part struct {
	Name  string
	Bytes int64
	CRC   uint32 // CRC-32 of the file
}

// Table is the table of the CRC-32 (IEEE), which is used for files and blocks.
// CRC-32C cannot tell frames apart, because all frames have the same value:
// each ends with the CRC-32C of the bytes before, followed by four zero bytes.
var Table = crc32.IEEETable

// Append appends the encoded index to dst. It returns an error if a part's name
// is not UTF-8, since JSON cannot contain it.
func (x Index) Append(dst []byte) ([]byte, error) {
	for _, p := range x.Parts {
		if !utf8.ValidString(p.Name) {
			return dst, fmt.Errorf("name of a part is %q, want UTF-8", p.Name)
		}
	}
	line, err := json.Marshal(x)
	if err != nil {
		return dst, err
	}
	return fmt.Appendf(append(dst, line...), "\n%08x\n", crc32.Checksum(line, Table)), nil
}

// Parse decodes an index. It returns an error if data is damaged, or if a
// part's file is not in the same folder as the index.
func Parse(data []byte) (Index, error) {
	var x Index
	line, sum, _ := bytes.Cut(data, []byte("\n"))
	if want := fmt.Sprintf("%08x\n", crc32.Checksum(line, Table)); string(sum) != want {
		return x, fmt.Errorf("checksum of the index is %.20q, want %q", sum, want)
	}
	if err := json.Unmarshal(line, &x); err != nil {
		return x, err
	}
	if x.Version != 1 || len(x.Parts) == 0 {
		return x, fmt.Errorf("index of version %d with %d parts, want version 1 and at least one", x.Version, len(x.Parts))
	}
	for _, p := range x.Parts {
		if p.Name != "" && (path.Base(p.Name) != p.Name || !filepath.IsLocal(p.Name)) {
			return x, fmt.Errorf("name of a part is %q, want the name of a file beside the index", p.Name)
		}
	}
	return x, nil
}

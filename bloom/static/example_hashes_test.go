package static_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// sha1Family says that digests are computed with SHA-1, so that no filter of
// another hash function is used by mistake.
var sha1Family = hashfam.Family{}.Derive("sha1")

// breached returns a filter of the n hashes in a list, which contains a SHA-1
// hash in hexadecimal at the start of each line, in ascending order. The list
// does not need to fit into memory.
func breached(list io.Reader, n uint64) (*static.Filter, error) {
	var failed error
	lines := bufio.NewScanner(list)
	digests := func(yield func(hashfam.Digest) bool) {
		for lines.Scan() {
			var first uint64
			first, failed = strconv.ParseUint(fmt.Sprintf("%.16s", lines.Text()), 16, 64)
			if failed != nil || !yield(hashfam.Probe(first).Digest()) {
				return
			}
		}
		failed = lines.Err()
	}
	f, err := static.NewFromSorted(context.Background(), static.Config{FPRate: 1e-6, Family: sha1Family}, n, digests)
	return f, cmp.Or(failed, err) // if the list cannot be read, n is also wrong
}

// isBreached reports whether a password may be in the list.
func isBreached(f *static.Filter, password string) bool {
	hash := sha1.Sum([]byte(password))
	return f.ContainsDigest(hashfam.Probe(binary.BigEndian.Uint64(hash[:])).Digest())
}

// A published list of password hashes, sorted by SHA-1, becomes a filter.
func Example_publishedPasswordHashes() {
	const list = `5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10434004
7C4A8D09CA3762AF61E59520943DC26494F8941B:42542807
B1B3773A05C0ED0176787A4F1574FF0075F7521E:22334
`
	f, err := breached(strings.NewReader(list), 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(isBreached(f, "password"), isBreached(f, "correct horse"))
	// Output: true false
}

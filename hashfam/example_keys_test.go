package hashfam_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// appendField appends a field and its length, so that the fields of a key
// cannot run into each other.
func appendField(key []byte, field string) []byte {
	key = binary.AppendUvarint(key, uint64(len(field)))
	return append(key, field...)
}

// Each key is a unique sequence of bytes. Reusing one buffer avoids an
// allocation for each key.
func Example_keysThatAreNotStrings() {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 100, FPRate: 1e-6}))
	fam := f.Family()
	var buffer []byte

	id := [16]byte{1, 2, 3} // a UUID
	f.Add(id[:])

	address := netip.MustParseAddr("192.0.2.1")
	buffer = hashfam.Must(address.AppendBinary(buffer[:0]))
	f.Add(buffer)

	number := int64(-42)
	f.AddDigest(fam.SumUint64(uint64(number)))

	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.AddDigest(fam.SumUint64(uint64(day.UnixNano()))) // the time, without its location

	// Several fields: without lengths, "a", "bc" and "ab", "c" would be one key.
	buffer = appendField(appendField(buffer[:0], "a"), "bc")
	f.Add(buffer)

	other := appendField(appendField(nil, "ab"), "c")
	fmt.Println(f.Contains(id[:]), f.Contains(buffer), f.Contains(other))
	// Output: true true false
}

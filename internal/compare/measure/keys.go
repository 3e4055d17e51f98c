package measure

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/filterfam/filterfam/hashfam"
)

// Keys stores keys in a single block of memory, since the garbage collector
// would have to scan ten million slices.
type Keys struct {
	bytes []byte
	ends  []int // ends[i] is the end of key i and the start of key i+1
}

func (k *Keys) Len() int { return len(k.ends) }

func (k *Keys) add(key []byte) {
	k.bytes = append(k.bytes, key...)
	k.ends = append(k.ends, len(k.bytes))
}

// At returns key i, which shares the memory of k.
func (k *Keys) At(i int) []byte {
	start := 0
	if i > 0 {
		start = k.ends[i-1]
	}
	return k.bytes[start:k.ends[i]:k.ends[i]]
}

func randomKeys(source *rand.ChaCha8, n int) Keys {
	k := Keys{bytes: make([]byte, 16*n), ends: make([]int, n)}
	source.Read(k.bytes) // never fails
	for i := range k.ends {
		k.ends[i] = 16 * (i + 1)
	}
	return k
}

// mostKeys is the largest number of keys in a keySet.
const mostKeys = math.MaxUint32 - 1

// A keySet contains distinct keys, which it identifies by their digests. The
// probability that two of 10^7 keys have the same one is below 3e-6. Only the
// first of these is added then.
type keySet struct {
	Keys
	places map[hashfam.Digest]uint32
	order  []uint32 // the places of all added keys, including repeated ones
	family hashfam.Family
}

func newKeySet(keys ...string) *keySet {
	s := &keySet{places: make(map[hashfam.Digest]uint32), family: hashfam.Random()}
	for _, key := range keys {
		s.add([]byte(key))
	}
	return s
}

func (s *keySet) add(key []byte) bool {
	d := s.family.Sum(key)
	place, known := s.places[d]
	if !known {
		place = uint32(s.Len())
		s.places[d] = place
		s.Keys.add(key)
	}
	s.order = append(s.order, place)
	return !known
}

func (s *keySet) has(key []byte) bool {
	_, known := s.places[s.family.Sum(key)]
	return known
}

// read adds a file's lines to set. It never stores the whole file in memory.
func (s Source) read(name string, set, exclude *keySet) (c dropped, err error) {
	in := s.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return c, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil {
			set.bytes = slices.Grow(set.bytes, int(min(info.Size(), 1<<30))) // append would need twice the memory
		}
		in = file
	}
	text := bufio.NewReaderSize(in, 1<<16)
	if magic, _ := text.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(text)
		if err != nil {
			return c, err
		}
		text = bufio.NewReaderSize(z, 1<<16)
	}
	start, _ := text.Peek(8 << 10)
	binary := bytes.IndexByte(start, 0) >= 0
	c, err = distinct(set, text, exclude)
	c.binary = binary
	return c, err
}

// Pathless removes the file name from an error.
func Pathless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// show quotes a file name, which could contain control characters.
func show(name string) string {
	if name == "-" {
		return "standard input"
	}
	return strconv.Quote(filepath.Base(name))
}

const longestKey = 16 << 20 // limits the memory for a file without line breaks

// dropped counts the lines that were ignored.
type dropped struct {
	repeated, empty, excluded int
	binary                    bool // the file does not look like text
}

// distinct adds each line of text to set. It ignores empty lines, repeated
// lines and keys in exclude. Lines end with \n or \r\n, which the last line may
// lack. All other bytes belong to the key.
func distinct(set *keySet, text io.Reader, exclude *keySet) (c dropped, err error) {
	lines, number := bufio.NewScanner(text), 1
	lines.Buffer(nil, longestKey)
	for ; lines.Scan(); number++ {
		switch line := lines.Bytes(); {
		case len(line) == 0:
			c.empty++
		case exclude != nil && exclude.has(line):
			c.excluded++
		case uint64(set.Len()) == mostKeys:
			return c, fmt.Errorf("more than %s keys", Thousands(uint64(mostKeys)))
		case !set.add(line):
			c.repeated++
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return c, fmt.Errorf("line %s is longer than %s bytes; want one key per line", Thousands(number), Thousands(longestKey))
	}
	return c, lines.Err()
}

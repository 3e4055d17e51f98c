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

// Keys holds keys one after another in one block of memory, so that ten million
// of them cost eight bytes each beyond their own and nothing to the garbage
// collector.
type Keys struct {
	bytes []byte
	ends  []int // ends[i] is where key i ends and key i+1 begins
}

// Len returns the number of keys.
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

// randomKeys returns keys of 16 bytes.
func randomKeys(source *rand.ChaCha8, n int) Keys {
	k := Keys{bytes: make([]byte, 16*n), ends: make([]int, n)}
	source.Read(k.bytes) // never fails
	for i := range k.ends {
		k.ends[i] = 16 * (i + 1)
	}
	return k
}

// mostKeys is how many keys a keySet can hold.
const mostKeys = math.MaxUint32 - 1

// A keySet holds distinct Keys. It tells them apart by their digests alone: two
// of 10^7 keys have the same digest with a probability below 3e-6, and then
// only the first is kept.
type keySet struct {
	Keys
	places map[hashfam.Digest]uint32
	order  []uint32 // the places of all keys that were added, repeated ones too
	family hashfam.Family
}

func newKeySet(keys ...string) *keySet {
	s := &keySet{places: make(map[hashfam.Digest]uint32), family: hashfam.Random()}
	for _, key := range keys {
		s.add([]byte(key))
	}
	return s
}

// add adds key and reports whether it was new.
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

// read adds the lines of the file of a flag to set, or of standard input for
// "-". It holds the keys and one line in memory, never the whole file.
func (s Source) read(flag, name string, set, exclude *keySet) (dropped, error) {
	c, err := s.readFile(name, set, exclude)
	if err != nil {
		err = fmt.Errorf("%s %q: %w", flag, name, Pathless(err))
		if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
			err = fmt.Errorf("%w; under go run -C internal/compare, relative paths start at internal/compare", err)
		}
	}
	return c, err
}

func (s Source) readFile(name string, set, exclude *keySet) (c dropped, err error) {
	in := s.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return c, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil {
			set.bytes = slices.Grow(set.bytes, int(min(info.Size(), 1<<30))) // growing step by step would need twice the memory
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

// Pathless removes the file name from an error, because the message contains it
// already.
func Pathless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// show quotes a file name so that it cannot disturb a terminal.
func show(name string) string {
	if name == "-" {
		return "standard input"
	}
	return strconv.Quote(filepath.Base(name))
}

// longestKey bounds the memory that a file without line breaks takes.
const longestKey = 16 << 20

// dropped counts the lines that distinct left out.
type dropped struct {
	repeated, empty, excluded int
	binary                    bool // the file has bytes that no text has
}

// distinct adds each line of text to set unless it is empty, is there already,
// or is in exclude. A line ends with \n or \r\n, the last one perhaps with
// neither; any other byte belongs to the key.
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
		return c, fmt.Errorf("line %s is longer than %s bytes: want one key per line", Thousands(number), Thousands(longestKey))
	}
	return c, lines.Err()
}

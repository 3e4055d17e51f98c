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
	"strconv"

	"github.com/dustin/go-humanize/english"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// A Dataset contains distinct keys for all measurements.
type Dataset struct {
	Members, Absent Keys
	Stream          *Stream  // the keys to count: members or the words of a novel
	About           string   // describes the keys
	Notes           []string // about keys that were ignored or generated
}

// A Source selects the keys of a Dataset: random keys, or keys from files. The
// name "-" means Stdin, and "" means the embedded domains. But if only
// AbsentFile is empty, the absent keys are generated from the members.
type Source struct {
	Synthetic            int // number of random keys, or 0
	KeysFile, AbsentFile string
	Stdin                io.Reader
}

// Load returns the keys from a source.
func Load(s Source) (*Dataset, error) {
	if s.Synthetic > 0 {
		d := SyntheticData(s.Synthetic)
		d.Stream = zipfStream(&d.Members)
		return d, nil
	}
	d := &Dataset{}
	members := newKeySet(data.MaliciousDomains()...)
	memberName := "malicious domains"
	var err error
	if s.KeysFile != "" {
		members, memberName, err = d.loadFile(s, "-keys", s.KeysFile, nil)
	}
	if err != nil {
		return nil, err
	}
	absent, absentName, err := d.loadAbsent(s, members)
	if err != nil {
		return nil, err
	}
	d.Members = members.Keys
	d.Absent = absent.Keys
	d.loadStream(s, members)
	d.About = fmt.Sprintf("Members: %s %s, %.1f bytes each on average. Absent keys to query: %s %s.",
		Thousands(d.Members.Len()), memberName, float64(len(d.Members.bytes))/float64(d.Members.Len()),
		Thousands(d.Absent.Len()), absentName)
	return d, nil
}

// loadAbsent returns keys that are not members, with a description.
func (d *Dataset) loadAbsent(s Source, members *keySet) (*keySet, string, error) {
	switch {
	case s.AbsentFile != "":
		return d.loadFile(s, "-absent", s.AbsentFile, members)
	case s.KeysFile == "":
		return newKeySet(data.BenignDomains()...), "benign domains", nil
	}
	d.note("without -absent, the absent keys are members with random endings; only the last %d bytes of longer members are used", absentEnd)
	return makeAbsent(members), "generated keys", nil
}

// loadFile returns a flag's keys that are not members, with a description.
func (d *Dataset) loadFile(s Source, flag, name string, members *keySet) (*keySet, string, error) {
	keys := newKeySet()
	c, err := s.read(name, keys, members)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name):
		return nil, "", fmt.Errorf("%s %q: %w; with go run -C internal/compare, paths are relative to internal/compare", flag, name, Pathless(err))
	case err != nil:
		return nil, "", fmt.Errorf("%s %q: %w", flag, name, Pathless(err))
	case keys.Len() == 0 && members != nil:
		return nil, "", fmt.Errorf("%s %q: the file contains no key that is not a member; want one per line", flag, name)
	case keys.Len() == 0:
		return nil, "", fmt.Errorf("%s %q: the file contains no key; want one per line", flag, name)
	}
	if c.binary {
		d.note("%s looks like a binary file; each of its lines is used as a key", flag)
	}
	if c.empty+c.repeated+c.excluded > 0 {
		d.note("ignored lines of %s: %s empty, %s repeated, %s members", flag,
			Thousands(c.empty), Thousands(c.repeated), Thousands(c.excluded))
	}
	return keys, english.PluralWord(keys.Len(), "key", "keys") + " of " + show(name), nil
}

func (d *Dataset) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// loadStream uses the lines of -keys as the stream if any line is repeated.
// Otherwise it uses the words of a novel.
func (d *Dataset) loadStream(s Source, members *keySet) {
	if len(members.order) > members.Len() && s.KeysFile != "" {
		d.Stream = streamOf(members, "lines of "+show(s.KeysFile))
		return
	}
	d.Stream = MobyDick()
	if s.KeysFile != "" {
		d.note("no line of -keys is repeated, so the words of a novel are counted instead")
	}
}

const (
	absentGoal = 1_000_000 // absent keys that are generated if none are given
	absentEnd  = 64        // bytes that such a key copies from a member, which may be long
)

// SyntheticData uses a fixed seed to generate n members and at least a million
// absent keys of 16 bytes. For n up to 10^9, the probability that any two of
// them are equal is below 2^-67.
func SyntheticData(n int) *Dataset {
	source := rand.NewChaCha8([32]byte([]byte("filterfam compare synthetic keys")))
	d := &Dataset{Members: randomKeys(source, n), Absent: randomKeys(source, max(n, absentGoal))}
	d.About = fmt.Sprintf("Members: %s of 16 bytes. Absent keys to query: %s others.",
		Counted(n, "random key", "random keys"), Thousands(d.Absent.Len()))
	return d
}

// makeAbsent appends random bytes to members.
func makeAbsent(members *keySet) *keySet {
	random := rand.New(rand.NewPCG(1, 2))
	absent, n := newKeySet(), members.Len()
	var key []byte
	for absent.Len() < min(max(n, 100_000), absentGoal) {
		member := members.At(random.IntN(n))
		key = fmt.Appendf(key[:0], "%s%08x", member[max(0, len(member)-absentEnd):], random.Uint32())
		if !members.has(key) {
			absent.add(key)
		}
	}
	return absent
}

// A Stream is a sequence of keys.
type Stream struct {
	About  string
	keys   Keys     // distinct
	order  []uint32 // indexes in keys
	counts []uint64 // by index in keys
}

// streamOf returns the sequence of keys that were added to a set.
func streamOf(set *keySet, what string) *Stream {
	s := &Stream{keys: set.Keys, order: set.order, counts: make([]uint64, set.Len())}
	for _, place := range s.order {
		s.counts[place]++
	}
	s.About = fmt.Sprintf("%s %s (%s distinct).", Thousands(len(set.order)), what, Thousands(set.Len()))
	return s
}

// MobyDick returns the words of the novel.
func MobyDick() *Stream {
	return streamOf(newKeySet(data.Tokens(data.MobyDick())...), "words of Moby-Dick")
}

// zipfStream draws at least a million keys using Zipf's law with exponent 1.1.
func zipfStream(keys *Keys) *Stream {
	set := newKeySet()
	zipf := rand.NewZipf(rand.New(rand.NewPCG(5, 6)), 1.1, 1, uint64(keys.Len()-1))
	for range max(keys.Len(), 1_000_000) {
		set.add(keys.At(int(zipf.Uint64())))
	}
	return streamOf(set, "keys drawn from a Zipf distribution with exponent 1.1")
}

// Keys stores keys in a single block of memory, because the garbage collector
// would have to scan a slice for each key.
type Keys struct {
	bytes []byte
	ends  []int // ends[i] is the end of key i and the start of key i+1
	size  int   // expected length of bytes
}

func (k *Keys) Len() int { return len(k.ends) }

// add adds a key. The first call allocates the memory for all expected keys,
// because append would need twice the memory. This memory is not allocated
// earlier, because a large file without line breaks results in an error and
// never needs it.
func (k *Keys) add(key []byte) {
	if k.bytes == nil {
		k.bytes = make([]byte, 0, k.size)
	}
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

// A keySet contains distinct keys, which it identifies by their digests. If two
// keys have the same digest, it only adds the first, but among 10^7 keys this
// has a probability below 3e-6.
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
			set.size = int(min(info.Size(), 1<<30))
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

// distinct adds each line of text to set, but ignores empty lines, repeated
// lines and keys in exclude. Lines end with \n or \r\n, which the last line may
// lack. All other bytes belong to the key.
func distinct(set *keySet, text io.Reader, exclude *keySet) (c dropped, err error) {
	const mostKeys = math.MaxUint32 - 1 // since places have 32 bits
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

package measure

import (
	"math"
	"math/rand/v2"

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

// first returns the first n keys. It shares the memory of k.
func (k *Keys) first(n int) *Keys { return &Keys{k.bytes, k.ends[:n]} }

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

// A keySet holds Keys in which no key occurs twice, with their places by
// digest. Of two keys with one digest, which no file has but by chance, the
// later one may stay in twice.
type keySet struct {
	Keys
	places map[hashfam.Digest]uint32
	order  []uint32 // places in the order in which keys came, the known ones too
	family hashfam.Family
}

func newKeySet(keys ...string) *keySet {
	s := &keySet{places: make(map[hashfam.Digest]uint32), family: hashfam.Random()}
	for _, key := range keys {
		s.add([]byte(key))
	}
	return s
}

// add reports whether key was new.
func (s *keySet) add(key []byte) bool {
	d := s.family.Sum(key)
	place, known := s.find(d, key)
	if !known {
		place = uint32(s.Len())
		s.places[d] = place
		s.Keys.add(key)
	}
	s.order = append(s.order, place)
	return !known
}

func (s *keySet) has(key []byte) bool {
	_, known := s.find(s.family.Sum(key), key)
	return known
}

func (s *keySet) find(d hashfam.Digest, key []byte) (place uint32, known bool) {
	place, known = s.places[d]
	return place, known && string(s.At(int(place))) == string(key)
}

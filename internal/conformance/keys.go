package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// families are the families that properties draw from: public, keyed, derived.
var families = []hashfam.Family{
	{},
	hashfam.New(hashfam.Key{1, 2, 3}),
	hashfam.New(hashfam.Key{1, 2, 3}).Derive("derived"),
}

// A Code is the source of a random program or of random changes: its bytes say
// which operation comes next, and with which arguments. After its end every
// number is 0.
type Code struct{ rest []byte }

// Done reports whether no bytes are left.
func (c *Code) Done() bool { return len(c.rest) == 0 }

// Intn reads a number below n: a byte, and a second one if n is above 256.
func (c *Code) Intn(n int) int {
	i := c.next()
	if n > 256 {
		i += c.next() << 8
	}
	return i % n
}

// Bool reads a byte that is odd or even.
func (c *Code) Bool() bool { return c.next()&1 == 1 }

func (c *Code) next() int {
	if c.Done() {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return int(b)
}

// number reads 0 or a number near a power of two: what decoders have to check.
func (c *Code) number() uint64 {
	power := uint64(1) << c.Intn(64)
	return power + []uint64{0, 1, ^uint64(0), -power}[c.Intn(4)]
}

// drawCode draws n/2 to n bytes, all of which are as likely. Slices of rapid
// are short, and their bytes are small.
func drawCode(t *rapid.T, n int) []byte {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 16))
	b := make([]byte, rapid.IntRange(n/2, n).Draw(t, "length"))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// keys reads up to 15 keys of the first ones, or as many copies of very few, or
// up to a thousand keys that follow one another, some of them twice.
func (c *Code) keys(first int) (keys [][]byte) {
	n := c.Intn(32)
	if n < 16 {
		few := first
		if n%4 == 3 {
			few = 3
		}
		for range n {
			keys = append(keys, programKey(c.Intn(few)))
		}
		return keys
	}
	from, length, step := c.Intn(first), c.Intn(256)*(n-15)/4, 1+c.Intn(2)
	for i := range length {
		keys = append(keys, programKey((from+i/step)%first))
	}
	return keys
}

// programKey returns key i of those that programs use: the empty key, texts,
// long keys that differ at the end, and many numbers of eight bytes.
func programKey(i int) []byte {
	switch {
	case i == 0:
		return []byte{}
	case i < 256 && i%8 == 1:
		return fmt.Append(nil, "key ", i)
	case i < 256 && i%8 == 2:
		return fmt.Appendf(nil, "%0*d", 21+i, i)
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(i)*0x9E3779B97F4A7C15)
}

// drawKeys draws up to a hundred keys, most often a few, with empty and long
// ones and repetitions.
func drawKeys(t *rapid.T) [][]byte {
	keys := (&Code{drawCode(t, 40)}).keys(300)
	return keys[:min(len(keys), 100)]
}

// drawn returns what draw returns for a seed.
func drawn[T any](seed int, draw func(*rapid.T) T) T {
	return rapid.Custom(func(t *rapid.T) T {
		rapid.Bool().Draw(t, "one draw at least, which Custom requires")
		return draw(t)
	}).Example(seed)
}

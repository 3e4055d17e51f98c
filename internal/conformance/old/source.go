package old

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Source makes empty structures. [From] returns one for a structure that is
// made from parameters.
type Source[T comparable] struct {
	// Fresh draws a small structure of the family with any parameters.
	Fresh func(*rapid.T, hashfam.Family) T
	// Like returns a structure with the same parameters.
	Like func(T) T
	// Variants returns structures that differ from the argument in a parameter,
	// with its name, or without a name if others follow from it. It is nil if
	// there are none.
	Variants func(T) map[T]string
}

// From returns a Source of structures with parameters that draw draws and with
// which create makes a structure. P is a struct with a field Family. Structures
// return their parameters by a method Params or Config. Variants change one
// field each; those for which create returns an error are left out.
func From[T, P comparable](draw func(*rapid.T) P, create func(P) (T, error)) Source[T] {
	must := func(p P) T {
		f, err := create(p)
		if err != nil {
			panic(err)
		}
		return f
	}
	return Source[T]{
		Fresh: func(t *rapid.T, fam hashfam.Family) T {
			p := draw(t)
			reflect.ValueOf(&p).Elem().FieldByName("Family").Set(reflect.ValueOf(fam))
			return must(p)
		},
		Like:     func(f T) T { return must(parameters(f).(P)) },
		Variants: func(f T) map[T]string { return variants(parameters(f).(P), create) },
	}
}

// variants returns structures of which one parameter differs from p.
func variants[T, P comparable](p P, create func(P) (T, error)) map[T]string {
	found := map[T]string{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[P]()) {
		for _, value := range otherValues(reflect.ValueOf(p).FieldByIndex(field.Index)) {
			q := p
			reflect.ValueOf(&q).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(value).Convert(field.Type))
			g, err := create(q)
			switch {
			case err != nil || parameters(g) == any(p):
			case parameters(g) == any(q):
				found[g] = field.Name
			default:
				found[g] = ""
			}
		}
	}
	return found
}

// Cached returns create with a memory, for structures that take long to plan.
// They need a method Clone.
func Cached[T cloner[T], P comparable](create func(P) (T, error)) func(P) (T, error) {
	var made sync.Map
	return func(p P) (T, error) {
		if f, ok := made.Load(p); ok {
			return f.(T).Clone(), nil
		}
		f, err := create(p)
		if err == nil {
			made.Store(p, f.Clone())
		}
		return f, err
	}
}

// parameters returns what f's method Params or Config returns.
func parameters(f any) any {
	for _, name := range []string{"Params", "Config"} {
		if m := reflect.ValueOf(f).MethodByName(name); m.IsValid() {
			return m.Call(nil)[0].Interface()
		}
	}
	panic(fmt.Sprintf("%T has neither Params nor Config", f))
}

// otherValues returns values for an exported field that has the value v.
func otherValues(v reflect.Value) []any {
	switch {
	case !v.CanInterface():
		return nil
	case v.CanInt():
		return []any{v.Int() + 1, v.Int() - 1, v.Int() * 2, v.Int() / 2, v.Int() + 1<<14}
	case v.CanUint():
		return []any{v.Uint() + 1, v.Uint() + 2, v.Uint() * 2, v.Uint() / 2}
	case v.CanFloat():
		return []any{v.Float() * 0.999, v.Float() / 2}
	case v.Kind() == reflect.Bool:
		return []any{!v.Bool()}
	}
	return []any{v.Interface().(hashfam.Family).Derive("another")}
}

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
		return nil
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

// Digests returns n random digests.
func Digests(rng *rand.Rand, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Digest(rng.Uint64())
	}
	return digests
}

// Probing returns the digest whose probe sequence begins with x.
func Probing(x uint64) hashfam.Digest {
	factor, inverse := uint64(hashfam.Digest(1).Probe()), uint64(1)
	for range 6 { // Newton's iteration doubles the number of correct bits
		inverse *= 2 - factor*inverse
	}
	return hashfam.Digest(x * inverse)
}

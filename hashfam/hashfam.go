// Package hashfam provides the hash functions that all filterfam packages use.
// This comment also describes what their types have in common.
//
// Most programs need only these names:
//
//   - use a secret family: [RandomKey] and [New], or [Random]
//   - hash one key: [Family], [Family.Sum], [Family.SumString]
//   - hash many keys: [Family.SumAll], [Family.SumAllStrings]
//   - test for errors: [ErrParams], [ErrIncompatible], [ErrCorrupt]
//   - save a structure to a file: [WriteFile]
//   - panic where an error would be a mistake in the program: [Must]
//
// These are for special purposes:
//
//   - hash numbers: [Family.SumUint64], [Family.SumAllUint64]
//   - derive several families from one secret: [Family.Derive]
//   - compute positions, shards: [Digest.Probe], [Probe.Next], [Digest.Shard]
//   - inspect an error: [FieldError]
//
// For example:
//
//	key := hashfam.RandomKey() // store key[:] and keep it secret
//	family := hashfam.New(key)
//	digest := family.SumString("example.org")
//
// Each key is hashed once to a 64-bit [Digest], using SipHash-2-4 with a
// 128-bit [Key] (Aumasson and Bernstein, INDOCRYPT 2012). A structure computes
// all other values from this digest. For example, [Digest.Probe] returns the
// first value of a sequence with one value for each hash function of a Bloom
// filter, and [Reduce] maps a 64-bit value to a range of any size. Structures
// cannot distinguish two keys with the same digest, so the false-positive rate
// for n keys cannot be below n/2^64.
//
// The zero [Family] is public: its functions are the same in every process, so
// filters can be merged wherever they were built. But anyone who can choose
// keys can then choose keys that collide. If untrusted parties can choose keys,
// use [RandomKey] to create a secret and [New] to create its family, or use
// [Random] for a family that lives as long as the process.
//
// A Family is a small immutable value that can be copied, compared with == and
// shared by goroutines. Hashing allocates memory only in [Family.SumAll] and
// its variants if dst is too small, in [Family.Derive] if the label is long,
// and for long strings in a build with the tag purego.
//
// # Keys
//
// A key is a sequence of bytes, and equal keys must always have the same bytes.
// For an array such as a UUID, call Add(id[:]). Types such as netip.Addr have a
// method AppendBinary, whose buffer can be reused. An integer needs no bytes:
// [Family.SumUint64] returns its digest. A key of several fields must contain
// their lengths, because otherwise the fields "a" and "bc" would be the same
// key as "ab" and "c".
//
// Convert keys to bytes where their type is known, by appending to a buffer. A
// generic function would allocate memory for each key, because it calls a
// method of an interface or of a type parameter.
//
// # Concurrency
//
// Methods that only read a structure can be called concurrently. A method that
// changes a structure must not be called concurrently with any other method,
// unless its comment says otherwise.
//
// # Zero values
//
// The zero value of a structure can only be decoded into. Methods that take
// keys or change the structure panic if they are called on a zero value, so use
// a constructor.
//
// # Cost
//
// A method that takes one key does not retain or modify it. It does not
// allocate unless the structure must grow, a HeavyHitters widens its counters,
// or a Window begins a part. Batch queries allocate only if dst is too small.
// Accessors return in constant time unless their comment says otherwise.
// Methods that process the whole structure, for example Clone, Merge and
// MarshalBinary, run in linear time.
//
// # Encoding
//
// All structures that can be stored use the same methods for it. AppendBinary,
// MarshalBinary and WriteTo produce the same bytes, called a frame, which
// docs/format.md describes. A frame contains the parameters, the contents and
// the family's check value, but never its key. Equal structures have equal
// frames. MarshalText returns the frame in base64, so that encoding/json stores
// a structure as a string. For a zero value, these methods return [ErrParams].
//
// AppendBinary allocates the frame once if dst is too small. WriteTo writes at
// most 64 KiB at a time and returns the first error of the writer. The bytes
// written until then are not a valid frame, so use [WriteFile] to replace a
// file safely.
//
// UnmarshalBinary, ReadFrom and UnmarshalText decode a frame, including its
// parameters, into the receiver. They do not retain their input. A frame must
// be decoded with the family it was encoded with. A structure in use already
// has a family, and the zero value has the public family, so use functions such
// as NewReceiver to get a receiver for another family. If decoding fails, the
// receiver is unchanged and one of these errors is returned:
//
//   - [ErrCorrupt] if the data is damaged, too short or too long
//   - [ErrVersion] if a later version of the library encoded it
//   - [ErrFamily] if it was encoded with another family
//
// ReadFrom also returns the errors of the reader. It reads exactly one frame,
// so frames can follow one another in a stream. At the end of the stream, the
// error matches both [ErrCorrupt] and io.EOF. If the reader reports how many
// bytes follow, as a regular file or a bytes.Reader does, ReadFrom allocates
// contents of up to 4 GiB once. Otherwise it allocates memory only as bytes
// arrive, and uses at most one and a half times the final size.
//
// Functions such as ReadParams read only a frame's header, which is enough to
// check the structure's size before decoding it.
//
// # Views
//
// A view queries a frame directly, for example in a mapped file. Functions such
// as NewView retain the data, which must not change while the view is used.
// Such functions return the decoding errors, but check only the header and
// sometimes a part of the contents, so call Verify to check the rest. In
// packages bloom and static, they also return [ErrParams] if the contents do
// not start at a multiple of 8 in memory, and errors.ErrUnsupported on a
// big-endian platform or in a build with the tag purego. Other views, and all
// FrameReaders, work in any build and with data at any address.
//
// If a structure cannot change after it was built, its view has the same type.
// Encoding such a view calls Verify first. Other views cannot be encoded,
// because the data that they use is already an encoding. To get a deep copy,
// decode the data.
//
// A mapped file must not be unmapped while a lookup uses it, and must never be
// truncated or overwritten; replace it with a new file, as [WriteFile] does. If
// a program replaces a view while other goroutines use it, it should publish
// the new view with an atomic.Pointer, and unmap the old file in a cleanup
// (runtime.AddCleanup), which runs when no goroutine holds the old view any
// more.
//
// # Printing
//
// String returns a one-line description of a structure and its parameters.
// Format prints this description for every verb, and LogValue returns it to
// log/slog, so that no output contains the family's key. The description is not
// JSON: to publish a structure with package expvar, use an expvar.Func that
// returns the numbers, such as FillRatio and SizeBytes.
package hashfam

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A Key is the secret that selects a [Family]. The zero Key selects the public
// family.
//
// Anyone who knows a Key can choose keys that collide, so store it like any
// other secret, and not together with the filters that use it. To store a Key
// k, write its bytes, k[:]. Printing or logging a Key only outputs
// "hashfam.Key(hidden)", and marshaling it returns [ErrSecret].
type Key [16]byte

// RandomKey returns a random key from crypto/rand.
func RandomKey() Key {
	var k Key
	rand.Read(k[:]) // never returns an error: the program crashes instead
	return k
}

// A Family is a set of hash functions selected by a [Key], or the public family
// if it is the zero value. Families can be compared with ==, and equal families
// compute equal digests.
//
// When a Family, or a struct with an exported Family field, is printed, the
// output contains its check value instead of its key. Package fmt does not call
// methods on unexported fields, so a type with an unexported Family field must
// have its own Format method to hide the key.
type Family struct {
	k0, k1 uint64
}

// New returns the family that key selects. New(Key{}) is the public family, the
// zero Family.
func New(key Key) Family {
	return Family{
		k0: binary.LittleEndian.Uint64(key[:8]),
		k1: binary.LittleEndian.Uint64(key[8:]),
	}
}

// Random returns a family with a random key. Since this key cannot be
// retrieved, other processes cannot decode filters of this family. If filters
// should outlive the process, store a key from [RandomKey] and use New(key)
// instead.
func Random() Family { return New(RandomKey()) }

// Derive returns the family for label, which is determined by f's key and
// label, but behaves as if its key were drawn at random. One secret can
// therefore be used for many filters that should not have the same false
// positives. The key of a family derived from the public family is not secret.
//
// The new key is the 128-bit SipHash-2-4 of the label with f's key. This
// function differs from the 64-bit function that hashes keys.
func (f Family) Derive(label string) Family {
	k0, k1 := siphash.Hash128(f.k0, f.k1, []byte("filterfam derive\x00"+label))
	return Family{k0: k0, k1: k1}
}

// CheckValue returns a number that identifies the family without revealing its
// key. Equal families have equal check values, and different families have
// equal check values with probability 2^-64. Encoded filters contain the check
// value instead of the key.
func (f Family) CheckValue() uint64 {
	v, _ := siphash.Hash128(f.k0, f.k1, []byte("filterfam check"))
	return v
}

// Sum returns the digest of key, its SipHash-2-4. The empty key is a valid key,
// and nil is the same key.
func (f Family) Sum(key []byte) Digest {
	return Digest(siphash.Hash(f.k0, f.k1, key))
}

// SumString is like [Family.Sum] for a string key, which it does not copy.
func (f Family) SumString(key string) Digest {
	return Digest(siphash.Hash(f.k0, f.k1, stringBytes(key)))
}

// SumUint64 is like [Family.Sum] for the eight little-endian bytes of key.
func (f Family) SumUint64(key uint64) Digest {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], key)
	return Digest(siphash.Hash(f.k0, f.k1, b[:]))
}

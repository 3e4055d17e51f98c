package perfect

import "github.com/filterfam/filterfam/hashfam"

// A Filter is a set of keys that was given in full when the filter was built.
// It has a slot for each key, at the index that a minimal perfect hash function
// gives to the key; the slot has a fingerprint of the key and, if the
// [FilterConfig] asks for it, a small value. Both can be replaced in place.
// Make one with [NewFilter]. A Filter must not be copied by value; use
// [Filter.Clone]. A zero Filter is only a receiver for decoding: it contains
// every key, and nothing in it can be replaced.
type Filter struct {
	params FilterParams
	mapping
	slots   slots
	shape   shape
	payload []byte // of the mapping, and the slots
}

// Contains reports whether key may be in the set. False is certain; true is
// wrong with the filter's false-positive rate. O(1) time, no allocation: two
// cache misses for 24 of 25 keys, and a few more for the others.
func (f *Filter) Contains(key []byte) bool { return f.ContainsDigest(f.params.Family.Sum(key)) }

// ContainsString is [Filter.Contains] for a string.
func (f *Filter) ContainsString(key string) bool {
	return f.ContainsDigest(f.params.Family.SumString(key))
}

// ContainsUint64 is [Filter.Contains] for an integer: the key is its eight
// little-endian bytes.
func (f *Filter) ContainsUint64(key uint64) bool {
	return f.ContainsDigest(f.params.Family.SumUint64(key))
}

// ContainsDigest is [Filter.Contains] for a key already hashed by the filter's
// family, Params().Family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool {
	if f.n == 0 {
		return f.isZero()
	}
	return f.slots.has(f.index(d), d)
}

// Value returns the value of key, and whether key may be in the set. The value
// is 0 until SetValue sets it, and if key is not in the set. If the answer is
// wrong, which it is with the filter's false-positive rate, the value is that
// of some key of the set. O(1) time, no allocation.
func (f *Filter) Value(key []byte) (value uint64, found bool) {
	return f.ValueDigest(f.params.Family.Sum(key))
}

// ValueString is [Filter.Value] for a string.
func (f *Filter) ValueString(key string) (value uint64, found bool) {
	return f.ValueDigest(f.params.Family.SumString(key))
}

// ValueUint64 is [Filter.Value] for an integer.
func (f *Filter) ValueUint64(key uint64) (value uint64, found bool) {
	return f.ValueDigest(f.params.Family.SumUint64(key))
}

// ValueDigest is [Filter.Value] for a key already hashed by the filter's
// family.
func (f *Filter) ValueDigest(d hashfam.Digest) (value uint64, found bool) {
	if f.n == 0 {
		return 0, f.isZero()
	}
	slot, width := f.slots.load(f.index(d))
	if slot>>f.slots.value != f.slots.fingerprint(d, width) {
		return 0, false
	}
	return slot & f.slots.valueMask(), true
}

// SetValue replaces the value of key, in place. It reports whether it did: if
// not, key is not in the set, or value needs more than ValueBits bits, and
// nothing has changed. O(1) time, no allocation.
//
// Set values of keys of the set only. For another key SetValue changes, with
// the filter's false-positive rate, the value of a key of the set.
func (f *Filter) SetValue(key []byte, value uint64) bool {
	return f.SetValueDigest(f.params.Family.Sum(key), value)
}

// SetValueString is [Filter.SetValue] for a string.
func (f *Filter) SetValueString(key string, value uint64) bool {
	return f.SetValueDigest(f.params.Family.SumString(key), value)
}

// SetValueUint64 is [Filter.SetValue] for an integer as the key.
func (f *Filter) SetValueUint64(key, value uint64) bool {
	return f.SetValueDigest(f.params.Family.SumUint64(key), value)
}

// SetValueDigest is [Filter.SetValue] for a key already hashed by the filter's
// family.
func (f *Filter) SetValueDigest(d hashfam.Digest, value uint64) bool {
	if f.n == 0 || !f.ContainsDigest(d) || value > f.slots.valueMask() {
		return false
	}
	i := f.index(d)
	slot, _ := f.slots.load(i)
	f.slots.store(i, slot&^f.slots.valueMask()|value)
	return true
}

// Delete removes key from the set: it replaces the fingerprint of key by its
// complement, so that Contains returns false. It reports whether it did; if
// not, key is not in the set, and nothing has changed. [Filter.Restore] undoes
// it. The slot remains, and its value. O(1) time, no allocation.
//
// If the filter's rate is above one half, some keys of the set have no
// fingerprint. Delete returns false for them, and they stay.
//
// Delete keys of the set only. Another key may be taken for one of the set,
// with the filter's false-positive rate, and Delete then removes that one.
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.params.Family.Sum(key)) }

// DeleteString is [Filter.Delete] for a string.
func (f *Filter) DeleteString(key string) bool {
	return f.DeleteDigest(f.params.Family.SumString(key))
}

// DeleteUint64 is [Filter.Delete] for an integer.
func (f *Filter) DeleteUint64(key uint64) bool {
	return f.DeleteDigest(f.params.Family.SumUint64(key))
}

// DeleteDigest is [Filter.Delete] for a key already hashed by the filter's
// family.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool { return f.invert(d, 0) }

// Restore adds a key again that [Filter.Delete] removed. It reports whether it
// did; if not, key was not removed, and nothing has changed. O(1) time, no
// allocation.
//
// Restore keys only that Delete removed. For any other key it may, with the
// filter's false-positive rate, remove a key of the set.
func (f *Filter) Restore(key []byte) bool { return f.RestoreDigest(f.params.Family.Sum(key)) }

// RestoreString is [Filter.Restore] for a string.
func (f *Filter) RestoreString(key string) bool {
	return f.RestoreDigest(f.params.Family.SumString(key))
}

// RestoreUint64 is [Filter.Restore] for an integer.
func (f *Filter) RestoreUint64(key uint64) bool {
	return f.RestoreDigest(f.params.Family.SumUint64(key))
}

// RestoreDigest is [Filter.Restore] for a key already hashed by the filter's
// family.
func (f *Filter) RestoreDigest(d hashfam.Digest) bool { return f.invert(d, ^uint64(0)) }

// invert replaces the fingerprint at d's index by its complement if it is the
// fingerprint of d XOR from. It reports whether it was. A slot may lack a
// fingerprint if the rate is above one half.
func (f *Filter) invert(d hashfam.Digest, from uint64) bool {
	if f.n == 0 {
		return false
	}
	i := f.index(d)
	slot, width := f.slots.load(i)
	all := uint64(1)<<(width-f.slots.value) - 1
	if all == 0 || slot>>f.slots.value != f.slots.fingerprint(d, width)^from&all {
		return false
	}
	f.slots.store(i, slot^all<<f.slots.value)
	return true
}

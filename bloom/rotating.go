package bloom

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ring"
)

// A Rotating is a Bloom filter that forgets old keys: it reports whether a key
// was added within a window, for example of the last million keys or of the
// last hour. It is a ring of filters, called generations. Keys are added to the
// newest generation until it is full or its time is over. Then the oldest
// generation is cleared and becomes the newest one. This generalizes double
// buffering (Chang, Feng and Li, INFOCOM 2004).
//
// The window consists of G parts, the Parts of the [RotatingConfig], each
// rounded up to a whole number of keys or nanoseconds. It needs G+1
// generations, because the newest one is not full yet, and a lookup of an
// absent key queries all of them. A key is remembered for the whole window, and
// for no longer than G+1 parts, so EstimatedLen may count keys that are older
// than the window.
//
// A Rotating uses neither a clock nor a goroutine: the caller sets the time
// using [Rotating.Advance]. Two Rotatings cannot be merged, because their
// windows end at different times. A Rotating must not be copied by value; use
// [Rotating.Clone] instead.
type Rotating struct {
	stages // the generations
	config RotatingConfig
	ring   ring.Ring
}

// NewRotating returns an empty filter for c. It returns [hashfam.ErrParams],
// naming the field, if c is invalid, or if a generation would be too large or
// its rate too low for 64-bit digests.
func NewRotating(c RotatingConfig) (*Rotating, error) {
	c, p, err := c.plan() // if there is an error, p has no bits
	bytes := uint64(c.Parts+1) * p.SizeBytes()
	if err := cmp.Or(err, errs.Fits(hashfam.ErrParams, "RotatingConfig.Keys", c.Keys, bytes)); err != nil {
		return nil, err
	}
	return &Rotating{newStages(p, c.Parts+1), c, c.ring()}, nil
}

// NewRotatingReceiver is like [NewReceiver] for a Rotating.
func NewRotatingReceiver(fam hashfam.Family) *Rotating {
	return &Rotating{config: RotatingConfig{Family: fam}, stages: stages{hash: fam.Hasher(0)}}
}

// Add adds key to the window, as its last key or at the time of the last
// [Rotating.Advance]. Adding a key again extends the time for which it is
// remembered. In a window of keys, Add clears the oldest generation if the
// newest one is full.
func (r *Rotating) Add(key []byte) { r.AddDigest(r.hash.Sum(key)) }

// AddString is like [Rotating.Add] for a string key.
func (r *Rotating) AddString(key string) { r.AddDigest(r.hash.SumString(key)) }

// AddDigest is like [Rotating.Add] for a key's digest.
func (r *Rotating) AddDigest(d hashfam.Digest) {
	if r.ring.Count() {
		r.forget(1)
	}
	r.newest().AddDigest(d)
}

// AddAll calls AddDigest for each digest. Use Family().SumAll to compute the
// digests.
func (r *Rotating) AddAll(digests []hashfam.Digest) {
	for _, d := range digests {
		r.AddDigest(d)
	}
}

// ContainsOrAdd reports whether key may have been added within the window, and
// adds it otherwise. If it is called continuously with the same key, it returns
// false once every 1 to 1+1/G windows, so it can be used to do something only
// once in this time. If a key should be remembered for as long as it is
// queried, call Contains and then Add instead.
func (r *Rotating) ContainsOrAdd(key []byte) bool { return r.ContainsOrAddDigest(r.hash.Sum(key)) }

// ContainsOrAddString is like [Rotating.ContainsOrAdd] for a string key.
func (r *Rotating) ContainsOrAddString(key string) bool {
	return r.ContainsOrAddDigest(r.hash.SumString(key))
}

// ContainsOrAddDigest is like [Rotating.ContainsOrAdd] for a key's digest.
func (r *Rotating) ContainsOrAddDigest(d hashfam.Digest) bool {
	if r.ContainsDigest(d) {
		return true
	}
	r.AddDigest(d)
	return false
}

// Advance moves the end of the window to t, and forgets all keys that are older
// than Span + Span/G. If an earlier call had a later time, Advance does
// nothing, and keys will still be added at the later time. Keys that were added
// before the first call of Advance count as added at the time of that first
// call. All times before 1677 are treated as the same time, and so are all
// times after 2262.
//
// If Span is 0, Advance has no effect. It runs in constant time unless it
// clears generations.
func (r *Rotating) Advance(t time.Time) { r.forget(r.ring.Advance(t)) }

// forget clears the n oldest generations and makes them the newest ones.
func (r *Rotating) forget(n uint64) {
	r.made()
	begun := ring.Turn(r.list, n)
	for i := range begun {
		begun[i].Reset()
	}
}

// Reset removes all keys and forgets the time.
func (r *Rotating) Reset() {
	r.forget(uint64(len(r.list)))
	r.ring.Reset()
}

// Config returns the filter's configuration. If Parts was 0, it is now the
// default.
func (r *Rotating) Config() RotatingConfig { return r.config }

// Clone returns a deep copy of r.
func (r *Rotating) Clone() *Rotating {
	c := *r
	c.stages = r.stages.clone()
	return &c
}

// Equal reports whether r and other have equal configurations, bits and
// positions.
func (r *Rotating) Equal(other *Rotating) bool {
	return other != nil && r.config == other.config && r.ring == other.ring && r.stages.equal(&other.stages)
}

// String describes r in one line.
func (r Rotating) String() string {
	c := r.config
	window := fmt.Sprintf("the last %d keys", c.Keys)
	if c.Span != 0 {
		window = fmt.Sprintf("%v with %d keys", c.Span, c.Keys)
	}
	return fmt.Sprintf("bloom.Rotating(%v, %s, %d parts, rate %g, family %v)",
		c.Layout, window, c.Parts, c.FPRate, c.Family)
}

// Format prints the result of String for every verb.
func (r Rotating) Format(f fmt.State, _ rune) { fmt.Fprint(f, r.String()) }

// LogValue returns the result of String for package log/slog.
func (r Rotating) LogValue() slog.Value { return slog.StringValue(r.String()) }

package conformance_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// A set is a bag that is built from digests and does not change.
type set struct{ reader }

func (s *set) Equal(o *set) bool { return s.equal(&o.reader) }

func sets(defect string) conformance.Suite[*set] {
	b := bags(defect)
	build := func(p params, digests []hashfam.Digest) (*set, error) {
		distinct := slices.Compact(slices.Sorted(slices.Values(digests)))
		s := &set{reader{p, nil, defect}}
		for i, d := range distinct {
			if defect == "a key is lost" && i == len(distinct)/2 {
				continue
			}
			s.pairs = append(s.pairs, uint64(d), 1)
		}
		if defect == "the number of copies shows" && len(digests) > len(distinct) {
			s.pairs[1]++
		}
		return s, nil
	}
	return conformance.Suite[*set]{
		Receiver:  func(fam hashfam.Family) *set { return &set{b.Receiver(fam).reader} },
		ClaimHuge: b.ClaimHuge,
		Golden:    []conformance.Golden[*set]{{File: "bag.bin", Build: func() *set { return &set{b.Golden[0].Build().reader} }}},
		Builders: func(t *rapid.T, fam hashfam.Family) []func([]hashfam.Digest) (*set, error) {
			p := params{Room: rapid.SampledFrom([]uint64{1000, 2000}).Draw(t, "room"), Family: fam}
			return []func([]hashfam.Digest) (*set, error){
				func(digests []hashfam.Digest) (*set, error) { return build(p, digests) },
				func(digests []hashfam.Digest) (*set, error) {
					if defect == "the second way adds a key" {
						digests = append(digests, 1)
					}
					return build(p, digests)
				},
			}
		},
	}
}

// An estimate is two bounds of a count.
type estimate struct{ Low, High uint64 }

// A tracker is a bag that needs the keys and their digests, and answers with
// estimates.
type tracker struct{ bag }

func (k *tracker) Equal(o *tracker) bool { return k.equal(&o.reader) }
func (k *tracker) Clone() *tracker       { return &tracker{*k.bag.Clone()} }

func (k *tracker) Add(key []byte)               { k.put(k.Family().Sum(key), 1) }
func (k *tracker) AddString(key string)         { k.put(k.Family().SumString(key), 1) }
func (k *tracker) AddN(key []byte, n uint64)    { k.put(k.Family().Sum(key), n) }
func (k *tracker) Estimate(key []byte) estimate { return k.EstimateDigest(k.Family().Sum(key)) }
func (k *tracker) EstimateString(key string) estimate {
	return k.EstimateDigest(k.Family().SumString(key))
}
func (k *tracker) AddNDigest(d hashfam.Digest, n uint64) { k.put(d, n) }
func (k *tracker) Remove(key []byte, n uint64) error     { return k.RemoveDigest(k.Family().Sum(key), n) }

func (k *tracker) AddDigest(d hashfam.Digest, key []byte) {
	k.put(d, 1)
}

func (k *tracker) AddAll(digests []hashfam.Digest, keys [][]byte) error {
	for i, d := range digests {
		if !k.is("batches of keys drop their last one") || i < len(keys)-1 {
			k.AddDigest(d, keys[i])
		}
	}
	return nil
}

func (k *tracker) RemoveDigest(d hashfam.Digest, n uint64) error {
	if k.CountDigest(d) < n || k.is("removing does nothing") {
		return errs.Field(hashfam.ErrParams, "n", n, "at most the key's count")
	}
	for range n {
		k.DeleteDigest(d)
	}
	return nil
}

func (k *tracker) EstimateDigest(d hashfam.Digest) estimate {
	n := k.CountDigest(d)
	return estimate{n, 2 * n}
}

func (k *tracker) EstimateAll(dst []estimate, digests []hashfam.Digest) []estimate {
	for _, d := range digests {
		dst = append(dst, k.EstimateDigest(d))
	}
	if k.is("a batch of estimates is too low") && len(digests) > 0 {
		dst[len(dst)-1].Low = 0
	}
	return dst
}

// Merge counts keys twice, which is an upper bound.
func (k *tracker) Merge(others ...*tracker) error {
	plain := make([]*bag, len(others))
	for i, o := range others {
		plain[i] = &o.bag
	}
	if err := k.mergeable(plain); err != nil {
		return err
	}
	for _, o := range plain {
		k.mergeOne(o)
		k.mergeOne(o)
	}
	return nil
}

func trackers(defect string) conformance.Suite[*tracker] {
	b := bags(defect)
	return conformance.Suite[*tracker]{
		Receiver:  func(fam hashfam.Family) *tracker { return &tracker{*b.Receiver(fam)} },
		ClaimHuge: b.ClaimHuge,
		Golden:    []conformance.Golden[*tracker]{{File: "bag.bin", Build: func() *tracker { return &tracker{*b.Golden[0].Build()} }}},
		Questions: conformance.Estimates[estimate],
		Source: conformance.From(
			func(t *rapid.T) params { return params{Room: rapid.Uint64Range(1<<40, 1<<50).Draw(t, "room")} },
			func(p params) (*tracker, error) { return &tracker{bag{reader{p, nil, defect}}}, nil },
		),
	}
}

// Len returns the number of distinct keys: the number of copies is not known
// after a merge.
func (k *tracker) Len() int { return len(k.pairs) / 2 }

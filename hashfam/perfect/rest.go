package perfect

import (
	"context"
	"sort"

	"github.com/filterfam/filterfam/hashfam"
)

// A rest contains the keys that a level has bumped, with their digests for the
// next level. It uses as few bytes as possible for the values.
type rest struct {
	digests []hashfam.Digest
	values  []byte
	width   int // number of bytes per value
}

// newRest returns a rest with room for n keys with values of the given number
// of bits.
func newRest(n uint64, bits uint) rest {
	width := int(bits+7) / 8
	return rest{make([]hashfam.Digest, 0, n), make([]byte, 0, n*uint64(width)), width}
}

func (r *rest) add(d hashfam.Digest, value uint64) {
	r.digests = append(r.digests, d)
	for range r.width {
		r.values = append(r.values, byte(value))
		value >>= 8
	}
}

// value returns the value of key i.
func (r *rest) value(i int) (value uint64) {
	for at := r.width - 1; at >= 0; at-- {
		value = value<<8 | uint64(r.values[i*r.width+at])
	}
	return value
}

// sort sorts the keys by Digest.Probe. If ctx is canceled, it returns its
// error.
func (r *rest) sort(ctx context.Context) error {
	if r.width == 0 {
		_, err := sortDigests(ctx, r.digests)
		return err
	}
	return r.radix(ctx, 56)
}

// radix sorts keys whose probes differ only in the last shift+8 bits, in place
// (American flag sort, see [ribbon.Sort]).
func (r *rest) radix(ctx context.Context, shift int) error {
	if len(r.digests) <= 4096 || shift < 0 {
		sort.Sort(r)
		return ctx.Err()
	}
	var at, end [256]int
	for _, d := range r.digests {
		end[d.Probe()>>shift&255]++
	}
	total := 0
	for i, n := range end {
		at[i] = total
		total += n
		end[i] = total
	}
	for i := range end {
		for at[i] < end[i] {
			to := r.digests[at[i]].Probe() >> shift & 255
			if int(to) != i {
				r.Swap(at[i], at[to])
			}
			at[to]++
		}
	}
	from := 0
	for _, to := range end {
		part := rest{r.digests[from:to], r.values[from*r.width : to*r.width], r.width}
		if err := part.radix(ctx, shift-8); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// Len, Less and Swap implement sort.Interface.
func (r *rest) Len() int           { return len(r.digests) }
func (r *rest) Less(i, j int) bool { return r.digests[i].Probe() < r.digests[j].Probe() }
func (r *rest) Swap(i, j int) {
	r.digests[i], r.digests[j] = r.digests[j], r.digests[i]
	v, w := r.values[i*r.width:], r.values[j*r.width:]
	for k := range r.width {
		v[k], w[k] = w[k], v[k]
	}
}

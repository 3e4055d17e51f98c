//go:build !amd64 || purego || race

package prefetch

import "github.com/filterfam/filterfam/hashfam"

const (
	size      = Block // digests in a group
	ahead     = false
	useAVX512 = false // in this build: has is not called
)

func spread(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64, _ hashfam.Probe) {
	read := uint64(0)
	for _, d := range digests {
		p, base := d.Probe(), uint64(0)
		for range k {
			read |= array[(base+p.In(bytes))/8]
			p, base = p.Next(), base+step
		}
	}
	Use(read)
}

func blocks256(array []uint64, digests []hashfam.Digest, n uint64, _ hashfam.Probe) {
	read := uint64(0)
	for _, d := range digests {
		b := array[d.Probe().In(n)*32:][:32]
		read |= b[0] | b[8] | b[16] | b[24]
	}
	Use(read)
}

func has(*Array, []bool, []hashfam.Digest, hashfam.Probe) {}

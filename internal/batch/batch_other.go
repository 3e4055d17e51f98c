//go:build !amd64 || purego || race

package batch

import "github.com/filterfam/filterfam/hashfam"

const (
	size      = Block // digests in a group
	ahead     = false
	useAVX512 = false // in this build: has is not called
)

func spread(array []uint64, digests []hashfam.Digest, k int, bytes uint64, _ hashfam.Probe) {
	read := uint64(0)
	for _, d := range digests {
		for k, p := k, d.Probe(); k > 0; k, p = k-1, p.Next() {
			read |= array[p.In(bytes)/8]
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

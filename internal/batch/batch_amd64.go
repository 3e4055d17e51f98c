//go:build !purego && !race

package batch

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

const (
	size  = 4 // digests in a group
	ahead = true
)

// useAVX512 is a variable so that tests can set it to false.
var useAVX512 = cpu.AVX512

//go:noescape
func spread(array []uint64, digests []hashfam.Digest, k int, bytes uint64, multiplier hashfam.Probe)

//go:noescape
func blocks256(array []uint64, digests []hashfam.Digest, n uint64, multiplier hashfam.Probe)

// has sets dst[i] to the result of [Array.Has] for digests[i]. The lengths must
// match.
//
//go:noescape
func has(a *Array, dst []bool, digests []hashfam.Digest, multiplier hashfam.Probe)

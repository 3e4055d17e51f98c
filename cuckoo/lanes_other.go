//go:build !amd64 || purego || race

package cuckoo

import "github.com/filterfam/filterfam/hashfam"

const useAVX512 = false // in this build

func (f *Filter) inLanes() bool { return useAVX512 }

// hasInLanes is not called.
func (f *Filter) hasInLanes(dst []bool, digests []hashfam.Digest) []bool { return dst }

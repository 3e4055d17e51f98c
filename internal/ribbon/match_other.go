//go:build !amd64 || purego || race

package ribbon

import "github.com/filterfam/filterfam/hashfam"

const useAVX512 = false // in this build: the functions are not called

func (r *Ribbon) containsVectors(dst []bool, _ []hashfam.Digest) []bool { return dst }

func containsAVX512(*layer, hashfam.Digest) answer { return absent }

func containsInAVX512(*encodedLayer, hashfam.Digest) answer { return absent }

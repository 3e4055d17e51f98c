package main

import "fmt"

// peers are third-party libraries and a sorted slice, in the order of the rows.
// They are shown only on request. Each is used as its documentation says; none
// of its code is here. What one of them cannot do, or gets wrong, is a result
// and never ends the program: see cell.attempt.
var peers = []structure{
	{name: "sorted", against: "bloom", also: "list", exact: true, peer: true, static: true, heap: true, build: newSorted},

	{name: "bits-and-blooms", module: bitsModule, against: "bloom", also: "merge", peer: true, unkeyed: true, build: newPeerBloom},
	{name: "holiman", module: "github.com/holiman/bloomfilter/v2", against: "bloom", also: "merge", peer: true, build: newHoliman},
	{name: "bbloom", module: bbloomModule, against: "bloom", peer: true, build: newBbloom},
	{name: "ristretto", module: "github.com/dgraph-io/ristretto/v2", against: "bloom", peer: true, build: newRistretto},
	{name: "boom-bloom", module: boomModule, against: "bloom", peer: true, unkeyed: true, build: newBoomBloom},
	{name: "boom-counting", module: boomModule, against: "counting", peer: true, unkeyed: true, build: newPeerCounting},
	{name: "boom-cuckoo", module: boomModule, against: "cuckoo", peer: true, unkeyed: true, heap: true, build: newBoomCuckoo},

	{name: "seiflotfy-cuckoo", module: seiflotfyModule, against: "cuckoo", fixed: seiflotfyRate, peer: true, unkeyed: true, build: newSeiflotfy},
	{name: "xor8", module: xorModule, against: "static", fixed: 1.0 / (1 << 8), peer: true, static: true, build: newXor8},
	{name: "fuse8", module: xorModule, against: "static", fixed: 1.0 / (1 << 8), peer: true, static: true, build: newFuse[uint8]},
	{name: "fuse16", module: xorModule, against: "static", fixed: 1.0 / (1 << 16), peer: true, static: true, build: newFuse[uint16]},
}

// The modules of libraries that have more than one row, or are attacked too.
const (
	bitsModule      = "github.com/bits-and-blooms/bloom/v3"
	bbloomModule    = "github.com/ipfs/bbloom"
	boomModule      = "github.com/tylertreat/BoomFilters"
	seiflotfyModule = "github.com/seiflotfy/cuckoofilter"
	xorModule       = "github.com/FastFilter/xorfilter"
)

// mostPeerBytes is the memory that a peer may take. One that needs more is
// reported and left out: when memory runs out, no program can go on.
const mostPeerBytes = 2 << 30

func checkPeerBytes(bytes uint64) error {
	if bytes > mostPeerBytes {
		return fmt.Errorf("it needs %.1f GiB for this many keys, and a peer may take %d", float64(bytes)/(1<<30), mostPeerBytes>>30)
	}
	return nil
}

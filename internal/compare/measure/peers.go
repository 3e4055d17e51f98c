package measure

import "fmt"

// Peers are third-party libraries and a sorted slice, in the order of the rows.
// They are shown only on request. Each is used as its documentation says; none
// of its code is here. What one of them cannot do, or gets wrong, is a result
// and never ends the program: see cell.attempt.
var Peers = []Structure{
	{Name: "sorted", Against: "bloom", Also: "list", Exact: true, Peer: true, Static: true, Heap: true, Build: newSorted},

	{Name: "bits-and-blooms", Module: "github.com/bits-and-blooms/bloom/v3", Against: "bloom", Also: "merge", Peer: true, Unkeyed: true, Build: newPeerBloom},
	{Name: "holiman", Module: "github.com/holiman/bloomfilter/v2", Against: "bloom", Also: "merge", Peer: true, Build: newHoliman},
	{Name: "bbloom", Module: "github.com/ipfs/bbloom", Against: "bloom", Peer: true, Build: newBbloom},
	{Name: "ristretto", Module: "github.com/dgraph-io/ristretto/v2", Against: "bloom", Peer: true, Build: newRistretto},
	{Name: "boom-bloom", Module: boomModule, Against: "bloom", Peer: true, Unkeyed: true, Build: newBoomBloom},
	{Name: "boom-counting", Module: boomModule, Against: "counting", Peer: true, Unkeyed: true, Build: newBoomCounting},
	{Name: "boom-cuckoo", Module: boomModule, Against: "cuckoo", Peer: true, Unkeyed: true, Heap: true, Build: newBoomCuckoo},

	{Name: "seiflotfy-cuckoo", Module: "github.com/seiflotfy/cuckoofilter", Against: "cuckoo", Fixed: seiflotfyRate, Peer: true, Unkeyed: true, Build: newSeiflotfy},
	{Name: "xor8", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 8), Peer: true, Static: true, Build: newXor8},
	{Name: "fuse8", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 8), Peer: true, Static: true, Build: newFuse[uint8]},
	{Name: "fuse16", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 16), Peer: true, Static: true, Build: newFuse[uint16]},
}

// The modules of libraries that have more than one row.
const (
	boomModule = "github.com/tylertreat/BoomFilters"
	xorModule  = "github.com/FastFilter/xorfilter"
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

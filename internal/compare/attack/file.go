package attack

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	peer "github.com/bits-and-blooms/bloom/v3"
	"github.com/ipfs/bbloom"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// A reopen saves a filter and opens the file as someone does who has family. It
// returns how to ask what was opened.
type reopen func(f *measure.Filter, family hashfam.Family) question

// readFile opens the file without the key.
func readFile(d *duel) (honest, outcome float64) { return d.readUnder(hashfam.Family{}) }

// readFileWithKey opens the file with the key.
func readFileWithKey(d *duel) (honest, outcome float64) { return d.readUnder(d.secret) }

func (d *duel) readUnder(family hashfam.Family) (honest, outcome float64) {
	contains := d.reopen(d.victim(d.members()), family)
	d.hashes = d.n
	return d.falseRate(contains), share(d.members(), contains)
}

// reopenOurs names family in the header of the frame, which otherwise could not
// be decoded under it. See docs/format.md.
func reopenOurs(f *measure.Filter, family hashfam.Family) question {
	frame := must(f.Set.(*bloom.Filter).MarshalBinary())
	const header = 64
	checksum := func(end int) uint32 { return crc32.Checksum(frame[:end], crc32.MakeTable(crc32.Castagnoli)) }
	binary.LittleEndian.PutUint64(frame[8:], family.CheckValue())
	binary.LittleEndian.PutUint32(frame[header-8:], checksum(header-8))
	binary.LittleEndian.PutUint32(frame[len(frame)-8:], checksum(len(frame)-8))
	opened := bloom.NewReceiver(family)
	must(opened, opened.UnmarshalBinary(frame))
	return opened.Contains
}

func reopenPeer(f *measure.Filter, _ hashfam.Family) question {
	opened := new(peer.BloomFilter)
	must(opened, opened.UnmarshalBinary(must(f.Set.(measure.PeerBloom).MarshalBinary())))
	return opened.Test
}

func reopenBoom(f *measure.Filter, _ hashfam.Family) question {
	var file bytes.Buffer
	must(f.Set.(measure.BoomBloom).WriteTo(&file))
	opened := new(boom.BloomFilter)
	must(opened.ReadFrom(&file))
	return opened.Test
}

func reopenBbloom(f *measure.Filter, _ hashfam.Family) question {
	return must(bbloom.JSONUnmarshal(f.Set.(measure.Bbloom).JSONMarshal())).Has
}

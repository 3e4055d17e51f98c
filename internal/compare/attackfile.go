package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	peer "github.com/bits-and-blooms/bloom/v3"
	own "github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/ipfs/bbloom"
	boom "github.com/tylertreat/BoomFilters"
)

// A reopen saves a filter and opens the file as someone does who has family.
type reopen func(f filter, family hashfam.Family) (filter, error)

// readFile opens the file without the key.
func readFile(d *duel) (honest, outcome float64, err error) { return d.readUnder(hashfam.Family{}) }

// readFileWithKey opens the file with the key.
func readFileWithKey(d *duel) (honest, outcome float64, err error) { return d.readUnder(d.secret) }

func (d *duel) readUnder(family hashfam.Family) (honest, outcome float64, err error) {
	f, err := d.victim(d.members())
	if err != nil {
		return 0, 0, err
	}
	opened, err := d.reopen(f, family)
	if err != nil {
		return 0, 0, err
	}
	d.hashes = d.n
	return d.falseRate(opened), shareFound(opened, d.members()), nil
}

// reopenOurs names family in the header of the frame, which otherwise could not
// be decoded under it. See docs/format.md.
func reopenOurs(f filter, family hashfam.Family) (filter, error) {
	frame, err := f.(bloomFilter).MarshalBinary()
	if err != nil {
		return nil, err
	}
	const header = 64
	checksum := func(end int) uint32 { return crc32.Checksum(frame[:end], crc32.MakeTable(crc32.Castagnoli)) }
	binary.LittleEndian.PutUint64(frame[8:], family.CheckValue())
	binary.LittleEndian.PutUint32(frame[header-8:], checksum(header-8))
	binary.LittleEndian.PutUint32(frame[len(frame)-8:], checksum(len(frame)-8))
	opened := own.NewReceiver(family)
	return bloomFilter{opened}, opened.UnmarshalBinary(frame)
}

func reopenPeer(f filter, _ hashfam.Family) (filter, error) {
	data, err := f.(peerBloom).MarshalBinary()
	if err != nil {
		return nil, err
	}
	opened := new(peer.BloomFilter)
	return peerBloom{opened}, opened.UnmarshalBinary(data)
}

func reopenBoom(f filter, _ hashfam.Family) (filter, error) {
	var file bytes.Buffer
	if _, err := f.(boomBloom).WriteTo(&file); err != nil {
		return nil, err
	}
	opened := new(boom.BloomFilter)
	_, err := opened.ReadFrom(&file)
	return boomBloom{opened}, err
}

func reopenBbloom(f filter, _ hashfam.Family) (filter, error) {
	opened, err := bbloom.JSONUnmarshal(f.(bbloomFilter).JSONMarshal())
	return bbloomFilter{opened}, err
}

package main

import (
	"github.com/filterfam/filterfam/hashfam"
	boom "github.com/tylertreat/BoomFilters"
)

// peerCounting adapts the counting filter of github.com/tylertreat/BoomFilters,
// which has counters of four bits too.
type peerCounting struct{ *boom.CountingBloomFilter }

func newPeerCounting(n uint64, rate float64, _ hashfam.Family) (filter, error) {
	return peerCounting{boom.NewDefaultCountingBloomFilter(uint(n), rate)}, nil
}

func (f peerCounting) Add(key []byte) error {
	f.CountingBloomFilter.Add(key)
	return nil
}

func (f peerCounting) Contains(key []byte) bool { return f.Test(key) }

func (f peerCounting) Delete(key []byte) bool { return f.TestAndRemove(key) }

// SizeBytes counts the bytes that hold its counters.
func (f peerCounting) SizeBytes() uint64 { return (uint64(f.Capacity())*4 + 7) / 8 }

package main

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// The filters of sets that do not change.
var (
	staticTargets  = bothFamilies(target{build: newStatic})
	perfectTargets = bothFamilies(target{build: newPerfect})
)

const aboutGather = "the adversary chooses all keys, so that their hashes lie in a thousandth of the range; bits for each key"

var staticBattle = battle{"Static filters", []attack{
	{name: "gather, static", key: stops, on: staticTargets, show: tenths, try: gather, about: aboutGather},
	{name: "gather, perfect", key: stops, on: perfectTargets, show: tenths, try: gather, about: "the same for a perfect.Filter"},
}}

const (
	gathered     = 1 << 10 // the parts of the range, one of which the keys are in
	gatheredKeys = 1000
)

// gather builds filters of keys whose places under the public family begin with
// the same bits.
func gather(d *duel) (honest, outcome float64, err error) {
	d.n = gatheredKeys
	keys, err := d.searchAll(d.n, func(key []byte) bool {
		return hashfam.Family{}.Sum(key).Probe().In(gathered) == 0
	})
	if err != nil {
		return 0, 0, err
	}
	if honest, err = d.bitsFor(d.members()); err != nil {
		return 0, 0, err
	}
	outcome, err = d.bitsFor(keys)
	return honest, outcome, err
}

// bitsFor returns the bits for each key that the target takes.
func (d *duel) bitsFor(keys [][]byte) (float64, error) {
	f, err := d.victim(keys)
	if err != nil {
		return 0, fmt.Errorf("building: %w", err)
	}
	return 8 * float64(f.SizeBytes()) / float64(len(keys)), nil
}

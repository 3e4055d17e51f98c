package attack

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

const aboutGather = "the adversary chooses all keys, so that their hashes lie in a thousandth of the range; bits for each key"

var staticBattle = Battle{"Static filters", []Attack{
	{Name: "gather, static", Key: stops, on: bothFamilies(target{Structure: measure.Named("static")}), Unit: Tenths, try: gather, About: aboutGather},
	{Name: "gather, perfect", Key: stops, on: bothFamilies(target{Structure: measure.Named("perfect")}), Unit: Tenths, try: gather,
		About: "the same for a perfect.Filter"},
}}

const (
	gathered     = 1 << 10 // the parts of the range, one of which the keys are in
	gatheredKeys = 1000
)

// gather builds filters of keys whose places under the public family begin with
// the same bits.
func gather(d *duel) (honest, outcome float64) {
	d.n = gatheredKeys
	keys := d.search(d.n, func(key []byte) bool {
		return hashfam.Family{}.Sum(key).Probe().In(gathered) == 0
	})
	return d.bitsFor(d.members()), d.bitsFor(keys)
}

// bitsFor returns the bits for each key that the target takes.
func (d *duel) bitsFor(keys [][]byte) float64 {
	return 8 * float64(d.victim(keys).SizeBytes()) / float64(len(keys))
}

package pages

import "slices"

// A plot starts as a single page. Its keys are in its directory's pages.
//
// After many splits, a key may have no known bits left. When its page splits
// again, the key cannot be assigned to a half and becomes an orphan. It moves
// to the first older directory, whose pages have shorter numbers, so the key
// has a long tail again. If these pages split often, there is a second older
// directory for their orphans, and so on. Keys in an older directory have fewer
// known bits than all keys in a newer one.
type plot struct {
	directory
	older []directory
}

// has reports whether the plot may contain the key.
func (pl *plot) has(k locus) bool {
	if pl.page(k.bits).has(k) {
		return true
	}
	for l := range pl.older {
		if pl.older[l].page(k.bits).has(k) {
			return true
		}
	}
	return false
}

// copies returns the number of slots that may contain the key.
func (pl *plot) copies(k locus) (n int) {
	for l := range pl.levels() {
		n += pl.level(l).page(k.bits).count(k)
	}
	return n
}

// remove frees the slot that matches the key in the most bits. It returns the
// number of these bits, and false if there is no such slot.
func (pl *plot) remove(k locus) (known uint8, ok bool) {
	for l := range pl.levels() {
		known, ok = pl.level(l).page(k.bits).remove(k)
		if ok {
			break
		}
	}
	return known, ok
}

// levels returns the number of directories, and level returns one by its index.
func (pl *plot) levels() int { return 1 + len(pl.older) }

func (pl *plot) level(l int) *directory {
	if l == 0 {
		return &pl.directory
	}
	return &pl.older[l-1]
}

// forget removes a key with n known bits, which is in a directory of this or a
// higher level.
func (pl *plot) forget(level int, k locus, n uint8) {
	for ; level < pl.levels(); level++ {
		p := pl.level(level).page(k.bits)
		if n < p.depth || n > p.depth+p.tail {
			continue
		}
		fp := p.fingerprint(k, n)
		if p.Exchange(k.i, k.j, fp, 0) {
			p.taken--
			return
		}
	}
}

func (pl plot) equal(other plot) bool {
	return pl.directory.equal(other.directory) && slices.EqualFunc(pl.older, other.older, directory.equal)
}

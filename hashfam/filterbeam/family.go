package filterbeam

import (
	"fmt"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
)

// families holds the keyed families that this process has registered.
var families = struct {
	sync.RWMutex
	open map[string]func() (hashfam.Family, error)
}{open: map[string]func() (hashfam.Family, error){}}

// RegisterFamily gives a keyed family a name, under which every worker finds
// it. Call it in an init function of the program that is both submitted and run
// by the workers. open returns the family, from a secret store for example. It
// is called when any keyed Plan is made, and by a worker several times for each
// bundle and from several goroutines, so it should remember a family that takes
// long to get. It must not call RegisterFamily. The key itself is never part of
// a Plan: a worker compares the check value of its family with that of the Plan
// and fails with [ErrFamily] if they differ.
//
// It returns [ErrParams] if the name is empty or registered already, and if
// open is nil. Then no family is registered. O(1) time. RegisterFamily may be
// called by several goroutines.
func RegisterFamily(name string, open func() (hashfam.Family, error)) error {
	if open == nil {
		return errs.Field(ErrParams, "open", "nil", "a function that returns the family")
	}
	families.Lock()
	defer families.Unlock()
	if _, taken := families.open[name]; taken || name == "" {
		return errs.Field(ErrParams, "name", name, "a name that is not empty and not registered")
	}
	families.open[name] = open
	return nil
}

// nameOf returns the name under which fam is registered: the empty one for the
// public family. It returns ErrParams if fam is not registered.
func nameOf(fam hashfam.Family) (string, error) {
	if fam == (hashfam.Family{}) {
		return "", nil
	}
	families.RLock()
	defer families.RUnlock()
	for name, open := range families.open {
		if registered, err := open(); err == nil && registered == fam {
			return name, nil
		}
	}
	return "", errs.Field(ErrParams, "Config.Family", fam, "the public family, or one that RegisterFamily has named")
}

// familyOf returns the family with the given name. It returns ErrFamily unless
// that family is registered in this process and has the given check value.
func familyOf(name string, check uint64) (hashfam.Family, error) {
	families.RLock()
	open, known := families.open[name]
	families.RUnlock()
	var fam hashfam.Family
	switch {
	case name != "" && !known:
		return fam, errs.Field(ErrFamily, "family", name, "a family that RegisterFamily has named in this worker")
	case name != "":
		var err error
		if fam, err = open(); err != nil {
			return fam, fmt.Errorf("filterbeam: family %q: %w", name, err)
		}
	}
	if fam.CheckValue() != check {
		return fam, errs.Field(ErrFamily, "check value of family "+name,
			fmt.Sprintf("%x", fam.CheckValue()), fmt.Sprintf("%x", check))
	}
	return fam, nil
}

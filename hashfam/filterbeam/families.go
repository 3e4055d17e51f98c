package filterbeam

import (
	"fmt"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
)

// families contains the functions that open the keyed families of this process,
// by the names under which they were registered.
var families sync.Map

type opener = func() (hashfam.Family, error)

// RegisterFamily registers a keyed family under a name, which plans contain
// instead of its key. Call it in an init function of the program that you
// submit, since the workers run the same program. The function open must return
// the family, for example using a secret store, and must not call
// RegisterFamily. open may be called whenever a Plan with a keyed family is
// made, and workers call it for each bundle and each task, from several
// goroutines, so it should remember the family if opening it is slow. A worker
// compares the family's check value with the Plan's and fails with
// [hashfam.ErrFamily] if they differ.
//
// RegisterFamily returns [hashfam.ErrParams] if the name is empty or already
// registered, or if open is nil. It may be called concurrently.
func RegisterFamily(name string, open func() (hashfam.Family, error)) error {
	if open == nil {
		return errs.Field(hashfam.ErrParams, "open", "nil", "a function that returns the family")
	}
	if name != "" {
		if _, taken := families.LoadOrStore(name, open); !taken {
			return nil
		}
	}
	return errs.Field(hashfam.ErrParams, "name", name, "a name that is not empty and not registered")
}

// nameOf returns the name under which fam is registered, which is empty for the
// public family. It returns ErrParams if fam is not registered.
func nameOf(fam hashfam.Family) (string, error) {
	if fam == (hashfam.Family{}) {
		return "", nil
	}
	for name, open := range families.Range {
		if registered, err := open.(opener)(); err == nil && registered == fam {
			return name.(string), nil
		}
	}
	return "", errs.Field(hashfam.ErrParams, "Config.Family", fam, "the public family, or one that RegisterFamily has named")
}

// family returns the plan's family. It returns ErrParams for the zero Plan. For
// a keyed family, it returns ErrFamily if this process has not registered a
// family with the plan's name and check value.
func (s spec) family() (hashfam.Family, error) {
	var fam hashfam.Family
	if s.Kind == "" {
		return fam, errs.Field(hashfam.ErrParams, "Plan", "the zero Plan", "one made by Bloom, Counting, ...")
	}
	if s.Family != "" {
		open, known := families.Load(s.Family)
		if !known {
			return fam, errs.Field(hashfam.ErrFamily, "family", s.Family, "a family that RegisterFamily has named in this worker")
		}
		var err error
		if fam, err = open.(opener)(); err != nil {
			return fam, fmt.Errorf("filterbeam: family %q: %w", s.Family, err)
		}
	}
	if fam.CheckValue() != s.Check {
		return fam, errs.Field(hashfam.ErrFamily, "check value of family "+s.Family,
			fmt.Sprintf("%x", fam.CheckValue()), fmt.Sprintf("%x", s.Check))
	}
	return fam, nil
}

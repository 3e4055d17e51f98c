package conformance

import "github.com/filterfam/filterfam/hashfam"

// The following functions return the forms of a method, or none if f does not
// have it. Structures share the names and signatures of their methods.

// Adds returns the forms of Add.
func Adds(f familiar) []Form {
	fam := f.Family()
	switch f := f.(type) {
	case interface {
		Add([]byte)
		AddString(string)
		AddDigest(hashfam.Digest)
		AddAll([]hashfam.Digest)
	}:
		all := func(d []hashfam.Digest) (int, error) { f.AddAll(d); return len(d), nil }
		return append(Forms("Add", fam, Done(f.Add), Done(f.AddString), Done(f.AddDigest)), Batch("AddAll", fam, all))
	case interface { // can fail
		Add([]byte) error
		AddString(string) error
		AddDigest(hashfam.Digest) error
		AddAll([]hashfam.Digest) (int, error)
	}:
		return append(Forms("Add", fam, tried(f.Add), tried(f.AddString), tried(f.AddDigest)), Batch("AddAll", fam, f.AddAll))
	}
	return nil
}

// ContainsOrAdds returns the forms of ContainsOrAdd.
func ContainsOrAdds(f familiar) []Form {
	switch f := f.(type) {
	case interface {
		familiar
		ContainsOrAdd([]byte) bool
		ContainsOrAddString(string) bool
		ContainsOrAddDigest(hashfam.Digest) bool
	}:
		return Forms("ContainsOrAdd", f.Family(), Is(f.ContainsOrAdd), Is(f.ContainsOrAddString), Is(f.ContainsOrAddDigest))
	case interface { // can fail
		familiar
		ContainsOrAdd([]byte) (bool, error)
		ContainsOrAddString(string) (bool, error)
		ContainsOrAddDigest(hashfam.Digest) (bool, error)
	}:
		return Forms("ContainsOrAdd", f.Family(), found(f.ContainsOrAdd), found(f.ContainsOrAddString), found(f.ContainsOrAddDigest))
	}
	return nil
}

// Deletes returns the forms of Delete.
func Deletes(f familiar) (forms []Form) {
	if f, ok := f.(interface {
		familiar
		Delete([]byte) bool
		DeleteDigest(hashfam.Digest) bool
	}); ok {
		forms = append(forms, Each("Delete", Bytes, Is(f.Delete)), Each("DeleteDigest", f.Family().SumString, Is(f.DeleteDigest)))
	}
	if f, ok := f.(interface {
		familiar
		DeleteString(string) bool
		DeleteAll([]hashfam.Digest) int
	}); ok {
		all := func(d []hashfam.Digest) (int, error) { return f.DeleteAll(d), nil }
		forms = append(forms, Each("DeleteString", Text, Is(f.DeleteString)), Batch("DeleteAll", f.Family(), all))
	}
	return forms
}

// Contains returns the forms of Contains.
func Contains(f any) []Form {
	s, ok := f.(interface {
		familiar
		Contains([]byte) bool
		ContainsString(string) bool
		ContainsDigest(hashfam.Digest) bool
		ContainsAll([]bool, []hashfam.Digest) []bool
	})
	if !ok {
		return nil
	}
	return append(Forms("Contains", s.Family(), Is(s.Contains), Is(s.ContainsString), Is(s.ContainsDigest)),
		Answers("ContainsAll", s.Family(), true, s.ContainsAll, One))
}

// Counts returns the forms of Count.
func Counts(f any) []Form {
	s, ok := f.(interface {
		familiar
		Count([]byte) uint64
		CountString(string) uint64
		CountDigest(hashfam.Digest) uint64
		CountAll([]uint64, []hashfam.Digest) []uint64
	})
	if !ok {
		return nil
	}
	forms := append(Forms("Count", s.Family(), counted(s.Count), counted(s.CountString), counted(s.CountDigest)),
		Answers("CountAll", s.Family(), 7, s.CountAll, func(n uint64) uint64 { return n }))
	for i := range forms {
		forms[i].Counts = true
	}
	return forms
}

func (s Structure) adds(f Encoded) []Form {
	if s.Add != nil {
		return s.Add(f)
	}
	return Adds(f)
}

func (s Structure) deletes(f Encoded) []Form {
	if s.Delete != nil {
		return s.Delete(f)
	}
	return Deletes(f)
}

// questions returns the forms of each query of a structure or its view.
func (s Structure) questions(f any) (list [][]Form) {
	for _, question := range append([]func(any) []Form{Contains, Counts}, s.Questions...) {
		if forms := question(f); len(forms) > 0 {
			list = append(list, forms)
		}
	}
	return list
}

package cli

// The values of the flag --type or -type.
const (
	StaticType   = "static"
	BloomType    = "bloom"
	CuckooType   = "cuckoo"
	CountingType = "counting"
	SketchType   = "sketch"
	HeavyType    = "heavy"
)

// Types lists the types of structures that can be built.
var Types = []string{StaticType, BloomType, CuckooType, CountingType, SketchType, HeavyType}

package countmin

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// compatible returns an error that names the first parameter in which h and
// other differ.
func (h *HeavyHitters) compatible(other *HeavyHitters) error {
	if other == nil {
		return fault.Field(ErrIncompatible, "other", nil, "heavy hitters")
	}
	c, d := h.config, other.config
	if c.Phi != d.Phi {
		return fault.Field(ErrIncompatible, "HeavyConfig.Phi", d.Phi, fmt.Sprint(c.Phi))
	}
	return compatible("HeavyConfig", c.MemoryBytes, d.MemoryBytes, c.Family, d.Family)
}

// compatible returns an error that names the first parameter in which k and
// other differ.
func (k *TopK) compatible(other *TopK) error {
	if other == nil {
		return fault.Field(ErrIncompatible, "other", nil, "a top k")
	}
	c, d := k.config, other.config
	if c.K != d.K {
		return fault.Field(ErrIncompatible, "TopKConfig.K", d.K, fmt.Sprint(c.K))
	}
	return compatible("TopKConfig", c.MemoryBytes, d.MemoryBytes, c.Family, d.Family)
}

func compatible(of string, memory, theirs int, fam, other hashfam.Family) error {
	switch {
	case memory != theirs:
		return fault.Field(ErrIncompatible, of+".MemoryBytes", theirs, fmt.Sprint(memory))
	case fam != other:
		return fault.Field(ErrIncompatible, of+".Family", other, fam.String())
	}
	return nil
}

// String describes h in one line, without its key.
func (h HeavyHitters) String() string {
	return fmt.Sprintf("countmin.HeavyHitters(phi %g, %s, family %v)",
		h.config.Phi, memoryOf(h.config.MemoryBytes), h.config.Family)
}

// Format prints [HeavyHitters.String] for every verb and flag, so that no
// format shows the key.
func (h HeavyHitters) Format(s fmt.State, _ rune) { fmt.Fprint(s, h.String()) }

// String describes k in one line, without its key.
func (k TopK) String() string {
	return fmt.Sprintf("countmin.TopK(k %d, %s, family %v)",
		k.config.K, memoryOf(k.config.MemoryBytes), k.config.Family)
}

// Format prints [TopK.String] for every verb and flag, so that no format shows
// the key.
func (k TopK) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

func memoryOf(bytes int) string {
	if bytes == 0 {
		return "memory as needed"
	}
	return fmt.Sprintf("%d bytes", bytes)
}

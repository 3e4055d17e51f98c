package countmin

import (
	"fmt"

	"github.com/filterfam/filterfam/internal/fault"
)

// compatible returns an error that names the first parameter in which h and
// other differ.
func (h *HeavyHitters) compatible(other *HeavyHitters) error {
	switch {
	case h == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, "other", "nil", "heavy hitters")
	}
	return fault.Same(errs, "HeavyConfig", h.config, other.config)
}

// compatible returns an error that names the first parameter in which k and
// other differ.
func (k *TopK) compatible(other *TopK) error {
	switch {
	case k == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, "other", "nil", "a top k")
	}
	return fault.Same(errs, "TopKConfig", k.config, other.config)
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

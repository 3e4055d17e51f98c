package perfect

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// errs makes this package's errors, which match those of package hashfam.
var errs = &fault.Maker{Package: "perfect"}

func paramError(field string, value any, allowed string) error {
	return errs.Field(hashfam.ErrParams, field, value, allowed)
}

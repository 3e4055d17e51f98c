package counting

import "github.com/filterfam/filterfam/internal/fault"

// errs makes this package's errors, which match those of package hashfam.
var errs = &fault.Maker{Package: "counting"}

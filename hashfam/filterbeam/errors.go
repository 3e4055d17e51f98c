package filterbeam

import "github.com/filterfam/filterfam/internal/fault"

var errs = &fault.Maker{Package: "filterbeam"}

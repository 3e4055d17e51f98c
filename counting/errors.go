package counting

import (
	"github.com/filterfam/filterfam/internal/fault"
)

var errs = &fault.Maker{Package: "counting"}

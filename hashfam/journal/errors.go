package journal

import (
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/internal/fault"
)

// ErrInUse means that another Journal, in this process or another one, uses the
// file. It can be tested for with errors.Is.
var ErrInUse = errors.New("used by another journal")

var errs = &fault.Maker{Package: "journal"}

// inFile adds the name of a file to an error that does not contain it.
func inFile(name string, err error) error { return fmt.Errorf("journal: %s: %w", name, err) }

func unsupported(s any, method string) error {
	return errs.Errorf("%T has no %s for digests: %w", s, method, errors.ErrUnsupported)
}

//go:build !linux || race

package conformance

import "errors"

// CanLimitMemory tells whether this build can limit and measure the memory of a
// process.
const CanLimitMemory = false

func controlGroup() (string, func()) { return "none", func() {} }

func limitMemory(string) error { return errors.ErrUnsupported }

func resetPeak() (uint64, error) { return 0, errors.ErrUnsupported }

func peak() (uint64, error) { return 0, errors.ErrUnsupported }

//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package journal

import "os"

// openLocked opens a file without locking it, because these systems have no
// flock.
func openLocked(name string, flag int) (*os.File, error) { return os.OpenFile(name, flag, 0o600) }

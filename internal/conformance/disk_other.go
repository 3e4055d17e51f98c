//go:build !linux

package conformance

import "testing"

// SmallDisk skips the test: a small file system is mounted on Linux only.
func SmallDisk(t *testing.T) string {
	t.Skip("a small file system is mounted on Linux only")
	return ""
}

// Package machine marks tests whose result can depend on the machine. It imports
// nothing of the module, so that every package can use it.
package machine

import "testing"

// Matters says that the result of a test can depend on the processor, the
// system or the build. These are tests of golden files, numbers in memory and
// in frames, assembly and the code that it replaces, views, and the properties
// of each structure. It must be the first statement of the test. .ci/machines
// runs these tests, and all Examples, on other machines.
func Matters(t testing.TB) { t.Helper() }

// Package machine marks tests whose result can depend on the machine. It
// imports nothing of the module, so that every package can use it.
package machine

import "testing"

// Matters marks a test whose result can depend on the processor, the system or
// the build. The call must be the first statement of the test. Such tests are,
// for example, those of golden files, of numbers in memory and in frames, of
// assembly and the code that it replaces, of views, and of the properties of
// each structure. .ci/machines runs these tests, and all Examples, on other
// machines.
func Matters(t testing.TB) { t.Helper() }

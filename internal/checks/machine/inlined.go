package machine

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Inlined checks that the compiler can inline functions of the package under
// test, for example "(*Filter).ContainsDigest".
func Inlined(t *testing.T, names ...string) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool")
	}
	report, err := exec.Command(tool, "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, string(report))
	for _, name := range names {
		require.Contains(t, string(report), "can inline "+name+"\n")
	}
}

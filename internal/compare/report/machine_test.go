package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestACommandCanBePastedIntoAShell(t *testing.T) {
	assert.Equal(t, "go run -C internal/compare . -n 1e6 -fpr 0.01,0.1", command([]string{"-n", "1e6", "-fpr", "0.01,0.1"}))
	assert.Equal(t, `go run -C internal/compare . -o '' -keys 'a b'\''c$'`, command([]string{"-o", "", "-keys", "a b'c$"}))
}

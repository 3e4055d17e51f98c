package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

const (
	// hostileVariable is set in the process that decodes hostile frames. Its
	// value is a control group to enter, or "none".
	hostileVariable = "FILTERFAM_HOSTILE"

	// hostileBytes is the payload that follows the header of a hostile frame.
	hostileBytes = 4 << 20

	// hostilePeak is how far the resident memory of the process may rise: by
	// the frame, by twice as much for memory that doubles while a stream is
	// read, and by a few megabytes of the program.
	hostilePeak = 5 * hostileBytes

	// hostileRoom is the address space and, in a control group, the memory that
	// the process may use besides what it has at first. The frames claim 16 GiB
	// and more.
	hostileRoom = 256 << 20
)

// hostileMemory decodes frames whose headers promise gigabytes and have correct
// checksums, in a process of its own with little memory: the test runs itself
// again under GOMEMLIMIT, with a limit on its address space and, where there is
// one, in a control group. The frames must be rejected, and the peak of the
// resident memory must stay near their length.
func (e Encoded[T]) hostileMemory(t *testing.T) {
	e.promise(t)
	if !CanLimitMemory {
		t.Skip("this needs Linux, and a build without the race detector, which takes memory itself")
	}
	if group := os.Getenv(hostileVariable); group != "" {
		e.decodeHostile(t, group)
		return
	}
	group, remove := controlGroup()
	defer remove()
	parts := strings.Split(t.Name(), "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run="+strings.Join(parts, "/"))
	cmd.Env = append(os.Environ(), hostileVariable+"="+group, "GOMEMLIMIT=32MiB")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skip("this program cannot start itself: ", err) // an emulator may not
	}
	require.NoError(t, err, "%s", out)
	peak := regexp.MustCompile(`peak .*`).Find(out)
	require.NotEmpty(t, peak, "the process did not decode: %s", out)
	t.Logf("%s", peak)
}

// promise checks that a header that promises a huge payload is a valid one. If
// ReadParams rejected it, a decoder would not get as far as to rely on it. With
// 32-bit addresses it may.
func (e Encoded[T]) promise(t *testing.T) {
	if e.ReadParams == nil || sizing.MaxBits < 1<<40 {
		return
	}
	built := e.Golden[0].Build()
	frames := e.lying(encode(t, built))
	_, err := e.ReadParams(bytes.NewReader(frames[len(frames)-1]), e.family(built))
	require.NoError(t, err)
}

// decodeHostile limits this process and decodes hostile headers, alone and with
// a part of what they promise.
func (e Encoded[T]) decodeHostile(t *testing.T, group string) {
	built := e.Golden[0].Build()
	g := e.Receiver(e.family(built))
	b := make([]byte, 512+hostileBytes)
	require.NoError(t, limitMemory(group))
	debug.FreeOSMemory()
	start, err := resetPeak()
	require.NoError(t, err)
	for _, frame := range e.lying(encode(t, built)) {
		for _, size := range []int{0, hostileBytes} {
			e.rejects(t, g, b[:copy(b, frame[:headerBytes(frame)])+size])
		}
	}
	end, err := peak()
	require.NoError(t, err)
	require.LessOrEqual(t, end, start+hostilePeak)
	fmt.Printf("peak %.1f MB above %.1f, for frames of %.1f; control group: %s\n",
		float64(end-start)/1e6, float64(start)/1e6, hostileBytes/1e6, group)
}

// rejects checks that g does not decode b, from a slice, from a stream that
// tells its length and from one that does not.
func (e Encoded[T]) rejects(t *testing.T, g T, b []byte) {
	require.ErrorIs(t, g.UnmarshalBinary(b), hashfam.ErrCorrupt)
	for _, r := range []io.Reader{bytes.NewReader(b), io.MultiReader(bytes.NewReader(b))} {
		_, err := g.ReadFrom(r)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		debug.FreeOSMemory()
	}
}

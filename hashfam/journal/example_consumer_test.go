package journal_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
)

// A consumer passes on each message of a partition once, although producers
// repeat messages. The position is the offset of the next message.
type consumer struct {
	seen *bloom.Rotating
	j    *journal.Journal
	out  *os.File
}

// openConsumer continues after the last batch. It removes what was written for
// later messages.
func openConsumer(folder string) (*consumer, error) {
	seen, err := bloom.NewRotating(bloom.RotatingConfig{Keys: 100_000, FPRate: 1e-9})
	if err != nil {
		return nil, err
	}
	config := seen.Config()
	j, err := journal.Open(filepath.Join(folder, "seen"), seen)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(filepath.Join(folder, "out"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = cutAfter(out, j.Position())
	}
	if err == nil && seen.Config() != config {
		err = errChanged
	}
	if err != nil {
		return nil, errors.Join(err, j.Close(), out.Close())
	}
	return &consumer{seen, j, out}, nil
}

// cutAfter removes the lines for messages from an offset on.
func cutAfter(out *os.File, offset uint64) error {
	end := int64(0)
	for s := bufio.NewScanner(out); s.Scan(); {
		var n uint64
		if _, err := fmt.Sscan(s.Text(), &n); err != nil || n >= offset {
			break
		}
		end += int64(len(s.Bytes())) + 1
	}
	if err := out.Truncate(end); err != nil {
		return err
	}
	_, err := out.Seek(end, io.SeekStart)
	return err
}

// consume passes on the new messages of a batch, which begins at the position.
// After an error, the consumer must be opened again.
func (c *consumer) consume(batch []string) error {
	var lines bytes.Buffer
	offset := c.j.Position()
	for _, message := range batch {
		d := c.seen.Family().SumString(message)
		if !c.seen.ContainsOrAddDigest(d) {
			c.j.Add(d)
			fmt.Fprintln(&lines, offset, message)
		}
		offset++
	}
	if _, err := c.out.Write(lines.Bytes()); err != nil {
		return err
	}
	if err := c.out.Sync(); err != nil {
		return err
	}
	return c.j.Sync(offset) // then commit the offset to the broker
}

func (c *consumer) close() error { return errors.Join(c.j.Close(), c.out.Close()) }

// A consumer that crashes after it has written a batch, and before Sync, passes
// on the messages of this batch once.
func Example_consumer() {
	inTemporaryFolder(func(folder string) {
		partition := []string{"a", "b", "a", "c", "b"}
		c, err := openConsumer(folder)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.consume(partition[:2]))
		fmt.Fprintln(c.out, "3 c")
		c.close() // as after a crash

		c, err = openConsumer(folder)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer c.close()
		fmt.Println(c.consume(partition[c.j.Position():]))
		fmt.Print(string(hashfam.Must(os.ReadFile(c.out.Name()))))
	})
	// Output:
	// <nil>
	// <nil>
	// 0 a
	// 1 b
	// 3 c
}

func TestConsumersPassOnEachMessageOnce(t *testing.T) {
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	var partition []string
	for range 2000 {
		partition = append(partition, fmt.Sprint("m", rng.IntN(1000)))
	}
	for position := 0; position < len(partition); {
		c, err := openConsumer(folder)
		require.NoError(t, err)
		for range rng.IntN(4) {
			position = int(c.j.Position())
			require.NoError(t, c.consume(partition[position:min(len(partition), position+rng.IntN(200))]))
		}
		position = int(c.j.Position())
		fmt.Fprintln(c.out, position, "half of a batch") // and then the crash
		require.NoError(t, c.close())
	}
	c, err := openConsumer(folder)
	require.NoError(t, err)
	var want strings.Builder
	seen := map[string]bool{}
	for i, message := range partition {
		if !seen[message] {
			seen[message] = true
			fmt.Fprintln(&want, i, message)
		}
	}
	require.NoError(t, c.close())
	got, err := os.ReadFile(c.out.Name())
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got))
}

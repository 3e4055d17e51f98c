package tracker

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

type fieldError fault.Detail

func (e *fieldError) Error() string { return fault.Detail(*e).Message("test") }
func (e *fieldError) Unwrap() error { return e.Err }

var errs = &fault.Maker{Package: "test", New: func(d fault.Detail) error { e := fieldError(d); return &e }}

// recode encodes t and decodes that.
func recode(t *Tracker) (Tracker, error) {
	h := frame.Header{Kind: frame.TopK, Version: 1, Params: make([]byte, 16), Payload: 8 * t.PayloadWords()}
	r := frame.NewBytesReader(frame.Append(nil, h, frame.Words(t.Payload())), errs)
	return Decode(r, r.Header(h.Kind, h.Version, 0), t.Goal, hashfam.Family{})
}

// A budget is the decoder's too: whatever a frame holds, what comes of it is
// within the budget, heads included.
func TestRecordsBeyondTheBudgetAreCorrupt(t *testing.T) {
	for _, budget := range []int{MinMemory, 1500, 64 << 10} {
		h := New(Goal{Phi: 0.1, Memory: budget})
		decoded, refused := 0, 0
		for i := 0; refused < 3; i++ {
			key := fmt.Sprint("key ", i)
			h.log = appendRecord(h.log, 1, 0, hashfam.Family{}.SumString(key), key)
			h.live++
			h.total++
			if i%16 > 0 && budget > 2048 {
				continue // one in 16 will do
			}
			g, err := recode(&h)
			if err != nil {
				var field *fieldError
				require.ErrorIs(t, err, fault.ErrCorrupt)
				require.True(t, errors.As(err, &field))
				require.Equal(t, "memory for records and counters", field.Field)
				refused++
				continue
			}
			decoded++
			require.LessOrEqual(t, g.SizeBytes(), uint64(budget))
			require.Equal(t, i+1, g.live)
			add(&g, "one more", 1)
			require.LessOrEqual(t, g.SizeBytes(), uint64(budget))
		}
		require.NotZero(t, decoded)
	}
}

// Without a budget the room of a decoded log is that of its records: the next
// key does not cost others their place.
func TestADecodedLogHasRoomForItsRecords(t *testing.T) {
	h := New(Goal{Phi: 0.1})
	for i := range 300 {
		add(&h, fmt.Sprint("a key of some length ", i), 2)
	}
	require.GreaterOrEqual(t, h.live, h.want)
	g, err := recode(&h)
	require.NoError(t, err)
	require.True(t, g.Equal(&h))
	require.GreaterOrEqual(t, g.room, uint64(len(g.log)))
	add(&h, "new", 1)
	add(&g, "new", 1)
	require.True(t, g.Equal(&h))
}

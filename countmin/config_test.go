package countmin

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
	"github.com/stretchr/testify/require"
)

// requireField checks that err matches the given error and names the field.
func requireField(t require.TestingT, err error, what error, field string) {
	require.ErrorIs(t, err, what)
	var fault *hashfam.FieldError
	require.True(t, errors.As(err, &fault))
	require.Equal(t, field, fault.Field)
}

// create creates a structure from any Config or Params.
func create(config any) (err error) {
	switch c := config.(type) {
	case Config:
		_, err = New(c)
	case Params:
		_, err = NewFromParams(c)
	case HeavyConfig:
		_, err = NewHeavyHitters(c)
	case WindowConfig:
		_, err = NewWindow(c)
	}
	return err
}

func TestInvalidParametersNameTheField(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		field  string
		config any
	}{
		{"Config", Config{}},
		{"Config.Depth", Config{Width: 10}},
		{"Config.Width", Config{Depth: 10}},
		{"Config.Depth", Config{Width: 10, Depth: 256}},
		{"Config.Width", Config{Width: math.MaxUint64, Depth: 1}},
		{"Config.CounterBits", Config{Width: 10, Depth: 1, CounterBits: 24}},
		{"Config.CounterBits", Config{Epsilon: 0.1, Delta: 0.1, CounterBits: -32}},
		{"Config.Width", Config{Epsilon: 0.1, Delta: 0.1, Width: 10}},
		{"Config.Depth", Config{Epsilon: 0.1, Delta: 0.1, Depth: 10}},
		{"Config.Epsilon", Config{Delta: 0.1}},
		{"Config.Epsilon", Config{Epsilon: 1, Delta: 0.1}},
		{"Config.Epsilon", Config{Epsilon: nan, Delta: 0.1}},
		{"Config.Delta", Config{Epsilon: 0.1}},
		{"Config.Delta", Config{Epsilon: 0.1, Delta: 1}},
		{"Config.Delta", Config{Epsilon: 0.1, Delta: nan}},
		{"Config.Delta", Config{Epsilon: 0.5, Delta: 0x1p-63}}, // the floor for digests of 64 bits
		{"Config.Epsilon", Config{Epsilon: 1e-15, Delta: 0.01}},
		{"Params.CounterBits", Params{Width: 10, Depth: 1}},
		{"Params.Width", Params{Depth: 1, CounterBits: 32}},
		{"Params.Depth", Params{Width: 10, CounterBits: 32}},
		{"HeavyConfig.Phi", HeavyConfig{}},
		{"HeavyConfig.Phi", HeavyConfig{Phi: 1.01}},
		{"HeavyConfig.Phi", HeavyConfig{Phi: nan}},
		{"HeavyConfig.MemoryBytes", HeavyConfig{Phi: 0.1, MemoryBytes: -1}},
		{"HeavyConfig.MemoryBytes", HeavyConfig{Phi: 0.1, MemoryBytes: 1023}},
		{"HeavyConfig.MemoryBytes", HeavyConfig{K: 1, MemoryBytes: tracker.MaxMemory + 1}},
		{"HeavyConfig.K", HeavyConfig{K: -1}},
		{"HeavyConfig.K", HeavyConfig{K: tracker.MaxK + 1}},
		{"HeavyConfig.K", HeavyConfig{Phi: 0.1, K: 5}},
		{"HeavyConfig.Phi", HeavyConfig{Phi: -0.1, K: 5}},
		{"WindowConfig.Phi", WindowConfig{Keys: 1}},
		{"WindowConfig.Phi", WindowConfig{Phi: nan, Keys: 1}},
		{"WindowConfig.Phi", WindowConfig{Phi: 1.01, Keys: 1}},
		{"WindowConfig.K", WindowConfig{K: -1, Keys: 1}},
		{"WindowConfig.K", WindowConfig{K: tracker.MaxK + 1, Keys: 1}},
		{"WindowConfig.K", WindowConfig{Phi: 0.1, K: 1, Keys: 1}},
		{"WindowConfig", WindowConfig{Phi: 1}},
		{"WindowConfig", WindowConfig{Phi: 1, Keys: 1, Span: 8}},
		{"WindowConfig.Keys", WindowConfig{Phi: 1, Keys: mostKeys + 1}},
		{"WindowConfig.Span", WindowConfig{Phi: 1, Span: -1}},
		{"WindowConfig.Span", WindowConfig{Phi: 1, Span: math.MaxInt64}},
		// A Span need not be a multiple of Parts, but this one is too long.
		{"WindowConfig.Span", WindowConfig{Phi: 1, Span: math.MaxInt64 - mostParts, Parts: mostParts}},
		{"WindowConfig.Parts", WindowConfig{Phi: 1, Keys: 1, Parts: -1}},
		{"WindowConfig.Parts", WindowConfig{Phi: 1, Keys: 1, Parts: mostParts + 1}},
		{"WindowConfig.MemoryBytes", WindowConfig{Phi: 1, Keys: 1, MemoryBytes: -1}},
		{"WindowConfig.MemoryBytes", WindowConfig{Phi: 1, Keys: 1, MemoryBytes: 1280*9 - 1}},
		{"WindowConfig.MemoryBytes", WindowConfig{Phi: 1, Keys: 1, MemoryBytes: tracker.MaxMemory + 1}},
	} {
		requireField(t, create(c.config), hashfam.ErrParams, c.field)
	}
}

// The width is ceil(e/epsilon), and the depth is ceil(ln 1/delta) (Cormode and
// Muthukrishnan 2005).
func TestSizesMatchTheTheorem(t *testing.T) {
	machine.Matters(t)
	for _, c := range []struct {
		config Config
		want   Params
	}{
		{Config{Epsilon: 1e-3, Delta: 1e-2}, Params{Width: 2719, Depth: 5, CounterBits: 32}},
		{Config{Epsilon: 1e-4, Delta: 1e-2}, Params{Width: 27183, Depth: 5, CounterBits: 32}},
		{Config{Epsilon: 1e-4, Delta: 1e-3, CounterBits: 64}, Params{Width: 27183, Depth: 7, CounterBits: 64}},
		{Config{Epsilon: 0.5, Delta: math.Nextafter(0x1p-63, 1), CounterBits: 8}, Params{Width: 6, Depth: 44, CounterBits: 8}},
	} {
		p := must(c.config.Params())
		require.Equal(t, c.want, p)
		require.LessOrEqual(t, p.Epsilon(), c.config.Epsilon)
		require.LessOrEqual(t, p.Delta(), c.config.Delta)
		require.Equal(t, p.Width*uint64(p.Depth)*uint64(p.CounterBits/8), mustNew(t, p).SizeBytes())
	}
}

// A budget reserves 256 bytes for a tracker and the structure around it, and
// another 256 bytes for a window around its panes.
func TestStructuresFitInTheReservedBytes(t *testing.T) {
	pane := (reflect.TypeFor[tracker.Tracker]().Size() + 15) / 16 * 16 // as the allocator rounds up
	panes := tracker.NewPanes(make([]tracker.Tracker, 1), 0)
	set := uintptr(panes.SizeBytes())
	require.LessOrEqual(t, (reflect.TypeFor[HeavyHitters]().Size()+15)/16*16+pane, set)
	require.LessOrEqual(t, reflect.TypeFor[Window]().Size()+2*pane, windowBytes+2*set)
}

// A size that does not fit in a uint64 must not wrap around to a small number.
func TestSizesDoNotOverflow(t *testing.T) {
	machine.Matters(t)
	for p, size := range map[Params]uint64{
		{Width: 3, Depth: 2, CounterBits: 32}:                24,
		{Width: 1 << 57, Depth: 2, CounterBits: 32}:          1 << 60,
		{Width: 1 << 58, Depth: 2, CounterBits: 32}:          math.MaxUint64,
		{Width: 1 << 63, Depth: 2, CounterBits: 64}:          math.MaxUint64,
		{Width: math.MaxUint64, Depth: 255, CounterBits: 64}: math.MaxUint64,
		{Width: 1, Depth: -1, CounterBits: 32}:               math.MaxUint64,
	} {
		require.Equal(t, size, p.SizeBytes(), "%v", p)
	}
}

// The widest sketch of a depth has 2^48 bits. One more counter per row is an
// error, whether the Config contains a Width or an Epsilon.
func TestWidestSketchIsValid(t *testing.T) {
	for _, c := range []struct {
		bits, depth int
		delta       float64
	}{{32, 1, 0.5}, {64, 3, 0.06}} {
		width := uint64(sizing.MaxBits) / uint64(c.bits) / uint64(c.depth)
		epsilon := math.E / float64(width)
		for sizing.CountMinWidth(epsilon) > width {
			epsilon = math.Nextafter(epsilon, 1)
		}
		p := must(Config{Epsilon: epsilon, Delta: c.delta, CounterBits: c.bits}.Params())
		require.Equal(t, Params{Width: width, Depth: c.depth, CounterBits: c.bits}, p)
		require.NoError(t, p.check("Params", hashfam.ErrParams))
		p.Width++
		requireField(t, create(p), hashfam.ErrParams, "Params.Width")
		err := create(Config{Epsilon: math.E / (float64(width) + 0.5), Delta: c.delta, CounterBits: c.bits})
		requireField(t, err, hashfam.ErrParams, "Config.Epsilon")
		require.ErrorContains(t, err, fmt.Sprintf("want at least %.3g at a depth of %d", math.E/float64(width), c.depth))
	}
}

func TestStringsDescribeStructures(t *testing.T) {
	for want, s := range map[string]fmt.Stringer{
		"countmin.Sketch(conservative, 2 x 9 counters of 8 bits, family public)":                        mustNew(t, Params{Width: 9, Depth: 2, CounterBits: 8, Conservative: true}),
		"countmin.HeavyHitters(phi 0.1, memory as needed, family " + keyed.String() + ")":               must(NewHeavyHitters(HeavyConfig{Phi: 0.1, Family: keyed})),
		"countmin.HeavyHitters(k 3, 5000 bytes, family public)":                                         must(NewHeavyHitters(HeavyConfig{K: 3, MemoryBytes: 5000})),
		"countmin.Window(phi 0.1 of the last 10 keys, 2 parts, memory as needed, family public)":        must(NewWindow(WindowConfig{Phi: 0.1, Keys: 10, Parts: 2})),
		"countmin.Window(k 3 of the last 10 keys, 2 parts, memory as needed, family public)":            must(NewWindow(WindowConfig{K: 3, Keys: 10, Parts: 2})),
		"countmin.Window(phi 0.1 of the last 1m0s, 2 parts, 5000 bytes, family " + keyed.String() + ")": must(NewWindow(WindowConfig{Phi: 0.1, Span: time.Minute, Parts: 2, MemoryBytes: 5000, Family: keyed})),
	} {
		require.Equal(t, want, s.String())
	}
}

// A float64 cannot hold the longest Span.
func TestErrorShowsTheExactSpan(t *testing.T) {
	_, err := NewWindow(WindowConfig{Phi: 0.1, Span: math.MaxInt64 - 7, Parts: 8})
	require.ErrorContains(t, err, "WindowConfig.Span = 9223372036854775800, want 1 to 9223372036854774776 with 8 parts")
	_, err = NewWindow(WindowConfig{Phi: 0.1, Span: math.MinInt64 + 1})
	require.ErrorContains(t, err, "WindowConfig.Span = -9223372036854775807, want 1 to 9223372036854774783")
}

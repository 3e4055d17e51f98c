package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// An aboutJournal describes what a journal contains beside its structure.
type aboutJournal struct {
	Shards   int    `json:"shards,omitempty"`
	Position uint64 `json:"position"`
	Blocks   int    `json:"blocks"`
	Records  uint64 `json:"records"`
	Cut      int64  `json:"cut_off,omitempty"`
}

// describeJournal describes a journal. It shows the parameters of the first
// structure in it, and does not apply the blocks to this structure.
func describeJournal(ctx context.Context, name string, fam hashfam.Family) (about, error) {
	file, err := os.Open(name)
	if err != nil {
		return about{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("a journal must be in a regular file")
	}
	if err != nil {
		return about{}, fmt.Errorf("%s: %w", name, err)
	}
	size := info.Size()
	first := make([]byte, frame.MaxHeader)
	n, err := file.ReadAt(first, 0)
	if err != nil && err != io.EOF {
		return about{}, err
	}
	h, err := frame.Identify(first[:n])
	if err != nil {
		return about{}, fmt.Errorf("%s: %w", name, err)
	}
	a := about{File: name, Kind: "journal", Version: h.Version, Family: h.Family(), Bytes: uint64(size), Checksum: "right"}
	c, err := block.Inspect(file, size, h, &fault.Maker{Package: "journal"})
	if err != nil {
		a.fail(err)
		a.Checksum = "wrong"
		return a, nil
	}
	a.Journal = &aboutJournal{Position: c.Position, Blocks: c.Blocks, Records: c.Records, Cut: c.Cut}
	if c.Structures > 1 {
		a.Journal.Shards = c.Structures
	}
	a.describeFirst(ctx, file, size, fam)
	return a, nil
}

// describeFirst adds the parameters of the first structure in a journal.
func (a *about) describeFirst(ctx context.Context, file *os.File, size int64, fam hashfam.Family) {
	at := io.NewSectionReader(file, block.StartBytes, size-block.StartBytes)
	first := make([]byte, min(frame.MaxHeader, at.Size()))
	f := &openFrame{ctx: ctx, from: at, size: at.Size()}
	_, err := at.ReadAt(first, 0)
	if err == nil {
		f.header, err = frame.Identify(first)
	}
	if err == nil {
		err = f.checkMemory(0)
	}
	if err == nil {
		var s structure
		if s, err = f.decode(fam); err == nil && s != nil {
			a.Parameters = parametersOf(s)
		}
	}
	if err != nil {
		a.fail(err)
	}
}

// print prints the fields that are known.
func (a *aboutJournal) print(line func(name, format string, args ...any)) {
	if a.Shards > 0 {
		line("shards", "%d", a.Shards)
	}
	line("position", "%d", a.Position)
	line("blocks", "%d, with %d records", a.Blocks, a.Records)
	if a.Cut > 0 {
		line("cut off", "%d bytes at the end, of a block that was interrupted", a.Cut)
	}
}

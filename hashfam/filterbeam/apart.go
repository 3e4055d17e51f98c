package filterbeam

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
)

// Apart: each owner builds a filter of the keys of its shard and writes its
// frame to a file. One task writes the index of the files.
type apart struct{ spec spec }

func (apart) perKey() uint64 { return 1 }

func (a apart) collector() (collector, error) {
	return a.spec.digestCollector(a.spec.Parts, func(d hashfam.Digest) int { return d.Shard(a.spec.Parts) })
}

// A shardFile is the file of a part.
type shardFile struct {
	part
	FPRate float64 // expected if no key occurs twice
}

func (a apart) gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	var sum Summary
	filter, err := a.build(ctx, &sum, values)
	if err != nil {
		return nil, fmt.Errorf("filterbeam: part %d: %w", owner, err)
	}
	file := shardFile{part: part{Owner: owner, Name: fileName(unique(out, shardPurpose))}, FPRate: sum.FPRate}
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	err = writeFile(ctx, fs, string(file.Name), func(w io.Writer) error {
		n, err := filter.WriteTo(checksummed{w, &file.CRC})
		file.Bytes = uint64(n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("filterbeam: %s: %w", file.Name, err)
	}
	return json.Marshal(file)
}

// build returns the filter of a part. It sets what sum tells of its keys.
func (a apart) build(ctx context.Context, sum *Summary, values iter.Seq[[]byte]) (io.WriterTo, error) {
	if a.spec.Kind == cuckooKind || a.spec.Kind == staticKind {
		digests, err := sortedValues(ctx, values)
		if err != nil {
			return nil, err
		}
		return a.spec.buildSorted(ctx, uint64(len(digests)), sum, func(add func([]hashfam.Digest) error) error {
			return add(digests)
		})
	}
	filter, err := a.spec.open()
	if err != nil {
		return nil, err
	}
	var digests []hashfam.Digest
	for block := range values {
		digests = parseWords(digests[:0], block)
		sum.Keys += uint64(len(digests))
		if err := filter.addDigests(digests); err != nil {
			return nil, err
		}
	}
	filter.describe(sum)
	return filter, nil
}

// A checksummed writer updates the CRC-32 of an index.
type checksummed struct {
	io.Writer
	crc *uint32
}

func (c checksummed) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	*c.crc = crc32.Update(*c.crc, index.Table, p[:n])
	return n, err
}

// finish writes the index. A part that got no key has no file.
func (a apart) finish(ctx context.Context, out string, records iter.Seq2[[]byte, error], sum *Summary) error {
	x := index.Index{Version: 1, Kind: string(a.spec.Kind), Check: a.spec.Check, Parts: make([]index.Part, a.spec.Parts)}
	for record, err := range records {
		if err != nil {
			return err
		}
		var f shardFile
		if err := json.Unmarshal(record, &f); err != nil {
			return fmt.Errorf("filterbeam: record of a part: %w", err)
		}
		x.Parts[f.Owner] = index.Part{Name: filepath.Base(string(f.Name)), Bytes: int64(f.Bytes), CRC: f.CRC}
		sum.FPRate += f.FPRate / float64(a.spec.Parts)
		sum.Size += f.Bytes
	}
	encoded, err := x.Append(nil)
	if err != nil {
		return err
	}
	return replace(ctx, out, func(w io.Writer) error {
		_, err := w.Write(encoded)
		return err
	})
}

// keep returns the names of the files that the index out has, if the plan is
// one of parts: those that stay.
func (s spec) keep(ctx context.Context, out string) (map[string]bool, error) {
	if s.Parts == 0 {
		return nil, nil
	}
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	data, err := filesystem.Read(ctx, fs, out)
	if err != nil {
		return nil, err
	}
	x, err := index.Parse(data)
	keep := map[string]bool{}
	for _, p := range x.Parts {
		keep[p.Name] = true
	}
	return keep, err
}

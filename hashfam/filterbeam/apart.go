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
	FPRate   float64
	Distinct uint64
}

func (a apart) gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	var sum Summary
	filter, err := a.build(ctx, &sum, values)
	if err != nil {
		return nil, fmt.Errorf("filterbeam: part %d: %w", owner, err)
	}
	file := shardFile{part: part{Owner: owner, Name: fileName(unique(out, shardPurpose))}, FPRate: sum.FPRate, Distinct: sum.Distinct}
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

// build returns the filter of a part, and describes it.
func (a apart) build(ctx context.Context, sum *Summary, values iter.Seq[[]byte]) (io.WriterTo, error) {
	p, err := a.spec.process()
	if err != nil {
		return nil, err
	}
	for block := range values {
		if err := p.addBlock(block); err != nil {
			return nil, err
		}
	}
	return p.finish(ctx, sum)
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
	files, err := decodeRecords[shardFile](records)
	if err != nil {
		return err
	}
	for _, f := range files {
		x.Parts[f.Owner] = index.Part{Name: filepath.Base(string(f.Name)), Bytes: int64(f.Bytes), CRC: f.CRC}
		sum.FPRate += f.FPRate / float64(a.spec.Parts)
		sum.Distinct += f.Distinct
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

package filterbeam

import (
	"context"
	"io"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	localfiles "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

// cutScheme is that of local files on which every operation may fail because
// the worker is lost. A name is the scheme and the name of the local file.
const cutScheme = "cut://"

func init() {
	filesystem.Register("cut", func(ctx context.Context) filesystem.Interface { return cutFiles{localfiles.New(ctx)} })
}

type cutFiles struct{ local filesystem.Interface }

func (c cutFiles) Close() error { return c.local.Close() }

func (c cutFiles) List(ctx context.Context, pattern string) ([]string, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return nil, err
	}
	names, err := c.local.List(ctx, strings.TrimPrefix(pattern, cutScheme))
	for i := range names {
		names[i] = cutScheme + names[i]
	}
	return names, err
}

func (c cutFiles) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return nil, err
	}
	file, err := c.local.OpenRead(ctx, strings.TrimPrefix(name, cutScheme))
	if err != nil {
		return nil, err
	}
	return cutReader{ctx, file.(io.ReadSeekCloser)}, nil
}

func (c cutFiles) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return nil, err
	}
	file, err := c.local.OpenWrite(ctx, strings.TrimPrefix(name, cutScheme))
	return cutWriter{ctx, file}, err
}

func (c cutFiles) Size(ctx context.Context, name string) (int64, error) {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return 0, err
	}
	return c.local.Size(ctx, strings.TrimPrefix(name, cutScheme))
}

func (c cutFiles) Remove(ctx context.Context, name string) error {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return err
	}
	return c.local.(filesystem.Remover).Remove(ctx, strings.TrimPrefix(name, cutScheme))
}

func (c cutFiles) Rename(ctx context.Context, from, to string) error {
	if err := cutrunner.FileOperation(ctx); err != nil {
		return err
	}
	return c.local.(filesystem.Renamer).Rename(ctx, strings.TrimPrefix(from, cutScheme), strings.TrimPrefix(to, cutScheme))
}

// A cutReader is a local file that is read.
type cutReader struct {
	ctx context.Context
	io.ReadSeekCloser
}

func (r cutReader) Read(p []byte) (int, error) {
	if err := cutrunner.FileOperation(r.ctx); err != nil {
		return 0, err
	}
	return r.ReadSeekCloser.Read(p)
}

// A cutWriter is a local file that is written.
type cutWriter struct {
	ctx context.Context
	io.WriteCloser
}

func (w cutWriter) Write(p []byte) (int, error) {
	if err := cutrunner.FileOperation(w.ctx); err != nil {
		return 0, err
	}
	return w.WriteCloser.Write(p)
}

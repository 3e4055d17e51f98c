package filterbeam_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/parts"
)

// A job on the runner in this process builds a filter from the lines of files.
func Example() {
	dir, err := os.MkdirTemp("", "filterbeam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for i, text := range []string{"ada\ngrace\n", "edsger\nbarbara\n"} {
		name := filepath.Join(dir, fmt.Sprintf("keys-%d.txt", i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1000, FPRate: 0.01, Layout: bloom.Blocked})
	if err != nil {
		log.Fatal(err)
	}
	out := filepath.Join(dir, "out.bin")
	p, s := beam.NewPipelineWithRoot()
	filterbeam.Files(s, plan, out, filepath.Join(dir, "keys-*.txt"))
	result, err := prism.Execute(context.Background(), p)
	if err != nil {
		log.Fatal(err)
	}
	sum := filterbeam.Result(out, result)
	fmt.Println(sum.Keys, "keys of", sum.Files, "files")

	frame, err := os.ReadFile(out)
	if err != nil {
		log.Fatal(err)
	}
	var f bloom.Filter
	if err := f.UnmarshalBinary(frame); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.ContainsString("grace"), f.ContainsString("alan"))
	// Output:
	// 4 keys of 2 files
	// true false
}

// Without an engine.
func ExampleLocal() {
	dir, err := os.MkdirTemp("", "filterbeam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	keys := filepath.Join(dir, "keys.txt")
	if err := os.WriteFile(keys, []byte("ada\ngrace\nedsger\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	sum, err := filterbeam.Local(context.Background(), plan, filepath.Join(dir, "out.bin"), nil, keys)
	fmt.Println(sum.Keys, err)
	// Output: 3 <nil>
}

// A filter for each key of a collection of pairs. Use it with
// beam.CombinePerKey.
func ExampleCombine() {
	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	combine, err := filterbeam.Combine[string](plan)
	if err != nil {
		log.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	pairs := beam.ParDo(s, byInitial, beam.Create(s, "ada", "alan", "barbara"))
	frames := beam.CombinePerKey(s, combine, pairs) // pairs of an initial and a frame
	fmt.Println(frames.Type(), p != nil)
	// Output: KV<string,[]uint8> true
}

func byInitial(name string) (string, string) { return name[:1], name }

// A keyed family is known to all workers by its name. Here the key is fixed; a
// program would read it from where it keeps its secrets.
func ExampleRegisterFamily() {
	err := filterbeam.RegisterFamily("users", func() (hashfam.Family, error) {
		return hashfam.New(hashfam.Key{1, 2, 3, 4}), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = filterbeam.Bloom(bloom.Config{
		Capacity: 1000, FPRate: 0.01, Family: hashfam.New(hashfam.Key{1, 2, 3, 4}),
	})
	fmt.Println(err)
	// Output: <nil>
}

// Keys that are elements of a pipeline, here of a list.
func ExampleBuild() {
	dir, err := os.MkdirTemp("", "filterbeam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	if plan, err = plan.Windows(4); err != nil { // four tasks, each with a quarter of the array
		log.Fatal(err)
	}
	out := filepath.Join(dir, "out.bin")
	p, s := beam.NewPipelineWithRoot()
	filterbeam.Build(s, plan, out, beam.Create(s, "ada", "grace"))
	result, err := prism.Execute(context.Background(), p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filterbeam.Result(out, result).Keys)
	// Output: 2
}

// A filter in parts. Each part is a file; the output is an index of them.
func ExamplePlan_Parts() {
	dir, err := os.MkdirTemp("", "filterbeam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	// Each of the 8 parts gets an eighth of 8,000 keys, or a little more.
	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 8000/8 + 200, FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	if plan, err = plan.Parts(8); err != nil {
		log.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	filterbeam.Build(s, plan, filepath.Join(dir, "users"), beam.Create(s, "ada", "grace"))
	if _, err := prism.Execute(context.Background(), p); err != nil {
		log.Fatal(err)
	}

	// A program that answers queries, which needs no engine.
	f, err := parts.Open(os.DirFS(dir), "users", hashfam.Family{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := f.ContainsString("grace") // reads one part
	fmt.Println(found, err)
	// Output: true <nil>
}

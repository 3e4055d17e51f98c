package filterbeam_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/parts"
)

// folder returns a new folder that contains keys.txt with the given text.
func folder(keys string) string {
	dir, err := os.MkdirTemp("", "filterbeam")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "keys.txt"), []byte(keys), 0o600); err != nil {
		log.Fatal(err)
	}
	return dir
}

// A job builds a filter from the lines of files, using the runner in this
// process.
func Example() {
	dir := folder("ada\ngrace\nedsger\n")
	defer os.RemoveAll(dir)

	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1000, FPRate: 0.01, Layout: bloom.Blocked})
	if err != nil {
		log.Fatal(err)
	}
	out := filepath.Join(dir, "out.bin")
	p, s := beam.NewPipelineWithRoot()
	filterbeam.Files(s, plan.Strict(), out, filepath.Join(dir, "*.txt")) // fails if Capacity is too small
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
	// 3 keys of 1 files
	// true false
}

// Combine and beam.CombinePerKey build a filter for each key in a collection of
// pairs.
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

// All workers know a keyed family by its name. Here the key is fixed. A program
// should read it from a secret store instead.
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

// The keys are the elements of a collection, which is a list here. Four tasks
// each build a quarter of the filter.
func ExampleBuild() {
	dir := folder("")
	defer os.RemoveAll(dir)
	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	if plan, err = plan.Windows(4); err != nil {
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

// A job builds a filter in parts. Each part is a file, and the output is an
// index of these files.
func ExamplePlan_Parts() {
	dir := folder("")
	defer os.RemoveAll(dir)
	// Each of the 8 parts gets about an eighth of 8,000 keys.
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

	// This program queries the filter without an engine.
	f, err := parts.Open(os.DirFS(dir), "users", hashfam.Family{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := f.ContainsString("grace") // reads one part
	fmt.Println(found, err)
	// Output: true <nil>
}

// A semijoin passes on the orders, which are lines "customer,...", whose
// customer may be in the small table.
type semijoin struct {
	Frame     string // the file of the filter, which every worker can read
	customers *bloom.Filter
}

func (s *semijoin) Setup() error {
	data, err := os.ReadFile(s.Frame)
	if err != nil {
		return err
	}
	s.customers = new(bloom.Filter)
	return s.customers.UnmarshalBinary(data)
}

func (s *semijoin) ProcessElement(order string, emit func(string)) {
	if customer, _, _ := strings.Cut(order, ","); s.customers.ContainsString(customer) {
		emit(order)
	}
}

func init() {
	register.DoFn2x0[string, func(string)](&semijoin{})
	register.Function1x0(order)
}

var joined sync.Map

func Example_join() {
	dir := folder("")
	defer os.RemoveAll(dir)
	customers := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01}))
	customers.AddString("ada")
	customers.AddString("grace")
	frame := filepath.Join(dir, "frame")
	if err := hashfam.WriteFile(frame, customers); err != nil {
		log.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	orders := beam.Create(s, "ada,tea", "alan,tea", "grace,salt")
	beam.ParDo0(s, order, beam.ParDo(s, &semijoin{Frame: frame}, orders))
	if _, err := prism.Execute(context.Background(), p); err != nil {
		log.Fatal(err)
	}
	for _, order := range []string{"ada,tea", "alan,tea", "grace,salt"} {
		_, found := joined.Load(order)
		fmt.Println(order, found)
	}
	// Output:
	// ada,tea true
	// alan,tea false
	// grace,salt true
}

func order(o string) { joined.Store(o, true) }

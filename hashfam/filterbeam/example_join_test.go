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
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
)

// A semijoin passes on the orders, lines "customer,...", that may find their
// customer in the small table.
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
	dir, err := os.MkdirTemp("", "filterbeam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	frame, customers := filepath.Join(dir, "frame"), filepath.Join(dir, "customers")
	if err := os.WriteFile(customers, []byte("ada\ngrace\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := filterbeam.Local(context.Background(), plan, frame, nil, customers); err != nil {
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

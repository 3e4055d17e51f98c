package fault_test

import (
	"testing"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
)

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	fam := hashfam.New(hashfam.Key{1})
	const filter = "use of a zero Filter( or View: make it with New or NewView|: make it with New), or decode into it$"
	checks.ZeroValues(t, "^cuckoo: "+filter, new(cuckoo.Filter), cuckoo.NewReceiver(fam), new(cuckoo.View))
	checks.ZeroValues(t, "^cuckoo: use of a zero Scalable: make it with NewScalable, or decode into it$",
		new(cuckoo.Scalable), cuckoo.NewScalableReceiver(fam))
	checks.ZeroValues(t, "^sharded: use of a zero Of: make it with New$", new(sharded.Of[int]))
}

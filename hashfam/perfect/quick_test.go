package perfect
import ("testing";"fmt";"time";"math/rand/v2";"github.com/filterfam/filterfam/hashfam")
func TestQuick(t *testing.T) {
	for _, compact := range []bool{false, true} {
	for _, n := range []int{0,1,2,3,5,8,9,10,11,20,50,100,1000,10000,1000000} {
		if compact && n>2000000 { continue }
		r := rand.New(rand.NewPCG(1,uint64(n)))
		ds := make([]hashfam.Digest, n)
		for i := range ds { ds[i] = hashfam.Digest(r.Uint64()) }
		orig := append([]hashfam.Digest{}, ds...)
		t0 := time.Now()
		f, err := NewFromDigests(Config{Compact: compact}, ds)
		el := time.Since(t0)
		if err != nil { t.Fatal(err) }
		seen := make([]bool, n)
		t0 = time.Now()
		for _, d := range orig { i := f.IndexDigest(d); if seen[i] { t.Fatal("dup", i) }; seen[i] = true }
		fmt.Println(compact, n, f.shape.bumped, f.BitsPerKey(), el.Nanoseconds()/int64(max(n,1)), "build; query", time.Since(t0).Nanoseconds()/int64(max(n,1)))
	}}
}

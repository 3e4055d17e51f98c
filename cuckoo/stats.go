package cuckoo

// FillRatio returns the fraction of slots that are used, 0 to 1.
func (f *readable) FillRatio() float64 { return float64(f.count) / float64(f.params.slots()) }

// FalsePositiveRate returns the current false-positive rate, which is
// [Params.RateAt] for Len keys. Each copy counts as a key, so the true rate is
// lower if there are copies. The true rate is higher if ContainsOrAdd added the
// keys, because it adds no key that matches another one, so no two keys match
// the same query. If FalsePositiveRate returns r, the true rate is then about
// -ln(1-r), for example 0.128 instead of 0.12.
func (f *readable) FalsePositiveRate() float64 { return f.params.RateAt(f.count) }

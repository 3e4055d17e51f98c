package report

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

const spaceLegend = "How to read it: bound is bits/key divided by the least possible for the target rate: log2(1/target), plus log2(e) = 1.44 if keys can be deleted. " +
	"For filters that know the absent keys, it is divided by the least possible for finding the keys and none of these. lost is the number of added keys that were not found and must be 0. " +
	"add, hit, miss and delete (del) are median times in ns: hit for keys that were added, miss for others. also lists other operations."

const hashLegend = "hash is the function that hashes each key, which the times include. A library that accepts only hashes gets those of our SipHash."

// hashesDiffer reports whether a table needs a column for the hash function.
// The map's hash function is not worth one.
func hashesDiffer(list []measure.Row) bool {
	return slices.ContainsFunc(list, func(x measure.Row) bool { return x.Of.Peer || x.Of.Process })
}

// withHash adds the hash functions of the rows after the structures.
func withHash(t table, list []measure.Row) table {
	t.Columns = slices.Insert(t.Columns, 1, column{name: "hash", Left: true, drop: 3})
	for i, x := range list {
		t.Lines[i].Cells = slices.Insert(t.Lines[i].Cells, 1, x.Hash)
	}
	return t
}

// spaceTable groups the rows by their target rate. It shows the hash functions
// if they differ.
func spaceTable(list []measure.Row) table {
	t := table{Columns: []column{
		{name: "structure", Left: true}, {name: "target", title: "target rate"}, {name: "bits/key"},
		{name: "bound", title: "× bound", drop: 4}, {name: "measured", title: "measured rate"},
		{name: "95% interval", title: "95% interval", drop: 1}, {name: "lost", title: "lost keys"},
		{name: "add", title: "add ns"}, {name: "hit", title: "hit ns"}, {name: "miss", title: "miss ns", drop: 6},
		{name: "del", title: "delete ns", drop: 5}, {name: "also", Left: true, drop: 2},
	}}
	for _, x := range list {
		rate, interval := "0", "-"
		if !x.Of.Exact && !x.Of.Knows || x.FPR > 0 {
			rate, interval = measuredRate(x.FPR, x.FPRLow, x.FPRHigh)
		}
		t.Lines = append(t.Lines, line{group: group(x), Wrong: x.FalseNegatives > 0, Cells: []string{
			x.Structure, target(x), hundredths(x.BitsPerKey), orDash(x.BoundRatio, bound), rate, interval,
			brief(x.FalseNegatives), nanoseconds(x.AddNS), nanoseconds(x.HitNS), nanoseconds(x.MissNS),
			orDash(x.DeleteNS, nanoseconds), cmp.Or(x.Of.Also, "-"),
		}})
	}
	if hashesDiffer(list) {
		return withHash(t, list)
	}
	return t
}

func target(x measure.Row) string {
	switch {
	case x.Of.Exact:
		return "exact"
	case x.Of.Fixed > 0, x.Beside:
		return strconv.FormatFloat(100*x.TargetFPR, 'g', 2, 64) + "%"
	}
	return percentOf(x.TargetFPR)
}

// group returns the name of the row's group: its target rate, or "fixed" if the
// rate cannot be chosen or is used for comparison with such a row.
func group(x measure.Row) string {
	if x.Of.Fixed > 0 || x.Beside {
		return "fixed"
	}
	return target(x)
}

const ratiosLegend = "Against ours: times and bits divided by the times and bits of the named structure of ours (median over the rounds). " +
	"Ours is faster or smaller if the number is above 1. If the rates differ, ours with the nearest rate is used."

// ratioTable compares third-party libraries with ours.
func ratioTable(list []measure.Row) table {
	t := table{Columns: []column{
		{name: "structure", Left: true}, {name: "target", title: "target rate", drop: 1}, {name: "against"}, {name: "bits", drop: 2},
		{name: "add"}, {name: "hit"}, {name: "miss"}, {name: "del", title: "delete", drop: 3},
	}}
	for _, x := range list {
		against := orDash(x.Rate, func(rate float64) string { return x.Against + " " + percentOf(rate) })
		if x.Of.Peer && x.Of.Against != "" {
			t.Lines = append(t.Lines, line{group: group(x), Cells: []string{
				x.Structure, target(x), against, orDash(x.Bits, ratio),
				orDash(x.Add, ratio), orDash(x.Hit, ratio), orDash(x.Miss, ratio), orDash(x.Delete, ratio),
			}})
		}
	}
	return t
}

const countLegend = "How to read it: error is the mean error of a count, which is High in heavy-hitters and top-k, over all distinct keys, and max the largest error. bound is the " +
	"sketch's bound for 99% of keys, above the percentage of keys that exceed it, and 99% the closer bound that ErrorQuantile returns. heavy is the number of keys to report: " +
	"those that make up at least 0.1% of the total, or the 100 most frequent keys. missed keys were not reported; extra keys were reported, but are not among these. " +
	"setting is a sketch's epsilon and delta, or phi or k with the memory size."

func countTable(list []measure.FrequencyRow) table {
	t := table{Columns: []column{
		{name: "counting", Left: true}, {name: "setting", Left: true, drop: 2}, {name: "KiB"}, {name: "bits/key", drop: 1},
		{name: "error"}, {name: "max", drop: 6}, {name: "bound", drop: 4}, {name: "above", drop: 3}, {name: "99%", drop: 5},
		{name: "heavy"}, {name: "missed"}, {name: "extra"}, {name: "add"},
	}}
	for _, x := range list {
		cells := []string{x.Structure, x.Setting, decimals(float64(x.Bytes)/1024, 1), decimals(x.BitsPerKey, 2)}
		cells = append(append(cells, errorCells(x)...), measure.Thousands(x.Wanted), mean(x.Missed), mean(x.Extra), nanoseconds(x.AddNS))
		t.Lines = append(t.Lines, line{Wrong: x.BelowTruth > 0, Cells: cells})
	}
	return t
}

// errorCells formats the errors, their bound, the share of keys above it, and
// the error quantile.
func errorCells(x measure.FrequencyRow) []string {
	most := func(x float64) string { return brief(uint64(x)) }
	above := func(float64) string { return percent(x.AboveBound, 2) }
	return []string{
		orDash(x.MeanError, hundredths), orDash(x.MaxError, most), orDash(x.ErrorBound, hundredths), orDash(x.ErrorBound, above),
		orDash(x.Quantile, hundredths),
	}
}

// timeTable contains the times for every second number of keys in the figure.
func timeTable(keys []int, times []measure.Curve) table {
	t := table{Columns: []column{{name: "structure", Left: true}}}
	for i := 2; i < len(keys); i += 2 {
		t.Columns = append(t.Columns, column{name: measure.Thousands(keys[i])})
	}
	for _, c := range times {
		cells := []string{c.Name()}
		for i := 2; i < len(c.NS); i += 2 {
			cells = append(cells, nanoseconds(c.NS[i]))
		}
		t.Lines = append(t.Lines, line{Cells: cells})
	}
	return t
}

// errorTable contains the errors for every second memory size in the figure.
func errorTable(list []measure.FrequencyRow) table {
	t := table{Columns: []column{
		{name: "KiB"}, {name: "structure", Left: true}, {name: "mean error"}, {name: "largest"}, {name: "bound"},
		{name: "above it"}, {name: "ErrorQuantile"}, {name: "missed"}, {name: "extra"},
	}}
	for _, x := range list {
		if bits.TrailingZeros(uint(x.Memory))%2 != 0 {
			continue
		}
		cells := append([]string{strconv.Itoa(x.Memory >> 10), x.Structure}, errorCells(x)...)
		t.Lines = append(t.Lines, line{Cells: append(cells, mean(x.Missed), mean(x.Extra))})
	}
	return t
}

func decimals(x float64, number int) string { return strconv.FormatFloat(x, 'f', number, 64) }

// percentOf formats a requested rate.
func percentOf(rate float64) string { return strconv.FormatFloat(100*rate, 'g', 4, 64) + "%" }

func percent(rate float64, number int) string { return decimals(100*rate, number) + "%" }

// measuredRate formats a rate and its interval. Narrow ones get more decimals.
func measuredRate(rate, low, high float64) (point, interval string) {
	number := min(max(2-int(math.Ceil(math.Log10(100*(high-low)/2))), 1), 4)
	return percent(rate, number), strings.TrimSuffix(percent(low, number), "%") + "-" + percent(high, number)
}

// brief uses up to four characters to format n if it is below 999 million.
func brief(n uint64) string {
	switch {
	case n < 10_000:
		return strconv.FormatUint(n, 10)
	case n < 999_500:
		return decimals(float64(n)/1e3, 0) + "k"
	}
	return decimals(float64(n)/1e6, 0) + "M"
}

// upTo returns a function that formats numbers below a limit with decimals.
func upTo(limit float64, number int) func(float64) string {
	return func(x float64) string {
		if x < limit {
			return decimals(x, number)
		}
		return decimals(x, 0)
	}
}

var (
	hundredths  = upTo(999.995, 2)
	nanoseconds = upTo(9.95, 1)
	ratio       = upTo(9.995, 2) // a ratio of times or sizes
	bound       = upTo(100, 2)
)

func mean(x float64) string { return strings.TrimSuffix(decimals(x, 1), ".0") }

// orDash formats *x, or returns a dash if x is nil.
func orDash(x *float64, write func(float64) string) string {
	if x == nil {
		return "-"
	}
	return write(*x)
}

// Attacks contains the results of all attacks.
type Attacks struct {
	Machine  Machine          `json:"machine"`
	Findings []attack.Finding `json:"attacks"`
}

const attackLegend = "How to read it: each adversary has this program and can add keys; knows lists additional knowledge. cost is the number of keys hashed on " +
	"the adversary's machine, or of queries and adds. honest is the outcome without an attack. " +
	"public is our structure under the public family, and keyed under a secret key. The others are third-party libraries with default settings; " +
	"in a→b, a is the library's honest outcome if it is very different from ours. key is the effect of a secret key."

func (r Attacks) parts(width int, show func(table) string) (parts []string) {
	for _, b := range attack.Battles {
		legend := ""
		for _, a := range b.Attacks {
			text := strings.TrimSuffix(wrap("- "+a.Name+": "+a.About+".", width-2), "\n")
			legend += strings.ReplaceAll(text, "\n", "\n  ") + "\n"
		}
		parts = append(parts, "### "+b.Title+"\n", show(r.table(b)), legend)
	}
	var peers []string
	for _, f := range r.Findings {
		if f.Module != "" {
			peers = append(peers, f.Target+" is "+f.Module+" "+f.Version)
		}
	}
	slices.Sort(peers)
	libraries := "Libraries: " + strings.Join(slices.Compact(peers), "; ") + "."
	return append(parts, wrap(attackLegend, width), wrap(libraries, width))
}

func (r Attacks) table(b attack.Battle) table {
	t := table{Columns: []column{
		{name: "attack", Left: true}, {name: "knows", Left: true, drop: 1}, {name: "cost", drop: 2}, {name: "honest"},
	}}
	var targets []string
	found := make(map[[2]string]attack.Finding) // by attack and target
	for _, f := range measure.Where(r.Findings, func(f attack.Finding) bool { return f.Section == b.Title }) {
		if !slices.Contains(targets, f.Target) {
			targets = append(targets, f.Target)
			t.Columns = append(t.Columns, column{name: f.Target})
		}
		found[[2]string{f.Attack, f.Target}] = f
	}
	t.Columns = append(t.Columns, column{name: "key", Left: true})
	for _, a := range b.Attacks {
		first := found[[2]string{a.Name, attack.Public}]
		cells := []string{a.Name, cmp.Or(a.Knows, "-"), cost(first), inUnit(a.Unit, first.Honest)}
		for _, name := range targets {
			cells = append(cells, outcome(a, found[[2]string{a.Name, name}], first.Honest))
		}
		t.Lines = append(t.Lines, line{Cells: append(cells, a.Key)})
	}
	return t
}

func cost(f attack.Finding) string {
	switch {
	case f.Hashes > 0:
		return brief(uint64(f.Hashes)) + " hashes"
	case f.Queries > 0:
		return brief(uint64(f.Queries)) + " queries"
	}
	return "-"
}

// outcome formats an outcome, after the honest one if that is far from ours.
func outcome(a attack.Attack, f attack.Finding, honest float64) string {
	text := inUnit(a.Unit, f.Outcome)
	switch {
	case f.Attack == "":
		return "-"
	case f.Target != attack.Keyed && (f.Honest > 2*honest || f.Honest < honest/2):
		return strings.TrimSuffix(inUnit(a.Unit, f.Honest), "%") + "→" + text
	}
	return text
}

func inUnit(u attack.Unit, x float64) string {
	switch u {
	case attack.Tenths:
		return decimals(x, 1)
	case attack.Hundredths:
		return hundredths(x)
	case attack.Whole:
		return measure.Thousands(uint64(x))
	}
	return strings.Replace(percent(x, 1), ".0%", "%", 1)
}

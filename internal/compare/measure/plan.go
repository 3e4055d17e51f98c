package measure

// A Plan says how often everything is built and how many absent keys each build
// is queried for. The false positives of one build are not independent of each
// other: a build that happens to be fuller has more of them. Querying each
// build for no more absent keys than it has members keeps that effect below the
// sampling error, so that the intervals, pooled over all builds, hold.
type Plan struct{ Rounds, queries int }

const (
	queryGoal = 1_000_000 // absent keys to query per row: rates down to 1e-5 then show
	minRounds = 5
	fewKeys   = 100         // that a build is queried for, even if it has fewer members
	mostAdded = 5_000_000   // members added in all rounds, if five rounds do not need more
	mostBytes = 100_000_000 // of members added and absent keys queried in all rounds, too
	timedOps  = 20_000      // the fewest operations to time together, if rounds are few
)

// newPlan reaches the goal of queries unless there are few absent keys, or keys
// are long: then that would take a great many builds, or bytes to hash.
func newPlan(d *Dataset) Plan {
	n := d.Members.Len()
	p := Plan{queries: min(d.Absent.Len(), max(n, fewKeys), queryGoal)}
	rounds := min((queryGoal+p.queries-1)/p.queries, mostAdded/n, queryGoal/fewKeys, mostBytes/p.bytes(d))
	p.Rounds = max(minRounds, rounds)
	return p
}

// bytes returns how many bytes of keys a round adds and queries, at least 1.
func (p Plan) bytes(d *Dataset) int {
	absent := len(d.Absent.bytes) / d.Absent.Len()
	return max(1, len(d.Members.bytes)+p.queries*absent)
}

// repeats returns how often a round repeats what takes too short to be timed.
// The median over many rounds makes up for the shortness of each.
func (p Plan) repeats(d *Dataset) int {
	short := timedOps * minRounds / (d.Members.Len() * p.Rounds)
	return max(1, min(short, mostBytes/(p.bytes(d)*p.Rounds)))
}

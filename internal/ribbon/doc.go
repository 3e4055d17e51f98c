// Package ribbon builds and queries bumped ribbons: functions from digests to
// values of a few bits that need hardly more memory than the values themselves
// (BuRR: Dillinger, Hübschle-Schneider, Sanders and Walzer, SEA 2022).
//
// # The function
//
// A digest's value is the sum modulo 2 of some slots in an array. The first
// value of the digest's probe sequence selects a slot, the start. The second
// value selects which of the 64 slots from the start on belong to the sum. A
// slot has one bit for each of r columns. To build the array, one linear
// equation must be solved for each digest and column.
//
// Since not all equations can be solved, 256 neighboring starts form a bucket
// with a threshold. Digests whose start is below the threshold are bumped to
// the next layer, which is a smaller ribbon using the following three values of
// the probe sequence. A threshold has four bits: up to 14, it is the number of
// groups of eight starts that are bumped, and 15 bumps the whole bucket. The
// build uses no random numbers and never starts over.
//
// # Uses
//
// [Members] builds a filter. The value of each member is a fingerprint: r bits
// of the third value of its probe sequence. [Ribbon.Contains] compares a
// digest's value with its fingerprint, so a digest that is not a member is a
// false positive with probability 2^-r.
//
// [Separated] builds a filter that contains no digest of a second list, the
// others. It adds a second ribbon of one column for all members, and for each
// of the others that the first ribbon contains. In the second ribbon, a
// member's value is its fingerprint, but the value of one of the others is the
// opposite of its fingerprint.
//
// Both functions read lists in the order of [Sort]:
//
//	members, err := ribbon.Sort(ctx, b, digests)   // sorted, without copies
//	filter, err := ribbon.Members(ctx, b, columns, members)
//	filter, err = ribbon.Separated(ctx, b, columns, members, others, false)
//
// # Columns
//
// When the rate is between two powers of two, the first segments of 64 slots
// have r-1 columns, and the others have r. Numbers of columns are therefore in
// units of 1/65536, and r is the number rounded up. A ribbon without columns
// uses no memory and contains every digest.
package ribbon

// Package ribbon builds and queries bumped ribbons: functions from digests to
// values of a few bits that take hardly more memory than the values themselves
// (BuRR: Dillinger, Hübschle-Schneider, Sanders and Walzer, SEA 2022).
//
// # The function
//
// The value of a digest is a sum modulo 2 of at most 64 of the slots of an
// array. The first value of the digest's probe sequence chooses where they
// start, the second which of the 64 slots from there belong to the sum. A slot
// has one bit for each of r columns. To build the array is to solve one linear
// equation for each digest and column.
//
// Not all equations can be solved. 256 neighboring starts are a bucket, and
// each bucket has a threshold: digests that start below it are bumped to the
// next layer, which is a smaller ribbon that goes on three values further in
// the probe sequence. Nothing is random and nothing is retried.
//
// # Two uses
//
// [Members] builds a filter: the value of each digest is a fingerprint, the
// third value of its probe sequence. [Ribbon.Contains] compares the two, and a
// digest that is not a member passes with the chance 2^-r. [Values] stores the
// number of the list that each digest is in, which [Ribbon.Value] returns. Its
// answer is arbitrary for digests in no list.
//
// Both read lists that [Sort] has put in order, and leave them unchanged:
//
//	members, err := ribbon.Sort(ctx, b, digests)   // sorted, without copies
//	filter, err := ribbon.Members(ctx, b, columns, members)
//	values, err := ribbon.Values(ctx, b, 1<<16, list0, list1)
//
// [Stream] builds a filter from digests that arrive in that order, so that they
// never have to be in memory together.
//
// # Columns
//
// Rates between powers of two mix two numbers of columns: the first segments of
// 64 slots have r-1 columns and the others r. Numbers of columns are therefore
// given in units of 1/65536, with r rounded up. A ribbon without columns takes
// no memory; it contains every digest, and every value is 0.
//
// # Encoding
//
// [Ribbon.Payload] is the body of a frame, and [Parse] reads it. Together with
// the columns, the number of keys and the number of layers, which the header
// has, it is the whole ribbon.
package ribbon

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// absentGoal is how many absent keys are made up if none are given.
const absentGoal = 1_000_000

// syntheticData draws n members and at least a million absent keys of 16
// random bytes from a fixed seed. Two of them are equal with a probability
// below 2^-70.
func syntheticData(n int) *dataset {
	source := rand.NewChaCha8([32]byte([]byte("filterfam compare synthetic keys")))
	d := &dataset{members: syntheticKeys(source, n), absent: syntheticKeys(source, max(n, absentGoal))}
	d.about = fmt.Sprintf("Members: %s of 16 bytes. Absent keys to query: %s others.",
		counted(n, "random key", "random keys"), thousands(d.absent.len()))
	return d
}

func syntheticKeys(source *rand.ChaCha8, n int) keyList {
	l := keyList{bytes: make([]byte, 16*n), ends: make([]int, n)}
	source.Read(l.bytes) // never fails
	for i := range l.ends {
		l.ends[i] = 16 * (i + 1)
	}
	return l
}

// absentEnd is how many bytes of a member an absent key takes over at most, so
// that a million of them fit into memory even if the members are long.
const absentEnd = 64

// makeAbsent fills absent with the ends of members and a random ending, until
// ctx ends.
func makeAbsent(ctx context.Context, absent, members *keySet) error {
	random := rand.New(rand.NewPCG(1, 2))
	n := members.len()
	var key []byte
	for absent.len() < min(max(n, 100_000), absentGoal) {
		if absent.len()%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		member := members.at(random.IntN(n))
		key = fmt.Appendf(key[:0], "%s%08x", member[max(0, len(member)-absentEnd):], random.Uint32())
		if !members.has(key) {
			absent.add(key)
		}
	}
	return nil
}

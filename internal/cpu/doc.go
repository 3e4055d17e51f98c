// Package cpu detects the vector instructions that functions in assembly can
// use. The environment variable GODEBUG turns them off, for example with
// cpu.avx2=off, cpu.avx512f=off or cpu.all=off.
//
// Since the race detector does not see the memory that functions in assembly
// use, structures must use Go instead when the tag race is set. Package hashfam
// uses vector instructions with this tag, too, because hashing does not use the
// memory of structures.
package cpu

// Package cpu finds out which vector instructions the functions in assembly may
// use. The settings cpu.avx2=off, cpu.avx512f=off and cpu.all=off of the
// environment variable GODEBUG turn them off.
package cpu

//go:build !race

package cpu

const race = false // in this build

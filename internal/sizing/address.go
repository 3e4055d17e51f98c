//go:build !wasm

package sizing

import "math"

// Addresses is the number of bytes that slices can address.
const Addresses = math.MaxInt

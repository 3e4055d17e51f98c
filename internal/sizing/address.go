//go:build !wasm

package sizing

import "math"

// addresses is the number of bytes that slices can address.
const addresses = math.MaxInt

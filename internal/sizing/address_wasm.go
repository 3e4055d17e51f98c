package sizing

import "math"

// Addresses is the number of bytes that slices can address. An int has 64 bits,
// but an address has only 32.
const Addresses = math.MaxInt32

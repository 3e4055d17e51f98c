package sizing

import "math"

// addresses is the number of bytes that slices can address. An int has 64 bits,
// but an address has 32.
const addresses = math.MaxInt32

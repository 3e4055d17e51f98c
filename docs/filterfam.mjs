// open returns the filter in a frame of docs/format.md, which must use the
// public family, because a browser cannot keep a key secret:
//
//	open(await (await fetch("list.bin")).arrayBuffer()).has("key")
//
// The filter has some of these methods. A key is a string or its bytes.
//
//	has(key)    whether the filter contains the key   every filter
//	count(key)  how many times it contains the key    counting, cuckoo
//	value(key)  the key's value, a BigInt, or null    perfect filter
//	index(key)  the key's index                       perfect filter, function
//
// open checks all bytes of the frame, which takes longest for a cuckoo filter.
//
// If data is not such a frame, open throws an Error. Its reason is "corrupt",
// "version" or "family", as ErrCorrupt, ErrVersion and ErrFamily in the format,
// or "kind" if the frame contains something that open does not read.

const { ceil, floor, imul, min } = Math, carry = 2 ** 32;
const fail = (reason, text) => { throw Object.assign(new Error("filterfam: " + text), { reason }); };
const check = (ok, text) => { if (!ok) fail("corrupt", text); };
const crcTable = Int32Array.from({ length: 256 }, (_, c) => { for (let k = 8; k > 0; k--) c = c >>> 1 ^ (c & 1 && 0x82f63b78); return c; });
function crc32c(bytes) {
  let c = -1;
  for (let i = 0; i < bytes.length; i++) c = (c >>> 8) ^ crcTable[(c ^ bytes[i]) & 255];
  return BigInt(~c >>> 0);
}
let xh = 0, xl = 0; // the halves of x, a number of 64 bits
const encoder = new TextEncoder(), ascii = []; // encode is slow
function bytesOf(key) {
  if (key instanceof Uint8Array) return key;
  if (typeof key !== "string") throw new TypeError("filterfam: a key is a string or a Uint8Array");
  ascii.length = key.length;
  for (let i = 0; i < key.length; i++) if ((ascii[i] = key.charCodeAt(i)) > 127) return encoder.encode(key);
  return ascii;
}
// hash sets x to the digest of a key: SipHash-2-4 under a key of zeros.
function hash(key) {
  let ah = 0x736f6d65, al = 0x70736575, bh = 0x646f7261, bl = 0x6e646f6d, mh = 0, ml = 0, s = 0, t = 0;
  let ch = 0x6c796765, cl = 0x6e657261, dh = 0x74656462, dl = 0x79746573;
  const n = key.length, words = (n >>> 3) + 1;
  for (let w = 0; w <= words; w++) {
    mh = w === words - 1 ? n << 24 : 0; ml = 0;
    for (let i = 8 * w, end = min(i + 8, n); i < end; i++) if (i & 4) mh |= key[i] << 8 * i; else ml |= key[i] << 8 * i;
    dh ^= mh; dl ^= ml; cl ^= w === words ? 255 : 0;
    for (let round = w < words ? 2 : 4; round > 0; round--) {
      s = (al >>> 0) + (bl >>> 0); ah = (ah + bh + (s >= carry)) | 0; al = s | 0;
      t = bh; bh = (bh << 13 | bl >>> 19) ^ ah; bl = (bl << 13 | t >>> 19) ^ al; t = ah; ah = al; al = t;
      s = (cl >>> 0) + (dl >>> 0); ch = (ch + dh + (s >= carry)) | 0; cl = s | 0;
      t = dh; dh = (dh << 16 | dl >>> 16) ^ ch; dl = (dl << 16 | t >>> 16) ^ cl;
      s = (al >>> 0) + (dl >>> 0); ah = (ah + dh + (s >= carry)) | 0; al = s | 0;
      t = dh; dh = (dh << 21 | dl >>> 11) ^ ah; dl = (dl << 21 | t >>> 11) ^ al;
      s = (cl >>> 0) + (bl >>> 0); ch = (ch + bh + (s >= carry)) | 0; cl = s | 0;
      t = bh; bh = (bh << 17 | bl >>> 15) ^ ch; bl = (bl << 17 | t >>> 15) ^ cl; t = ch; ch = cl; cl = t;
    }
    ah ^= mh; al ^= ml;
  }
  xh = ah ^ bh ^ ch ^ dh; xl = al ^ bl ^ cl ^ dl;
}
// high returns the high half of the product of two numbers of 32 bits.
function high(a, b) {
  const al = a & 65535, ah = a >>> 16, bl = b & 65535, bh = b >>> 16, t = ah * bl + (al * bl >>> 16);
  return ah * bh + (t >>> 16) + (al * bh + (t & 65535) >>> 16);
}
// next sets x to x(0), and then to x(1), x(2), ...
function next() {
  xh = high(xl, 0xde82ef95) + imul(xl, 0xd1342543) + imul(xh, 0xde82ef95) | 0; xl = imul(xl, 0xde82ef95);
}
// reduce returns R(x, n).
function reduce(n) {
  if (n >= carry) return Number((BigInt(xh >>> 0) << 32n | BigInt(xl >>> 0)) * BigInt(n) >> 64n);
  return high(xh, n) + ((imul(xh, n) >>> 0) + high(xl, n) >= carry);
}
// Below, x is a digest or the last x(i), and head and body contain the header
// and the payload.

// bit returns bit i, field returns the number of width bits that begins at bit i,
// and zerosAfter checks that there are only zeros from bit i to the byte end.
const bit = (body, i) => body.getUint8(floor(i / 8)) >> i % 8 & 1;
function field(body, i, width) {
  let v = 0n;
  for (let at = ceil((i + width) / 8) - 1, from = floor(i / 8); at >= from; at--) v = v << 8n | BigInt(body.getUint8(at));
  return BigInt.asUintN(width, v >> BigInt(i % 8));
}
function zerosAfter(body, i, end) {
  check(i % 8 === 0 || body.getUint8(floor(i / 8)) >> i % 8 === 0, "bits after the last");
  for (let at = ceil(i / 8); at < end; at++) check(body.getUint8(at) === 0, "bits after the last");
}
// big returns x as a BigInt, and bigNext and bigReduce are like next and reduce
// for a BigInt.
const big = () => BigInt(xh >>> 0) << 32n | BigInt(xl >>> 0), u64 = (x) => BigInt.asUintN(64, x);
const bigNext = (x) => u64(x * 0xd1342543de82ef95n), bigReduce = (x, n) => Number(x * BigInt(n) >> 64n);

// array returns a function that calls ask with the positions of x in a Bloom
// filter, or in a counting Bloom filter if width is 4, until ask returns false.
function array(head, body, width) {
  const m = Number(head.getBigUint64(24, true)), k = head.getUint8(32), layout = head.getUint8(33);
  check(head.getBigUint64(32, true) >> 16n === 0n && k > 0 && m > 0 && m * width <= 2 ** 48 && m % [1, k, 512][layout] === 0, "parameters");
  check(body.byteLength === 8 * ceil(m * width / 64), "length of the payload");
  zerosAfter(body, m * width, body.byteLength);
  return (ask) => {
    const line = layout === 2 ? (next(), 512 * reduce(m / 512)) : 0;
    for (let i = 0; i < k; i++) {
      next();
      if (!ask(layout === 2 ? line + (xh >>> 23) : layout ? i * (m / k) + reduce(m / k) : reduce(m))) return false;
    }
    return true;
  };
}
function bloom(head, body) {
  const all = array(head, body, 1);
  return { has: () => all((i) => bit(body, i)) };
}
function counting(head, body) {
  check(head.getUint8(33) !== 1, "parameters");
  const all = array(head, body, 4);
  const count = () => {
    let least = 15;
    all((i) => (least = min(least, body.getUint8(floor(i / 2)) >> 4 * (i % 2) & 15)) || true);
    return least;
  };
  return { has: () => count() > 0, count };
}
// ribbon returns the end of the ribbon at a position of the body, and a function
// that reports whether the ribbon contains x.
function ribbon(body, at, keys, c, count) {
  const r = ceil(c / 65536);
  check(keys <= 2 ** 48 && r <= 32 && count <= 32 && !(keys && c) === !count, "parameters");
  const within = (n) => check(n <= body.byteLength, "length of the payload");
  within(at + 8 * (count - 1));
  const sizes = Array.from({ length: count }, (_, i) => i ? Number(body.getBigUint64(at + 8 * i - 8, true)) : keys);
  check(sizes.every((n, i) => n > 0 && !(n > sizes[i - 1])), "number of keys in a layer");
  const threshold = (at, b) => body.getUint8(at + (b >> 1)) >> 4 * (b & 1) & 15;
  at += 8 * (count && count - 1);
  const layers = sizes.map((n, i) => {
    const m = i ? floor((floor(n * 20 / 19) + 63) / 64) : floor((floor(n * 50 / 51) + 32) / 64);
    const p = m - min(m, floor((m + 1024) / 1025)) || 1, buckets = ceil(p / 4), thresholds = at, slots = at + 8 * ceil(buckets / 16);
    const q = floor(p * (65536 * r - c) / 65536), narrow = q + floor(q / 1024);
    const begin = (g) => slots + 8 * (r * g - min(narrow, g)); // of segment g
    at = begin(p + ceil(p / 1024));
    within(at);
    zerosAfter(body, 8 * thresholds + 4 * buckets, slots);
    return { starts: 64 * p, narrow, thresholds, begin };
  });
  // sum returns a number with the parity of the bits of a word that l and h select.
  const sum = (at, l, h) => body.getInt32(at, true) & l ^ body.getInt32(at + 4, true) & h;
  return [at, () => {
    for (const { starts, narrow, thresholds, begin } of layers) {
      next();
      const s = reduce(starts), g = floor(s / 64) + floor(s / 65536), t = s % 32, high = s % 64 > 31;
      next();
      const h = xh, l = xl ^ xh | 1, v0 = l << t, v1 = t ? h << t | l >>> 32 - t : h, v2 = t ? h >>> 32 - t : 0;
      next();
      if (min(s % 256 >> 3, 14) < threshold(thresholds, floor(s / 256))) continue;
      const width = g < narrow ? r - 1 : r;
      for (let j = 0, i = begin(g), k = begin(g + 1); j < width; j++, i += 8, k += 8) {
        let v = high ? sum(i, 0, v0) ^ sum(k, v1, v2) : sum(i, v0, v1) ^ sum(k, v2, 0);
        v ^= v >>> 16; v ^= v >>> 8; v ^= v >>> 4;
        if ((0x6996 >> (v & 15) ^ xh >>> j) & 1) return false;
      }
      return true;
    }
    return c === 0;
  }];
}
function filter(head, body) {
  const [keys, absent, passed] = [24, 40, 48].map((at) => Number(head.getBigUint64(at, true)));
  const c = head.getUint32(32, true), inverse = head.getUint8(38), [inside, others] = inverse ? [absent, keys] : [keys, absent];
  check(head.getUint8(39) === 0 && others <= 2 ** 48 && inverse <= (absent < keys), "parameters");
  const [end, first] = ribbon(body, 0, inside, c, head.getUint8(36));
  const most = absent || inverse ? inside && inside + others : 0;
  check(passed <= most && passed >= (c ? min(inside, most) : most) && (c || absent || inverse), "parameters");
  const [last, second] = ribbon(body, end, passed, 65536, head.getUint8(37));
  check(last === body.byteLength, "length of the payload");
  return {
    has: () => {
      const h = xh, l = xl, found = first();
      xh = h; xl = l; next(); next(); next(); // the second ribbon uses x(3) as x(0)
      return (found && (!(absent || inverse) || second())) !== !!inverse;
    },
  };
}

const highest = []; // the highest bits of the fingerprints in a compact bucket
for (let d = 0; d < 16; d++) for (let c = 0; c <= d; c++) for (let b = 0; b <= c; b++) for (let a = 0; a <= b; a++) highest.push([a, b, c, d]);
function cuckoo(head, body) {
  const m = Number(head.getBigUint64(24, true)), f = head.getUint8(32), compact = head.getUint8(33), bits = 4 * (f - compact);
  check(head.getBigUint64(32, true) >> 16n === 0n && compact <= 1 && f >= 4 && f <= 32, "parameters");
  check(m >= 2 && m % 2 === 0 && m * bits <= 2 ** 48 && f >= 4 + (m >= 2 ** 19) + (m >= 2 ** 27) + (m >= 2 ** 36) + (m >= 2 ** 44), "parameters");
  check(body.byteLength === 8 * (ceil(m * bits / 64) + 1), "length of the payload");
  zerosAfter(body, m * bits, body.byteLength);
  const bucket = (i) => {
    const v = field(body, i * bits, bits), code = Number(v & 4095n), low = f - compact * 4;
    check(!compact || code < highest.length, "code of a bucket");
    return [0, 1, 2, 3].map((j) => (compact && highest[code][j] * 2 ** low) + Number(BigInt.asUintN(low, v >> BigInt(12 * compact + j * low))));
  };
  let stored = 0n;
  for (let i = 0; i < m; i++) {
    const slots = bucket(i);
    for (const p of slots) if (p) stored++;
    check(!compact || slots.every((p, j) => !(p < slots[j - 1])), "order in a bucket");
  }
  check(stored === head.getBigUint64(40, true), "number of keys");
  const count = () => {
    const n = 2 ** f - 1, x0 = bigNext(big()), p = 1 + bigReduce(x0, n), x = bigReduce(u64(x0 * BigInt(n)), m);
    const y = u64((BigInt(p) ^ 0x21998657e2fb03e7n) * 0xbf58476d1ce4e5b9n), z = u64((y ^ y >> 32n) * 0x94d049bb133111ebn);
    const t = (BigInt(x) ^ BigInt(m)).toString(2).length - 1, other = Number(BigInt(x) ^ BigInt.asUintN(t, z ^ z >> 32n | 1n));
    const offset = BigInt(m) & BigInt(m - 1) ? bigReduce(z, m) : 0;
    return [x, other].reduce((sum, at) => sum + bucket((at - offset + m) % m).filter((q) => q === p).length, 0);
  };
  return { has: () => count() > 0, count };
}
function perfect(head, body, p, kind) {
  const n = Number(head.getBigUint64(24, true)), compact = head.getUint8(32), k = head.getUint8(33), seed = head.getUint32(36, true);
  const width = head.getUint32(40, true), v = head.getUint8(44), slot = (i) => ceil(i * width / 65536); // the first bit of slot i
  check(p === 24 + 8 * k && k <= 24 && n <= 2 ** 40 && compact <= 1 && seed < 2 ** 20, "parameters");
  check(head.getUint16(34, true) === 0 && head.getUint32(44, true) === v, "parameters");
  check(kind === 9 ? width === 0 && v === 0 : v <= 64 && width > v * 65536 && width <= (v + 56) * 65536, "size of a slot");
  let at = 0, size = n, total = 0;
  const levels = Array.from({ length: k }, (_, i) => {
    const bumped = Number(head.getBigUint64(48 + 8 * i, true)), log = 31 - Math.clz32(min(1024, Math.max(4, floor(size / 12))));
    check(size > 8 && bumped <= size, "number of keys of a level");
    const level = { at, buckets: floor(5 * size / 22) + 1, starts: size - 2 ** log + 1, shift: BigInt(64 - log), factors: compact || log < 10, before: total - size };
    at += level.buckets; total += bumped; size = bumped;
    return level;
  });
  check(size <= 8, "number of keys of a level");
  // The list has total numbers. The l low bits of each begin at bit low, and the
  // high bits at byte high.
  const low = 8 * at, l = total && total < n ? floor(n / total).toString(2).length - 1 : 0, high = at + ceil(total * l / 8);
  const end = high + (total && 8 * ceil((total + floor((n - 1) / 2 ** l) + 1) / 64)), slots = 8 * ceil(end / 8), marks = [];
  check(body.byteLength === slots + (kind === 9 ? 0 : 8 * (ceil(slot(n) / 64) + 1)), "length of the payload");
  zerosAfter(body, low + total * l, high); zerosAfter(body, 8 * end, slots); zerosAfter(body, 8 * slots + slot(n), body.byteLength);
  const number = (j, b) => (b - 8 * high - j) * 2 ** l + Number(field(body, low + j * l, l));
  let numbers = 0;
  for (let b = 8 * high; b < 8 * end; b++) if (bit(body, b)) {
    check(numbers < total && number(numbers, b) < n, "numbers in the list");
    if (numbers++ % 256 === 0) marks.push(b);
  }
  check(numbers === total, "numbers in the list");
  const listed = (j) => {
    if (j >= total) return 0;
    for (let b = marks[floor(j / 256)], left = j % 256; ; b++) if (bit(body, b) && left-- === 0) return number(j, b);
  };
  const find = (x) => {
    for (const { at, buckets, starts, shift, factors, before } of levels) {
      const s = BigInt(body.getUint8(at + bigReduce(x, buckets))), y = bigNext(x);
      if (s) {
        const place = bigReduce(x, starts) + Number(u64(factors ? y * s * 0x9e3779b97f4a7c15n : y + (s << shift)) >> shift);
        return before < 0 ? place : listed(before + place);
      }
      x = bigNext(bigNext(y));
    }
    let z = u64(x + BigInt(seed) * 0x9e3779b97f4a7c15n);
    z = u64((z ^ z >> 33n) * 0xff51afd7ed558ccdn);
    z = u64((z ^ z >> 33n) * 0xc4ceb9fe1a85ec53n);
    const place = bigReduce(z ^ z >> 33n, size);
    return k ? listed(total - size + place) : place;
  };
  const index = () => find(bigNext(big()));
  const value = () => {
    if (n === 0) return null;
    const x = bigNext(big()), i = find(x), from = slot(i), bits = slot(i + 1) - from, s = field(body, 8 * slots + from, bits);
    return s >> BigInt(v) === bigNext(bigNext(x)) >> BigInt(64 + v - bits) ? BigInt.asUintN(v, s) : null;
  };
  return kind === 9 ? { index } : { has: () => value() !== null, value, index };
}
const kinds = [["kind 0"], ["a Bloom filter", bloom, 16], ["a counting Bloom filter", counting, 16], ["a cuckoo filter", cuckoo, 24], ["a count-min sketch"],
  ["heavy hitters"], ["a top k"], ["a static filter", filter, 32], ["kind 8"], ["a minimal perfect hash function", perfect],
  ["a perfect hash filter", perfect], ["a scalable Bloom filter"], ["a scalable cuckoo filter"], ["a rotating Bloom filter"],
  ["a window of heavy hitters"], ["a Bloom filter delta"], ["a journal"]];

export function open(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data), end = bytes.length - 8;
  const view = (from, to) => new DataView(bytes.buffer, bytes.byteOffset + from, to - from);
  check(end >= 64 && view(0, 4).getUint32(0, true) === 0x6d6166f1, "not a frame");
  const kind = bytes[4], p = bytes[6] | bytes[7] << 8, start = 64 * ceil((p + 32) / 64);
  check(p % 8 === 0 && p <= 256, "length of the parameters");
  check(end % 8 === 0 && end >= start && view(16, 24).getBigUint64(0, true) === BigInt(end - start), "length of the payload");
  const head = view(0, start), sum = (at) => view(at, at + 8).getBigUint64(0, true) === crc32c(bytes.subarray(0, at));
  check(sum(start - 8), "checksum of the header");
  check(bytes.subarray(24 + p, start - 8).every((b) => b === 0), "zeros of the header");
  if (kind >= kinds.length) fail("version", `cannot read kind ${kind}: this file is too old`);
  const [name, read, want = p] = kinds[kind];
  if (!read) fail("kind", `cannot read ${name}`);
  if (bytes[5] !== 1) fail("version", `cannot read version ${bytes[5]} of ${name}: this file is too old`);
  if (head.getBigUint64(8, true) !== 0x925fb7cf74fec682n) fail("family", "a secret family");
  check(p === want, "length of the parameters");
  check(sum(end), "checksum");
  const methods = Object.entries(read(head, view(start, end), p, kind));
  return Object.fromEntries(methods.map(([name, ask]) => [name, (key) => (hash(bytesOf(key)), ask())]));
}

/** Reads a stream of bits, beginning with the lowest bit of each byte (RFC 1951 §3.1.1). */
export class Bits {
  readonly #bytes: Uint8Array;
  #at: number;

  /** Starts at byte `from`. */
  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#at = from * 8;
  }

  /** The number of bytes up to the last bit that has been read, including the bytes before the start. */
  get bytesRead(): number {
    return Math.ceil(this.#at / 8);
  }

  /** Reads a number of `count` bits. @throws RangeError at the end of the stream. */
  read(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined)
        throw new RangeError(`a DEFLATE stream ends too early, after ${this.#bytes.length} bytes`);
      value |= ((byte >> (this.#at & 7)) & 1) << i;
      this.#at += 1;
    }
    return value;
  }

  skipToByte(): void {
    this.#at = this.bytesRead * 8;
  }
}

/**
 * Yields the number of bytes that each symbol of a DEFLATE stream produces (RFC 1951). The caller can then determine
 * how much of the compressed stream is needed for a given amount of data. The bytes themselves are not decoded, because
 * their values do not affect the length of a back reference.
 * @throws RangeError if the stream is invalid or ends too early.
 */
export function* inflatedBytes(bits: Bits): Generator<number> {
  for (let isLast = false; !isLast; ) {
    isLast = bits.read(1) === 1;
    const kind = bits.read(2);
    if (kind === 0) yield* storedBytes(bits);
    else yield* codedBytes(bits, kind === 1 ? FIXED : kind === 2 ? readCodes(bits) : broken('block', kind));
  }
}

/** Yields 1 for each byte of a block that is not compressed (RFC 1951 §3.2.4). */
function* storedBytes(bits: Bits): Generator<number> {
  bits.skipToByte();
  const [length, complement] = [bits.read(16), bits.read(16)];
  if ((length ^ complement) !== 0xffff) broken('length', length);
  for (let i = 0; i < length; i++) {
    bits.read(8);
    yield 1;
  }
}

/** Yields the number of bytes that each symbol of a compressed block produces (RFC 1951 §3.2.5). */
function* codedBytes(bits: Bits, {literals, distances}: Codes): Generator<number> {
  for (let symbol = readSymbol(bits, literals); symbol !== END; symbol = readSymbol(bits, literals)) {
    if (symbol < END) yield 1;
    else {
      const {least, more} = MATCHES[symbol - END - 1] ?? broken('length', symbol);
      const bytes = least + bits.read(more);
      bits.read(Math.max((readSymbol(bits, distances) >> 1) - 1, 0));
      yield bytes;
    }
  }
}

/**
 * A Huffman code (RFC 1951 §3.2.2): the number of symbols for each code length in bits, and the symbols in order of
 * their code length.
 */
interface Code {
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

interface Codes {
  readonly literals: Code;
  readonly distances: Code;
}

function codeOf(lengths: readonly number[]): Code {
  const of = Array.from({length: LONGEST + 1}, (_, length) =>
    lengths.flatMap((each, symbol) => (each === length && length > 0 ? [symbol] : [])),
  );
  return {counts: of.map(symbols => symbols.length), symbols: of.flat()};
}

/**
 * Reads one symbol. All codes of one length are consecutive numbers. If c is the last code of a length, 2 · (c + 1) is
 * the first code that is one bit longer.
 */
function readSymbol(bits: Bits, {counts, symbols}: Code): number {
  let [code, first, before] = [0, 0, 0];
  for (let length = 1; length <= LONGEST; length++) {
    code |= bits.read(1);
    const count = counts[length] ?? 0;
    if (code < first + count) return symbols[before + code - first] ?? broken('code', code);
    before += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return broken('code', code);
}

/** Reads the codes at the beginning of a block with dynamic Huffman codes (RFC 1951 §3.2.7). */
function readCodes(bits: Bits): Codes {
  const [literals, distances, own] = [bits.read(5) + 257, bits.read(5) + 1, bits.read(4) + 4];
  const ownLengths = new Array<number>(ORDER.length).fill(0);
  for (const symbol of ORDER.slice(0, own)) ownLengths[symbol] = bits.read(3);
  const code = codeOf(ownLengths);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = readSymbol(bits, code);
    const repeat = REPEATS[symbol - 16];
    if (repeat === undefined) lengths.push(symbol);
    else {
      const length = symbol === 16 ? (lengths.at(-1) ?? 0) : 0;
      lengths.push(...new Array<number>(repeat.least + bits.read(repeat.more)).fill(length));
    }
  }
  return {
    literals: codeOf(lengths.slice(0, literals)),
    distances: codeOf(lengths.slice(literals, literals + distances)),
  };
}

function broken(what: string, value: number): never {
  throw new RangeError(`a DEFLATE stream has an invalid ${what}: ${value}`);
}

/** The length of the longest code in bits. */
const LONGEST = 15;
/** The symbol that ends a block. Smaller symbols are literals, larger ones are lengths. */
const END = 256;

/** For the symbols 257 to 285: the shortest match in bytes, and the number of extra bits. */
const MATCHES = Array.from({length: 29}, (_, i) => {
  const more = Math.max((i >> 2) - 1, 0);
  // Symbol 285 is only used for the longest match.
  return i === 28 ? {least: 258, more: 0} : {least: i < 8 ? i + 3 : ((4 + (i & 3)) << more) + 3, more};
});

/** For the symbols 16 to 18 of the code for lengths: the shortest repetition, and the number of extra bits. */
const REPEATS = [
  {least: 3, more: 2},
  {least: 3, more: 3},
  {least: 11, more: 7},
];

/** The order in which the lengths of the code for lengths are stored. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The codes of blocks with fixed Huffman codes (RFC 1951 §3.2.6). */
const FIXED: Codes = {
  literals: codeOf(Array.from({length: 288}, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  distances: codeOf(new Array<number>(30).fill(5)),
};

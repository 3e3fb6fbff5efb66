/** Reads a stream of bits, the lowest of a byte first (RFC 1951 §3.1.1). */
export class Bits {
  readonly #bytes: Uint8Array;
  #at: number;

  /** From byte `from` on. */
  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#at = from * 8;
  }

  /** How many bytes of all have been read from. */
  get bytesRead(): number {
    return Math.ceil(this.#at / 8);
  }

  /** A number of so many bits. @throws RangeError at the end. */
  read(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError(`a stream of ${this.#bytes.length} bytes ends too early`);
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
 * What a DEFLATE stream gives (RFC 1951), symbol by symbol: how many bytes, not which. For who wants to know with how
 * much of a stream so much is there; what it refers back to is the same number of bytes whatever they are.
 * @throws RangeError if it is broken or ends too early.
 */
export function* inflatedBytes(bits: Bits): Generator<number> {
  for (let isLast = false; !isLast; ) {
    isLast = bits.read(1) === 1;
    const kind = bits.read(2);
    if (kind === 0) yield* storedBytes(bits);
    else yield* codedBytes(bits, kind === 1 ? FIXED : kind === 2 ? readCodes(bits) : broken('block', kind));
  }
}

/** §3.2.4 */
function* storedBytes(bits: Bits): Generator<number> {
  bits.skipToByte();
  const [length, complement] = [bits.read(16), bits.read(16)];
  if ((length ^ complement) !== 0xffff) broken('length', length);
  for (let i = 0; i < length; i++) {
    bits.read(8);
    yield 1;
  }
}

/** §3.2.5 */
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

/** Of a Huffman code (§3.2.2): how many symbols have each length, bits, and the symbols, those with the shortest first. */
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

/** The codes of one length follow each other, and begin at twice the one behind the last that is shorter. */
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

/** §3.2.7 */
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
  throw new RangeError(`a DEFLATE stream has no ${what} ${value}`);
}

/** The longest code, bits. */
const LONGEST = 15;
/** The symbol of a block's end; literals are below it, lengths above. */
const END = 256;

/** Of the symbols 257 to 285: the shortest match, bytes, and how many bits tell what it is more. */
const MATCHES = Array.from({length: 29}, (_, i) => {
  const more = Math.max((i >> 2) - 1, 0);
  // the longest has a symbol of its own
  return i === 28 ? {least: 258, more: 0} : {least: i < 8 ? i + 3 : ((4 + (i & 3)) << more) + 3, more};
});

/** Of the symbols 16 to 18 of the code of lengths, likewise. */
const REPEATS = [
  {least: 3, more: 2},
  {least: 3, more: 3},
  {least: 11, more: 7},
];

/** In which the code of lengths has its own lengths. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** §3.2.6 */
const FIXED: Codes = {
  literals: codeOf(Array.from({length: 288}, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  distances: codeOf(new Array<number>(30).fill(5)),
};

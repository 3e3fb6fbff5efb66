import {type Field, fieldBytes} from './field.ts';

/** HPACK's index space (RFC 7541 §2.3): the static table, then the newest entry first. */
export class HpackTable {
  readonly #entries: Field[] = [];
  #bytes = 0;
  #limitBytes: number;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get limitBytes(): number {
    return this.#limitBytes;
  }

  /** What does not fit any more goes, the oldest first (RFC 7541 §4.3). */
  resize(limitBytes: number): void {
    this.#limitBytes = limitBytes;
    this.#evict();
  }

  /** One that does not fit at all empties the table, which is no error (RFC 7541 §4.4). */
  add(field: Field): void {
    this.#entries.unshift(field);
    this.#bytes += fieldBytes(field);
    this.#evict();
  }

  at(index: number): Field | undefined {
    return index <= STATIC.length ? STATIC[index - 1] : this.#entries[index - 1 - STATIC.length];
  }

  /** Where the field is, or else its name; 0 for neither. */
  find([name, value]: Field): {readonly index: number; readonly isWhole: boolean} {
    const known = STATIC_INDEX.get(`${name}\n${value}`);
    if (known !== undefined) return {index: known, isWhole: true};
    let named = STATIC_INDEX.get(name) ?? 0;
    for (const [i, entry] of this.#entries.entries()) {
      if (entry[0] !== name) continue;
      const index = STATIC.length + 1 + i;
      if (entry[1] === value) return {index, isWhole: true};
      if (named === 0) named = index;
    }
    return {index: named, isWhole: false};
  }

  #evict(): void {
    while (this.#bytes > this.#limitBytes) {
      const oldest = this.#entries.pop();
      this.#bytes -= oldest === undefined ? this.#bytes : fieldBytes(oldest);
    }
  }
}

/** RFC 7541 appendix A, from index 1. */
const STATIC: readonly Field[] = [
  [':authority', ''],
  ...([':method GET', ':method POST', ':path /', ':path /index.html', ':scheme http', ':scheme https'].map(
    text => text.split(' ') as [string, string],
  ) satisfies Field[]),
  ...['200', '204', '206', '304', '400', '404', '500'].map((status): Field => [':status', status]),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...(
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control ' +
    'content-disposition content-encoding content-language content-length content-location content-range ' +
    'content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range ' +
    'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range ' +
    'referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary ' +
    'via www-authenticate'
  )
    .split(' ')
    .map((name): Field => [name, '']),
];

/** By name and value, and the first of each name. */
const STATIC_INDEX = new Map<string, number>();
for (const [i, [name, value]] of STATIC.entries()) {
  STATIC_INDEX.set(`${name}\n${value}`, i + 1);
  if (!STATIC_INDEX.has(name)) STATIC_INDEX.set(name, i + 1);
}

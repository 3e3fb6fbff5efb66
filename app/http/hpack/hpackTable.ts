import {MOST_OBJECTS} from '../../page/page.ts';
import {type Field, fieldBytes} from './field.ts';

/** HPACK's index space (RFC 7541 §2.3): the static table, followed by the dynamic table with the newest entry first. */
export class HpackTable {
  readonly #entries: Field[] = [];
  #bytes = 0;
  #limitBytes: number;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Returns an independent copy. */
  copy(): HpackTable {
    const copy = new HpackTable(this.#limitBytes);
    copy.#entries.push(...this.#entries);
    copy.#bytes = this.#bytes;
    return copy;
  }

  get limitBytes(): number {
    return this.#limitBytes;
  }

  /**
   * Changes the largest size of the dynamic table. Entries that no longer fit are evicted, the oldest first (RFC 7541
   * §4.3).
   */
  resize(limitBytes: number): void {
    this.#limitBytes = limitBytes;
    this.#evict();
  }

  /** Adds an entry. If it is larger than the table, the table becomes empty, which is not an error (RFC 7541 §4.4). */
  add(field: Field): void {
    this.#entries.unshift(field);
    this.#bytes += fieldBytes(field);
    this.#evict();
  }

  at(index: number): Field | undefined {
    return index <= STATIC.length ? STATIC[index - 1] : this.#entries[index - 1 - STATIC.length];
  }

  /**
   * Returns the index of an entry with the field's name and value (`isWhole` is true), or else the index of an entry
   * with its name, or 0 if there is neither.
   */
  find([name, value]: Field): {readonly index: number; readonly isWhole: boolean} {
    const values = STATIC_INDEX.get(name);
    const known = values?.get(value);
    if (known !== undefined) return {index: known, isWhole: true};
    const whole = this.#entries.findIndex(entry => entry[1] === value && entry[0] === name);
    if (whole >= 0) return {index: STATIC.length + 1 + whole, isWhole: true};
    const named = this.#entries.findIndex(entry => entry[0] === name);
    const index = values?.values().next().value ?? (named < 0 ? 0 : STATIC.length + 1 + named);
    return {index, isWhole: false};
  }

  #evict(): void {
    while (this.#bytes > this.#limitBytes) {
      const oldest = this.#entries.pop();
      this.#bytes -= oldest === undefined ? this.#bytes : fieldBytes(oldest);
    }
  }
}

/** The static table (RFC 7541 appendix A), from index 1. */
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

/** Maps names and values to indices. If only the name is in the table, the first index of the name is used. */
const STATIC_INDEX = new Map<string, Map<string, number>>();
for (const [i, [name, value]] of STATIC.entries()) {
  const values = STATIC_INDEX.get(name) ?? new Map<string, number>();
  STATIC_INDEX.set(name, values.set(value, i + 1));
}

/**
 * Number of states of a table at which an encoder's and a decoder's cache of states is cleared. A load has a state for
 * each request and for each response. The limit suffices for two panes that load the largest page with different
 * requests.
 */
export const MOST_STATES = 4 * MOST_OBJECTS;

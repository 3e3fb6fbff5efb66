import {latin1} from '../base/bytes.ts';
import {firstAbove} from '../base/order.ts';
import {TURN_NS} from '../browsers/browser.ts';
import type {CapturedConnection, CapturedExchange, CapturedLoad} from './capturedLoad.ts';
import {fieldOf} from './httpRead.ts';

/**
 * Returns for each exchange when the browser knew its object, in ns. Null if neither the browser states this time nor
 * the other exchanges show it.
 *
 * Other exchanges show it only over HTTP/1.1, where a connection carries one request at a time (RFC 9112 §9.3), and
 * only if three things happened: the bytes that name the object had arrived, all connections to its origin were in use,
 * and the request was sent as soon as one of them was free. The browser then waited for a connection at least since the
 * later of two times: when the name arrived, and when the last free connection was taken.
 */
export function knownTimesOf(load: CapturedLoad): readonly (number | null)[] {
  const told = load.exchanges.map(({discoveredNs}) => discoveredNs ?? null);
  // only HTTP/1.1 has one request at a time, and the server does not see what the client waits for
  if (load.pipeline !== 'tcp' || load.seenAt === 'server') return told;
  const names = new Names(load.exchanges);
  const connections = new Connections(load);
  return load.exchanges.map((exchange, i) => {
    const known = told[i] ?? null;
    if (known !== null || i === 0) return known;
    const namedNs = names.namedNs(exchange);
    const busyNs = namedNs === null ? null : connections.busySinceNs(exchange);
    return namedNs === null || busyNs === null ? null : Math.max(namedNs, busyNs);
  });
}

/**
 * When the texts of a load named its objects. Only the last part of a path counts, because addresses may be relative.
 */
class Names {
  /**
   * For each requested name in the HTML, the offset at which it ends. Empty if the HTML has a content coding, or if the
   * capture does not have all of its bytes.
   */
  readonly #inHtml: ReadonlyMap<string, number> = new Map();
  /** The deliveries of the HTML: how many of its bytes had arrived, and when, ns. */
  readonly #htmlBytes: readonly number[] = [];
  readonly #htmlNs: readonly number[] = [];
  /**
   * For each requested name, when the first text that contains it was complete, ns. Infinity if none contains it. The
   * HTML counts here only if it is not in {@link #inHtml}: it has a content coding, or its size differs from the number
   * of bytes that were sent.
   */
  readonly #inTexts: Map<string, number>;

  constructor(exchanges: readonly CapturedExchange[]) {
    // texts name much more than is requested, so no other names are kept
    this.#inTexts = new Map(exchanges.map(exchange => [nameOf(exchange), Number.POSITIVE_INFINITY]));
    for (const [i, exchange] of exchanges.entries()) {
      const {body, bodyBytes, completeNs, deliveries, responseFields} = exchange;
      if (body === null) continue;
      if (i === 0 && body.length === bodyBytes && (fieldOf(responseFields, 'content-encoding') ?? '') === '') {
        this.#inHtml = namesIn(body, this.#inTexts);
        this.#htmlBytes = deliveries.map(({bytes}) => bytes);
        this.#htmlNs = deliveries.map(({atNs}) => atNs);
        continue;
      }
      if (completeNs === null || (i > 0 && !TEXT.test(fieldOf(responseFields, 'content-type') ?? ''))) continue;
      for (const name of namesIn(body, this.#inTexts).keys())
        this.#inTexts.set(name, Math.min(this.#inTexts.get(name) ?? completeNs, completeNs));
    }
  }

  /** Returns when the bytes that name an object had arrived. Null if they arrived only after its request, or never. */
  namedNs(exchange: CapturedExchange): number | null {
    const name = nameOf(exchange);
    const end = this.#inHtml.get(name);
    const inHtmlNs = end === undefined ? undefined : this.#htmlNs[firstAbove(this.#htmlBytes, end - 1)];
    const ns = inHtmlNs ?? this.#inTexts.get(name) ?? Number.POSITIVE_INFINITY;
    return ns <= exchange.requestNs ? ns : null;
  }
}

/** Returns the last part of the path of a requested address. */
function nameOf({url}: CapturedExchange): string {
  return lastPart(url.replace(/^\w+:\/\/[^/?#]*/, ''));
}

/**
 * Returns the keys of `wanted` that are the last part of a path in a text, and for each the offset at which the first
 * such address ends.
 */
function namesIn(body: Uint8Array, wanted: ReadonlyMap<string, unknown>): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  // layout decides when a browser requests a lazy picture (HTML §2.5.7), so it does not matter when its name arrived
  const text = latin1(body).replace(/<[^<>]*>/g, tag => (IS_LAZY.test(tag) ? ' '.repeat(tag.length) : tag));
  for (const {0: word, index} of text.matchAll(/[^\s"'`<>()=,;]+/g)) {
    const name = lastPart(word);
    if (name !== '' && wanted.has(name) && !ends.has(name)) ends.set(name, index + word.length);
  }
  return ends;
}

/** Returns the last part of a path, without query and fragment, and without a slash at the end. */
function lastPart(path: string): string {
  const [plain = ''] = path.split(/[?#]/, 1);
  const end = plain.endsWith('/') ? plain.length - 1 : plain.length;
  return plain.slice(plain.lastIndexOf('/', end - 1) + 1, end);
}

const IS_LAZY = /\sloading=["']?lazy\b/i;

const TEXT = /^(text\/|application\/(xhtml|(x-)?javascript|ecmascript|json))/i;

/** A span of time in which a connection was in use, or was free, ns. */
interface Span {
  readonly fromNs: number;
  /** Infinity if the capture does not show the end. */
  readonly untilNs: number;
}

/** When connections carry requests, one at a time. */
class Connections {
  readonly #origins: readonly (string | null)[];
  /**
   * The exchanges whose requests were sent while their connections still carried another exchange, were not ready yet,
   * or had been closed.
   */
  readonly #pipelined = new Set<CapturedExchange>();
  /**
   * For each origin, the spans in which one of its connections was free: the beginnings of the spans in order of time,
   * and for each span the latest end among this span and those before it. A connection counts as free only
   * {@link TURN_NS} after its handshake or an exchange, because a waiting request is sent within this time.
   */
  readonly #free = new Map<string | null, {readonly fromNs: number[]; readonly latestNs: number[]}>();

  constructor({connections, exchanges, packets}: CapturedLoad) {
    this.#origins = connections.map(({origin}) => origin);
    const uses = connections.map((connection): (Span & {readonly exchange?: CapturedExchange})[] => [
      {fromNs: Number.NEGATIVE_INFINITY, untilNs: readyNs(connection)},
    ]);
    for (const exchange of exchanges) {
      const {connection, requestNs, completeNs} = exchange;
      uses[connection ?? -1]?.push({fromNs: requestNs, untilNs: completeNs ?? Number.POSITIVE_INFINITY, exchange});
    }
    for (const {kind, connection, atNs} of packets)
      if (kind === 'close' || kind === 'abort')
        uses[connection]?.push({fromNs: atNs, untilNs: Number.POSITIVE_INFINITY});
    const free = new Map<string | null, Span[]>();
    for (const [number, own] of uses.entries()) {
      const origin = this.#origins[number] ?? null;
      const ofOrigin = free.get(origin) ?? [];
      free.set(origin, ofOrigin);
      let untilNs = Number.NEGATIVE_INFINITY;
      for (const use of own.sort((a, b) => a.fromNs - b.fromNs)) {
        if (use.exchange !== undefined && untilNs > use.fromNs) this.#pipelined.add(use.exchange);
        if (untilNs + TURN_NS < use.fromNs) ofOrigin.push({fromNs: untilNs + TURN_NS, untilNs: use.fromNs});
        untilNs = Math.max(untilNs, use.untilNs);
      }
      if (untilNs !== Number.POSITIVE_INFINITY)
        ofOrigin.push({fromNs: untilNs + TURN_NS, untilNs: Number.POSITIVE_INFINITY});
    }
    for (const [origin, spans] of free) {
      spans.sort((a, b) => a.fromNs - b.fromNs);
      let last = Number.NEGATIVE_INFINITY;
      const latestNs = spans.map(({untilNs}) => {
        last = Math.max(last, untilNs);
        return last;
      });
      this.#free.set(origin, {fromNs: spans.map(({fromNs}) => fromNs), latestNs});
    }
  }

  /**
   * Returns since when no connection to the origin of an exchange could carry its request. Negative infinity if no
   * connection was free before. Null if one was free when the request was sent, if the exchange is in
   * {@link #pipelined}, or if its connection is not known.
   */
  busySinceNs(exchange: CapturedExchange): number | null {
    const {connection, requestNs} = exchange;
    const origin = connection === null ? undefined : this.#origins[connection];
    if (origin === undefined || this.#pipelined.has(exchange)) return null;
    const {fromNs = [], latestNs = []} = this.#free.get(origin) ?? {};
    const sinceNs = latestNs[firstAbove(fromNs, requestNs) - 1] ?? Number.NEGATIVE_INFINITY;
    return sinceNs < requestNs ? sinceNs : null;
  }
}

/**
 * Returns the time from which a connection could carry requests, ns. Infinity if it never could, and negative infinity
 * if the capture does not show when the connection was opened.
 */
function readyNs({hasTls, tlsNs, connectedNs, openNs}: CapturedConnection): number {
  // a capture may begin after the handshake
  if (openNs === null) return Number.NEGATIVE_INFINITY;
  return (hasTls ? tlsNs : connectedNs) ?? Number.POSITIVE_INFINITY;
}

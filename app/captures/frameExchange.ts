import {joinedBytes} from '../http/buffers.ts';
import {type Piece, readPieces} from '../http/datagrams/htmlFramePieces.ts';
import {contentLength, HeadReader} from '../http/head.ts';
import type {CaptureCrypto, CapturedExchange} from './capturedLoad.ts';
import type {ArrivedFrame, SentRequest} from './framePipe.ts';
import {Heard, type Span} from './heard.ts';
import {readHttp1} from './http1Read.ts';

/**
 * Reads a request and the frames of its response. The same frame may have arrived several times. The HTML may be split:
 * then its first frames have the abstract, which is the head of the response and the tags of the page. `isCached` says
 * that the client had the abstract from an earlier visit, so that the capture lacks it. Undefined if the request is not
 * HTTP/1.1.
 */
export function frameExchange(
  request: SentRequest,
  arrived: readonly ArrivedFrame[],
  crypto: CaptureCrypto,
): {readonly exchange: CapturedExchange; readonly isCached: boolean} | undefined {
  const frames = acceptedFrames(arrived);
  const [first] = frames;
  const {frames: count = 0, abstractFrames = 0} = first?.frame ?? {};
  const isSplit = abstractFrames > 0;
  const spans = inSequence(frames, isSplit ? abstractFrames : count);
  if (!isSplit) {
    const endNs = spans.length === count ? spans.at(-1)?.readNs : undefined;
    const exchange = exchangeOf(request, new Heard(spans, endNs), crypto);
    return exchange && {exchange, isCached: false};
  }
  const data = frames.filter(({frame}) => frame.index >= abstractFrames);
  const isWhole = data.length === count - abstractFrames;
  // a client that does not have the abstract asks for it before it asks for other frames
  const isCached = spans.length === 0 && request.asked.ranges !== null;
  const whole = spans.length === abstractFrames;
  const abstract = whole ? joinedBytes(spans.map(({bytes}) => bytes)) : new Uint8Array(0);
  const headBytes = new HeadReader().appendHead(abstract);
  const readNs = spans.at(-1)?.readNs ?? null;
  const head: Span = {at: 0, bytes: abstract.subarray(0, headBytes), sentNs: 0, readNs};
  const exchange = exchangeOf(request, new Heard(whole ? [head] : []), crypto);
  if (exchange === undefined || (!whole && !isCached)) return exchange && {exchange, isCached: false};
  const size = isCached ? Number.POSITIVE_INFINITY : bodySize(head.bytes);
  const tags = {readNs: isCached ? 0 : readNs, pieces: readPieces(abstract.subarray(headBytes), size)};
  const texts = data.map(({frame, readNs}) => ({readNs, pieces: readPieces(frame.payload, size)}));
  return {exchange: {...exchange, ...shown([tags, ...texts], size, isWhole)}, isCached};
}

/**
 * Returns the first copy of each frame, in the order of the frames' numbers. Each frame states how many frames the
 * response and its abstract have. Frames that state other numbers than the frame that arrived first are left out,
 * because a client refuses them.
 */
function acceptedFrames(arrived: readonly ArrivedFrame[]): readonly ArrivedFrame[] {
  const inTime = [...arrived].sort((a, b) => (a.readNs ?? a.sentNs) - (b.readNs ?? b.sentNs));
  const [first] = inTime;
  const byIndex = new Map<number, ArrivedFrame>();
  for (const each of inTime) {
    const {index, frames, abstractFrames} = each.frame;
    const isOfFirst = frames === first?.frame.frames && abstractFrames === first.frame.abstractFrames;
    if (isOfFirst && !byIndex.has(index)) byIndex.set(index, each);
  }
  return [...byIndex.values()].sort((a, b) => a.frame.index - b.frame.index);
}

/** Returns the payloads of the frames up to the first that is missing, and when they could be read in sequence. */
function inSequence(frames: readonly ArrivedFrame[], count: number): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  let lastNs: number | null = 0;
  for (const [i, {frame, sentNs, readNs}] of frames.slice(0, count).entries()) {
    if (frame.index !== i) break;
    lastNs = lastNs === null || readNs === null ? null : Math.max(lastNs, readNs);
    spans.push({at, bytes: frame.payload, sentNs, readNs: lastNs});
    at += frame.payload.length;
  }
  return spans;
}

function exchangeOf(
  {bytes, sentNs}: SentRequest,
  response: Heard,
  crypto: CaptureCrypto,
): CapturedExchange | undefined {
  const up = new Heard([{at: 0, bytes, sentNs, readNs: null}]);
  const [exchange] = readHttp1(up, response, {scheme: 'http', host: ''}, crypto).exchanges;
  return exchange;
}

function bodySize(headBytes: Uint8Array): number {
  const reader = new HeadReader();
  reader.append(headBytes);
  const head = reader.take()?.head;
  return (head && contentLength(head)) ?? 0;
}

interface ShownPieces {
  readonly readNs: number | null;
  readonly pieces: readonly Piece[];
}

/**
 * Returns the body of split HTML. The first part is the abstract. No other part can be shown before the abstract is
 * complete.
 */
function shown(
  parts: readonly ShownPieces[],
  size: number,
  isWhole: boolean,
): Pick<CapturedExchange, 'bodyBytes' | 'body' | 'deliveries' | 'completeNs'> {
  const [{readNs: firstNs} = {readNs: null}] = parts;
  const times = parts.map(({readNs, pieces}) => ({
    atNs: readNs === null || firstNs === null ? null : Math.max(readNs, firstNs),
    bytes: pieces.reduce((sum, {bytes}) => sum + bytes.length, 0),
  }));
  const bodyBytes = times.reduce((sum, {bytes}) => sum + bytes, 0);
  const isComplete = isWhole && (bodyBytes === size || size === Number.POSITIVE_INFINITY);
  const known = times.flatMap(({atNs, bytes}) => (atNs === null ? [] : [{atNs, bytes}]));
  known.sort((a, b) => a.atNs - b.atNs);
  const deliveries: {atNs: number; bytes: number}[] = [];
  let total = 0;
  for (const {atNs, bytes} of known) {
    total += bytes;
    const last = deliveries.at(-1);
    if (last?.atNs === atNs) last.bytes = total;
    else if (bytes > 0) deliveries.push({atNs, bytes: total});
  }
  const isKnown = known.length === times.length;
  return {
    bodyBytes,
    body: isComplete && size === bodyBytes ? bodyOf(parts) : null,
    deliveries,
    completeNs: isComplete && isKnown ? (known.at(-1)?.atNs ?? null) : null,
  };
}

/** Joins the pieces of a body in order. Null if they overlap or if one is missing. */
function bodyOf(parts: readonly ShownPieces[]): Uint8Array | null {
  const pieces = parts.flatMap(part => part.pieces).sort((a, b) => a.first - b.first);
  let end = 0;
  for (const {first, bytes} of pieces) {
    if (first !== end) return null;
    end += bytes.length;
  }
  return joinedBytes(pieces.map(({bytes}) => bytes));
}

import {FRAME, STREAM} from '../../http/h3/h3Frame.ts';
import {readVarint} from '../../http/h3/varint.ts';
import {isUnidirectional, readFrames, streamType} from '../../run/packets/http3Frames.ts';
import {SentSections, type WholeStreams} from '../../run/packets/sentSections.ts';
import {ByteRanges} from '../byteRanges.ts';
import type {CaptureCrypto, CapturedExchange, CapturedField} from '../capturedLoad.ts';

/** What one end sent on its streams. */
export interface SentData {
  /** The bytes of each stream up to the first gap. */
  readonly whole: WholeStreams;
  /** The STREAM frames that were not lost, in order of time. */
  readonly pieces: readonly SentPiece[];
  /** When the first byte of each stream was sent, by stream. */
  readonly sentNs: ReadonlyMap<number, number>;
}

export interface SentPiece {
  readonly atNs: number;
  readonly stream: number;
  readonly first: number;
  readonly bytes: number;
  readonly isEnd: boolean;
}

/**
 * Reads the requests of a connection and their responses from HTTP/3 (RFC 9114), in the order of the requests. Times
 * are those at which packets were recorded.
 */
export function http3Exchanges(
  {up, down}: {readonly up: SentData; readonly down: SentData},
  crypto: CaptureCrypto,
): {readonly exchanges: readonly CapturedExchange[]; readonly notes: readonly string[]} {
  if (framesIn(up.whole) + framesIn(down.whole) > MOST_FRAMES)
    return {
      exchanges: [],
      notes: [`A connection has more than ${MOST_FRAMES} HTTP/3 frames, so its requests were not read.`],
    };
  const [requests, responses] = [new SentSections(up.whole, down.whole), new SentSections(down.whole, up.whole)];
  const arrivals = new Arrivals(down);
  const room = {bytes: MOST_BODIES_BYTES};
  const exchanges: CapturedExchange[] = [];
  for (const [stream, requestNs] of up.sentNs) {
    const sent = up.whole.get(stream);
    // A client's requests are on its bidirectional streams (RFC 9114 §6.1).
    if (stream % 4 !== 0 || sent === undefined) continue;
    const [head] = readFrames(sent, 0);
    if (head?.type !== FRAME.headers) continue;
    const fields = new Map(requests.of(stream, head).lines);
    const response = responseOf(stream, down.whole.get(stream) ?? NOTHING, responses);
    exchanges.push({
      connection: 0,
      stream,
      method: fields.get(':method') ?? '',
      url: `${fields.get(':scheme') ?? 'https'}://${fields.get(':authority') ?? ''}${fields.get(':path') ?? ''}`,
      requestFields: plainFields(requests.of(stream, head).lines),
      responseFields: plainFields(response.fields),
      requestNs,
      ...arrivals.timesOf(stream, response),
      status: response.status,
      requestBytes: sent.length,
      headerBytes: response.headerBytes,
      bodyBytes: response.parts.reduce((sum, {from, to}) => sum + to - from, 0),
      body: decodedBody(down.whole.get(stream) ?? NOTHING, response, {crypto, room, isWhole: arrivals.isWhole(stream)}),
      initiator: null,
      priority: null,
    });
  }
  exchanges.sort((a, b) => a.requestNs - b.requestNs || a.stream - b.stream);
  return {exchanges, notes: room.bytes < 0 ? [`Bodies above ${MOST_BODIES_BYTES} bytes in all were left out.`] : []};
}

/** Counts the frames on all streams that have frames. It stores nothing, because small frames can be very many. */
function framesIn(streams: WholeStreams): number {
  let count = 0;
  for (const [id, stream] of streams) {
    const kind = isUnidirectional(id) ? streamType(stream) : {value: STREAM.control, to: 0};
    if (kind?.value !== STREAM.control) continue;
    for (let at = kind.to; at < stream.length && count <= MOST_FRAMES; count++) {
      const type = readVarint(stream, at);
      const length = type === undefined ? undefined : readVarint(stream, type.end);
      if (length === undefined) break;
      at = length.end + length.value;
    }
  }
  return count;
}

interface ResponseOnStream {
  readonly status: number | null;
  readonly fields: readonly CapturedField[];
  /** Size of the HEADERS frames before the body. */
  readonly headerBytes: number;
  /** Offset in the stream up to which the header extends. Null if no header was sent. */
  readonly headerEnd: number | null;
  /** The offset in QPACK's encoder stream up to which bytes must arrive before the header can be read. */
  readonly needsEncoderBytes: number;
  /** The parts of the stream with the body: the payloads of the DATA frames. */
  readonly parts: readonly {readonly from: number; readonly to: number}[];
}

function responseOf(id: number, stream: Uint8Array, sections: SentSections): ResponseOnStream {
  let head: Omit<ResponseOnStream, 'parts'> = NO_HEAD;
  const parts: {from: number; to: number}[] = [];
  let headerBytes = 0;
  for (const frame of readFrames(stream, 0)) {
    const to = Math.min(frame.to, stream.length);
    if (frame.type === FRAME.data) parts.push({from: frame.payload, to});
    else if (
      frame.type === FRAME.headers &&
      parts.length === 0 &&
      (head.status ?? 0) < 200 &&
      frame.to <= stream.length
    ) {
      // Interim responses precede the response, and trailers follow the body (RFC 9114 §4.1).
      const {lines, needsEncoderBytes} = sections.of(id, frame);
      headerBytes += frame.to - frame.from;
      const status = Number(lines.find(([name]) => name === ':status')?.[1] ?? Number.NaN);
      head = {
        status: Number.isInteger(status) ? status : null,
        fields: lines,
        headerBytes,
        headerEnd: frame.to,
        needsEncoderBytes,
      };
    }
  }
  return {...head, parts};
}

/** Determines when the parts of responses could be read. */
class Arrivals {
  /** The steps at which each stream had arrived up to an offset without a gap. */
  readonly #steps = new Map<number, {readonly atNs: number; readonly end: number}[]>();
  readonly #finished = new Map<number, {readonly size: number; readonly atNs: number}>();
  readonly #encoder: number;

  constructor({whole, pieces}: SentData) {
    const ranges = new Map<number, ByteRanges>();
    for (const {atNs, stream, first, bytes, isEnd} of pieces) {
      const arrived = ranges.get(stream) ?? new ByteRanges();
      ranges.set(stream, arrived);
      const before = arrived.end;
      arrived.add(first, first + bytes);
      const steps = this.#steps.get(stream) ?? [];
      this.#steps.set(stream, steps);
      if (arrived.end > before) steps.push({atNs, end: arrived.end});
      if (isEnd && !this.#finished.has(stream)) this.#finished.set(stream, {size: first + bytes, atNs});
    }
    const encoder = [...whole].find(([id, stream]) => isUnidirectional(id) && streamType(stream)?.value === ENCODER);
    this.#encoder = encoder?.[0] ?? -1;
  }

  timesOf(
    stream: number,
    {headerEnd, needsEncoderBytes, parts}: ResponseOnStream,
  ): Pick<CapturedExchange, 'firstByteNs' | 'completeNs' | 'deliveries'> {
    const headNs = headerEnd === null ? null : this.#reachedNs(stream, headerEnd);
    const tableNs = needsEncoderBytes === 0 ? 0 : this.#reachedNs(this.#encoder, needsEncoderBytes);
    // A header that refers to QPACK's table waits for the entries, and the body waits for the header (RFC 9204 §2.1.2).
    const firstByteNs = headNs === null || tableNs === null ? null : Math.max(headNs, tableNs);
    if (firstByteNs === null) return {firstByteNs, completeNs: null, deliveries: []};
    const deliveries: {atNs: number; bytes: number}[] = [];
    let [part, before] = [0, 0];
    for (const {atNs, end} of this.#steps.get(stream) ?? []) {
      for (let next = parts[part]; next !== undefined && next.to <= end; next = parts[part]) {
        before += next.to - next.from;
        part += 1;
      }
      const begun = parts[part];
      const bytes = before + (begun === undefined ? 0 : Math.max(end - begun.from, 0));
      const last = deliveries.at(-1);
      const readNs = Math.max(atNs, firstByteNs);
      if (bytes <= (last?.bytes ?? 0)) continue;
      if (last?.atNs === readNs) deliveries[deliveries.length - 1] = {atNs: readNs, bytes};
      else deliveries.push({atNs: readNs, bytes});
    }
    return {firstByteNs, completeNs: this.#completeNs(stream, firstByteNs), deliveries};
  }

  /** Whether all bytes of a stream have arrived. */
  isWhole(stream: number): boolean {
    const size = this.#finished.get(stream)?.size;
    return size !== undefined && (this.#steps.get(stream)?.at(-1)?.end ?? 0) >= size;
  }

  #completeNs(stream: number, firstByteNs: number): number | null {
    const finished = this.#finished.get(stream);
    if (finished === undefined || !this.isWhole(stream)) return null;
    return Math.max(firstByteNs, finished.atNs, this.#reachedNs(stream, finished.size) ?? 0);
  }

  #reachedNs(stream: number, offset: number): number | null {
    return this.#steps.get(stream)?.find(({end}) => end >= offset)?.atNs ?? null;
  }
}

function plainFields(lines: readonly CapturedField[]): readonly CapturedField[] {
  return lines.filter(([name]) => !name.startsWith(':'));
}

/** Returns the body without its content codings. Null if it is incomplete, damaged or too large. */
function decodedBody(
  stream: Uint8Array,
  {fields, parts}: ResponseOnStream,
  {crypto, room, isWhole}: {readonly crypto: CaptureCrypto; readonly room: {bytes: number}; readonly isWhole: boolean},
): Uint8Array | null {
  if (!isWhole) return null;
  const size = parts.reduce((sum, {from, to}) => sum + to - from, 0);
  let body = new Uint8Array(size);
  let at = 0;
  for (const {from, to} of parts) {
    body.set(stream.subarray(from, to), at);
    at += to - from;
  }
  const codings = fields.filter(([name]) => name === 'content-encoding').flatMap(([, value]) => value.split(','));
  for (const coding of codings
    .map(each => each.trim().toLowerCase())
    .reverse()
    .slice(0, MOST_CODINGS)) {
    if (coding === '' || coding === 'identity') continue;
    const decoded = crypto.decode(coding, body, Math.min(MOST_BODY_BYTES, Math.max(room.bytes, 0)));
    if (decoded === undefined) return null;
    body = new Uint8Array(decoded);
  }
  room.bytes -= body.length;
  return room.bytes < 0 ? null : body;
}

const NOTHING = new Uint8Array(0);
const NO_HEAD = {status: null, fields: [], headerBytes: 0, headerEnd: null, needsEncoderBytes: 0};
const ENCODER: number = STREAM.qpackEncoder;
/** The largest number of HTTP/3 frames that are read of a connection. Pages have thousands. */
const MOST_FRAMES = 1_000_000;
/** The largest body, and the largest total of a connection's bodies, without content codings. */
const MOST_BODY_BYTES = 64 * 2 ** 20;
const MOST_BODIES_BYTES = 256 * 2 ** 20;
const MOST_CODINGS = 4;

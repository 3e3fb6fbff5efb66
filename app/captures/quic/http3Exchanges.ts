import {FRAME, STREAM} from '../../http/h3/h3Frame.ts';
import {readVarint} from '../../http/h3/varint.ts';
import {isUnidirectional, readFrames, streamType} from '../../run/packets/http3Frames.ts';
import {SentSections, type WholeStreams} from '../../run/packets/sentSections.ts';
import type {CaptureCrypto, CapturedExchange, CapturedField} from '../capturedLoad.ts';
import {Arrivals, type ReadableParts, type SentPiece} from './arrivals.ts';

/** What one end sent on its streams. */
export interface SentData {
  /** The bytes of each stream up to the first gap. */
  readonly whole: WholeStreams;
  /** The STREAM frames that were not lost, in order of time. */
  readonly pieces: readonly SentPiece[];
  /** When the first byte of each stream was sent, by stream. */
  readonly sentNs: ReadonlyMap<number, number>;
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
  const arrivals = new Arrivals(down.pieces, encoderStream(down.whole));
  const room = {bytes: MOST_BODIES_BYTES, isFull: false};
  const exchanges: CapturedExchange[] = [];
  for (const [stream, requestNs] of [...up.sentNs].sort(([a, aNs], [b, bNs]) => aNs - bNs || a - b)) {
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
  return {exchanges, notes: room.isFull ? [`Bodies above ${MOST_BODIES_BYTES} bytes in all were left out.`] : []};
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

interface ResponseOnStream extends ReadableParts {
  readonly status: number | null;
  readonly fields: readonly CapturedField[];
  /** Size of the HEADERS frames before the body. */
  readonly headerBytes: number;
}

function responseOf(id: number, stream: Uint8Array, sections: SentSections): ResponseOnStream {
  let head: Omit<ResponseOnStream, 'parts'> = NO_HEAD;
  const parts: {from: number; to: number}[] = [];
  let headerBytes = 0;
  for (const frame of readFrames(stream, 0)) {
    const to = Math.min(frame.to, stream.length);
    if (frame.type === FRAME.data) parts.push({from: frame.payload, to});
    else if (frame.type === FRAME.headers && (head.status ?? 0) < 200 && frame.to <= stream.length) {
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

/** Returns the stream with the instructions of QPACK's encoder. −1 if there is none. */
function encoderStream(streams: WholeStreams): number {
  for (const [id, stream] of streams) if (isUnidirectional(id) && streamType(stream)?.value === ENCODER) return id;
  return -1;
}

function plainFields(lines: readonly CapturedField[]): readonly CapturedField[] {
  return lines.filter(([name]) => !name.startsWith(':'));
}

/** How many bytes of bodies may still be kept, and whether a body did not fit. */
interface BodyRoom {
  bytes: number;
  isFull: boolean;
}

/** Returns the body without its content codings. Null if it is incomplete, damaged or too large. */
function decodedBody(
  stream: Uint8Array,
  {fields, parts}: ResponseOnStream,
  {crypto, room, isWhole}: {readonly crypto: CaptureCrypto; readonly room: BodyRoom; readonly isWhole: boolean},
): Uint8Array | null {
  if (!isWhole) return null;
  const size = parts.reduce((sum, {from, to}) => sum + to - from, 0);
  room.isFull ||= size > room.bytes;
  if (room.isFull) return null;
  const joined = new Uint8Array(size);
  let at = 0;
  for (const {from, to} of parts) {
    joined.set(stream.subarray(from, to), at);
    at += to - from;
  }
  let body: Uint8Array = joined;
  const codings = fields
    .filter(([name]) => name === 'content-encoding')
    .flatMap(([, value]) => value.split(',').map(coding => coding.trim().toLowerCase()))
    .filter(coding => coding !== '' && coding !== 'identity');
  if (codings.length > MOST_CODINGS) return null;
  for (const coding of codings.toReversed()) {
    const decoded = crypto.decode(coding, body, Math.min(MOST_BODY_BYTES, room.bytes));
    if (decoded === undefined) return null;
    body = decoded;
  }
  room.bytes -= body.length;
  return body;
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

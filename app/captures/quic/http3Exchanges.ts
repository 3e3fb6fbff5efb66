import {FRAME, STREAM} from '../../http/h3/h3Frame.ts';
import {readVarint} from '../../http/h3/varint.ts';
import {isUnidirectional, readFrames, streamType} from '../../run/packets/http3Frames.ts';
import {SentSections, type WholeStreams} from '../../run/packets/sentSections.ts';
import type {CaptureCrypto, CapturedExchange, CapturedField} from '../capturedLoad.ts';
import {decodedBody, fieldOf} from '../httpRead.ts';
import {Arrivals, type ReadableParts, type SentPiece} from './arrivals.ts';

/** What one end sent on its streams. */
export interface SentData {
  /** The bytes of each stream up to the first gap. */
  readonly whole: WholeStreams;
  /**
   * The STREAM frames in order of time. Frames that are known to be lost are left out. In a capture at the server, the
   * server's frames are left out if they were not acknowledged.
   */
  readonly pieces: readonly SentPiece[];
  /** When the first STREAM frame of each stream was recorded, by stream. */
  readonly sentNs: ReadonlyMap<number, number>;
}

/**
 * Reads the requests of a connection and their responses from HTTP/3 (RFC 9114), in the order of the requests. All
 * times are those in `up` and `down`.
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
  const exchanges: CapturedExchange[] = [];
  for (const [stream, requestNs] of [...up.sentNs].sort(([a, aNs], [b, bNs]) => aNs - bNs || a - b)) {
    const sent = up.whole.get(stream);
    // A client's requests are on its bidirectional streams (RFC 9114 §6.1).
    if (stream % 4 !== 0 || sent === undefined) continue;
    const [head] = readFrames(sent, 0);
    if (head?.type !== FRAME.headers) continue;
    const fields = new Map(requests.of(stream, head).lines);
    const answer = down.whole.get(stream) ?? NOTHING;
    const response = responseOf(stream, answer, responses);
    const parts = response.parts.map(({from, to}) => answer.subarray(from, to));
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
      bodyBytes: parts.reduce((sum, {length}) => sum + length, 0),
      body: arrivals.isWhole(stream) ? decodedBody(parts, response.fields, crypto) : null,
      initiator: null,
      priority: null,
    });
  }
  return {exchanges, notes: []};
}

/**
 * Counts the HTTP/3 frames on all request streams and control streams. It stores no frames, because a stream may have
 * very many small ones.
 */
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
      const status = Number(fieldOf(lines, ':status') ?? Number.NaN);
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

const NOTHING = new Uint8Array(0);
const NO_HEAD = {status: null, fields: [], headerBytes: 0, headerEnd: null, needsEncoderBytes: 0};
const ENCODER: number = STREAM.qpackEncoder;
/** The largest number of HTTP/3 frames that are read of a connection. Pages have thousands. */
const MOST_FRAMES = 1_000_000;

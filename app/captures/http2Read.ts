import {joinedBytes} from '../http/buffers.ts';
import {FLAG, FRAME, PREFACE, uint31At} from '../http/h2/h2Frame.ts';
import {HpackDecoder} from '../http/hpack/hpackDecoder.ts';
import {HpackError} from '../http/hpack/primitives.ts';
import type {CaptureCrypto, CapturedExchange, CapturedField} from './capturedLoad.ts';
import type {Heard} from './heard.ts';
import {NOT_ANSWERED} from './http1Read.ts';
import {BodyReader, decodedBody, fieldOf, type HttpRead, Owners, type Place} from './httpRead.ts';
import {numberAt} from './numbers.ts';

/** Whether a client's bytes begin with the preface of HTTP/2 (RFC 9113 §3.4). */
export function isHttp2(bytes: Uint8Array): boolean {
  return PREFACE.every((byte, i) => bytes[i] === byte);
}

/** Reads the requests and responses of an HTTP/2 connection (RFC 9113 §8). Pushed responses are left out. */
export function readHttp2(up: Heard, down: Heard, place: Place, crypto: CaptureCrypto): HttpRead {
  const notes: string[] = [];
  const streams = new Map<number, Stream>();
  const requests: Stream[] = [];
  const client = readFrames(up.bytes, PREFACE.length, notes);
  const server = readFrames(down.bytes, 0, notes);
  for (const frame of client) {
    if (frame.fields !== undefined && !streams.has(frame.stream)) {
      const stream = {number: requests.length, head: frame, fields: frame.fields, requestBytes: 0};
      streams.set(frame.stream, stream);
      requests.push(stream);
    }
    const stream = streams.get(frame.stream);
    if (stream !== undefined && CARRIES_MESSAGE.has(frame.type)) stream.requestBytes += frame.to - frame.from;
  }
  const numberOf = (stream: number): number | null => streams.get(stream)?.number ?? null;
  const upOwners = ownersOf(client, numberOf);
  const downOwners = ownersOf(server, numberOf);
  const answers = readAnswers(server, down, crypto);
  const exchanges = requests.map(({head, fields, requestBytes}): CapturedExchange => {
    const value = (name: string): string | undefined => fieldOf(fields, name);
    const authority = value(':authority') ?? value('host') ?? place.host;
    return {
      connection: 0,
      stream: head.stream,
      method: value(':method') ?? 'GET',
      url: `${value(':scheme') ?? place.scheme}://${authority}${value(':path') ?? '/'}`,
      requestFields: fields.filter(([name]) => !name.startsWith(':')),
      requestNs: up.sentNs(head.from),
      requestBytes,
      ...(answers.get(head.stream) ?? NOT_ANSWERED),
      initiator: null,
      priority: null,
    };
  });
  return {exchanges, up: upOwners, down: downOwners, notes};
}

interface Stream {
  readonly number: number;
  readonly head: ReadFrame;
  readonly fields: readonly CapturedField[];
  requestBytes: number;
}

/** A frame and where it is in its sender's bytes. */
interface ReadFrame {
  readonly from: number;
  readonly to: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
  /** The decoded fields of a HEADERS frame. Its CONTINUATION frames are joined to it. Undefined for other frames. */
  readonly fields: readonly CapturedField[] | undefined;
}

/**
 * Reads frames up to the first that is incomplete or has unreadable fields, but at most {@link MOST_FRAMES}.
 * CONTINUATION frames are joined to the frame that they continue.
 */
function readFrames(bytes: Uint8Array, from: number, notes: string[]): readonly ReadFrame[] {
  const decoder = new HpackDecoder(MOST_TABLE_BYTES, MOST_LIST_BYTES);
  const frames: ReadFrame[] = [];
  let blocks = 0;
  for (let at = from; at + FRAME_HEADER_BYTES <= bytes.length && frames.length < MOST_FRAMES; ) {
    const type = bytes[at + 3] ?? 0;
    const flags = bytes[at + 4] ?? 0;
    const stream = uint31At(bytes, at + 5);
    const start = at + FRAME_HEADER_BYTES;
    let to = start + numberAt(bytes, at, 3);
    if (to > bytes.length) break;
    const payload = bytes.subarray(start, to);
    let fields: readonly CapturedField[] | undefined;
    if (type === FRAME.headers || type === FRAME.pushPromise) {
      const block = blockAt(bytes, to, flags, blockOf(type, flags, payload));
      if (block === undefined) break;
      to = block.to;
      try {
        blocks += 1;
        if (blocks > MOST_BLOCKS) throw new HpackError(`more than ${MOST_BLOCKS} blocks of fields`);
        fields = decoder.decode(block.bytes).fields;
      } catch (error) {
        if (!(error instanceof HpackError)) throw error;
        notes.push(
          `The fields of an HTTP/2 connection could not be read after ${frames.length} frames: ${error.message}.`,
        );
        break;
      }
    }
    frames.push({from: at, to, type, flags, stream, payload, fields: type === FRAME.headers ? fields : undefined});
    at = to;
  }
  return frames;
}

/**
 * Adds the CONTINUATION frames that follow at `to` to a block of fields. Returns the block and the offset after its
 * last frame. Undefined if a CONTINUATION frame is missing or incomplete, or makes the block too large.
 */
function blockAt(
  bytes: Uint8Array,
  to: number,
  flags: number,
  first: Uint8Array,
): {readonly bytes: Uint8Array; readonly to: number} | undefined {
  const parts = [first];
  let [at, last, size] = [to, flags, first.length];
  while ((last & FLAG.endHeaders) === 0) {
    const start = at + FRAME_HEADER_BYTES;
    const end = start + numberAt(bytes, at, 3);
    size += end - start;
    if (bytes[at + 3] !== FRAME.continuation || end > bytes.length || size > MOST_LIST_BYTES) return undefined;
    last = bytes[at + 4] ?? 0;
    parts.push(bytes.subarray(start, end));
    at = end;
  }
  return {bytes: joinedBytes(parts), to: at};
}

/** Returns the block of fields in a payload, without padding, priority and promised stream (RFC 9113 §6.2, §6.6). */
function blockOf(type: number, flags: number, payload: Uint8Array): Uint8Array {
  const inner = withoutPadding(flags, payload);
  if (type === FRAME.pushPromise) return inner.subarray(4);
  return (flags & FLAG.priority) === 0 ? inner : inner.subarray(5);
}

function withoutPadding(flags: number, payload: Uint8Array): Uint8Array {
  if ((flags & FLAG.padded) === 0) return payload;
  return payload.subarray(1, Math.max(payload.length - (payload[0] ?? 0), 1));
}

type Answers = ReadonlyMap<number, typeof NOT_ANSWERED>;

function readAnswers(frames: readonly ReadFrame[], down: Heard, crypto: CaptureCrypto): Answers {
  const answers = new Map<number, Answer>();
  for (const frame of frames) {
    const {stream, type, flags, from, to} = frame;
    let answer = answers.get(stream);
    if (type === FRAME.headers && frame.fields !== undefined) {
      answer ??= newAnswer(down);
      answers.set(stream, answer);
      const status = Number(fieldOf(frame.fields, ':status') ?? 0);
      if (answer.fields === undefined) {
        answer.headerBytes += to - from;
        // interim responses precede the response (RFC 9113 §8.1)
        if (status >= 200) Object.assign(answer, {fields: frame.fields, status, headEnd: to});
      }
    } else if (type === FRAME.data && answer !== undefined && answer.end === undefined) {
      const padding = (flags & FLAG.padded) === 0 ? 0 : 1;
      const first = from + FRAME_HEADER_BYTES + padding;
      answer.body.add(first, first + withoutPadding(flags, frame.payload).length);
    } else if (type === FRAME.rstStream && answer !== undefined) answer.isReset ||= answer.end === undefined;
    if (answer !== undefined && (flags & FLAG.endStream) !== 0 && !answer.isReset && CARRIES_MESSAGE.has(type))
      answer.end ??= to;
  }
  return new Map(Array.from(answers, ([stream, answer]) => [stream, answeredOf(answer, down, crypto)]));
}

interface Answer {
  fields: readonly CapturedField[] | undefined;
  status: number;
  headEnd: number;
  headerBytes: number;
  readonly body: BodyReader;
  end: number | undefined;
  isReset: boolean;
}

function newAnswer(down: Heard): Answer {
  return {
    fields: undefined,
    status: 0,
    headEnd: 0,
    headerBytes: 0,
    body: new BodyReader(down),
    end: undefined,
    isReset: false,
  };
}

function answeredOf(
  {fields, status, headEnd, headerBytes, body, end}: Answer,
  down: Heard,
  crypto: CaptureCrypto,
): typeof NOT_ANSWERED {
  if (fields === undefined) return NOT_ANSWERED;
  return {
    responseFields: fields.filter(([name]) => !name.startsWith(':')),
    firstByteNs: down.readNs(headEnd),
    completeNs: end === undefined ? null : down.readNs(end),
    status,
    headerBytes,
    bodyBytes: body.bytes,
    body: end === undefined ? null : decodedBody(body.parts, fields, crypto),
    deliveries: body.deliveries,
  };
}

/**
 * Returns the requests to which bytes belong: the frames of a stream belong to the stream's request. A PRIORITY_UPDATE
 * frame names the stream in its payload (RFC 9218 §7.1).
 */
function ownersOf(frames: readonly ReadFrame[], numberOf: (stream: number) => number | null): Owners['list'] {
  const owners = new Owners();
  for (const {from, to, type, stream, payload} of frames)
    owners.add(from, to, numberOf(type === FRAME.priorityUpdate ? uint31At(payload, 0) : stream));
  return owners.list;
}

const CARRIES_MESSAGE: ReadonlySet<number> = new Set([FRAME.headers, FRAME.data]);
const FRAME_HEADER_BYTES = 9;
/** The largest dynamic table of HPACK. Chromium and Firefox allow at most this size (SETTINGS_HEADER_TABLE_SIZE). */
const MOST_TABLE_BYTES = 65_536;
/** The largest block of fields, as browsers accept it (SETTINGS_MAX_HEADER_LIST_SIZE). */
const MOST_LIST_BYTES = 262_144;
/** The most frames that are read of one end. */
const MOST_FRAMES = 1_000_000;
/** The most blocks of fields that are read of one end. */
const MOST_BLOCKS = 100_000;

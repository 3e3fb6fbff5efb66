import {encodeVarint} from '../../http/h3/varint.ts';
import type {CapturedExchange, CapturedField} from '../capturedLoad.ts';
import {fieldOf} from '../httpRead.ts';
import {type Fields, listOf, numberOf, objectOf, textOf} from '../jsonFields.ts';
import {Arrivals, type ReadableParts, type SentPiece} from '../quic/arrivals.ts';
import type {QlogEvent} from './qlogFile.ts';

/** What the log says about the streams of a connection. */
export interface LoggedStreams {
  /** The frame_created and frame_parsed events of HTTP/3. */
  readonly frames: readonly QlogEvent[];
  /**
   * The STREAM frames that the client sent and received, in order of time. In a server's log, those that the client
   * received have the times of their acknowledgements.
   */
  readonly up: readonly SentPiece[];
  readonly down: readonly SentPiece[];
}

/**
 * Reads requests and responses from the HTTP/3 frames of a log, in the order of the requests.
 */
export function qlogExchanges(
  {frames, up, down}: LoggedStreams,
  {connection, isServer}: {readonly connection: number; readonly isServer: boolean},
): readonly CapturedExchange[] {
  const streams = new Map<number, LoggedMessages>();
  for (const {atNs, name, data} of frames) {
    const stream = numberOf(data['stream_id']);
    // A client's requests are on its bidirectional streams (RFC 9114 §6.1).
    if (stream === undefined || stream % 4 !== 0) continue;
    const messages = streams.get(stream) ?? {request: [], response: []};
    streams.set(stream, messages);
    const isRequest = (name === 'frame_created') !== isServer;
    const frame = objectOf(data['frame']);
    const kind = textOf(frame['frame_type'])?.toLowerCase();
    if (kind === 'headers' || kind === 'data')
      messages[isRequest ? 'request' : 'response'].push({atNs, kind, ...sizeOf(frame, data), fields: fieldsOf(frame)});
  }
  const sentNs = new Map(up.toReversed().map(({stream, atNs}) => [stream, atNs]));
  const arrivals = new Arrivals(down);
  return [...streams]
    .flatMap(([stream, {request, response}]): readonly CapturedExchange[] => {
      const [head] = request;
      if (head?.kind !== 'headers') return [];
      const pseudo = new Map(head.fields);
      const answer = response.findLast(({kind, fields}) => kind === 'headers' && statusOf(fields) !== null);
      return [
        {
          connection,
          stream,
          method: pseudo.get(':method') ?? '',
          url: `${pseudo.get(':scheme') ?? 'https'}://${pseudo.get(':authority') ?? pseudo.get('host') ?? ''}${pseudo.get(':path') ?? ''}`,
          requestFields: head.fields.filter(([name]) => !name.startsWith(':')),
          responseFields: answer?.fields.filter(([name]) => !name.startsWith(':')) ?? [],
          requestNs: (isServer ? undefined : sentNs.get(stream)) ?? head.atNs,
          ...timesOf(stream, response, {arrivals, isServer}),
          status: answer === undefined ? null : statusOf(answer.fields),
          requestBytes: sum(request, ({headBytes, payloadBytes}) => headBytes + payloadBytes),
          headerBytes: sum(response, ({kind, headBytes, payloadBytes}) =>
            kind === 'headers' ? headBytes + payloadBytes : 0,
          ),
          bodyBytes: sum(response, ({kind, payloadBytes}) => (kind === 'data' ? payloadBytes : 0)),
          body: null,
          initiator: null,
          priority: null,
        },
      ];
    })
    .sort((a, b) => a.requestNs - b.requestNs || a.stream - b.stream);
}

interface LoggedMessages {
  readonly request: LoggedFrame[];
  readonly response: LoggedFrame[];
}

interface LoggedFrame {
  readonly atNs: number;
  readonly kind: 'headers' | 'data';
  /** Size of the type and length of the frame. */
  readonly headBytes: number;
  readonly payloadBytes: number;
  readonly fields: readonly CapturedField[];
}

/**
 * Returns the sizes of a frame's head and payload. If a log has only the size of the payload, that of the head is
 * computed.
 */
function sizeOf(frame: Fields, data: Fields): Pick<LoggedFrame, 'headBytes' | 'payloadBytes'> {
  const raw = objectOf(frame['raw'] ?? data['raw']);
  const [length, payload] = [numberOf(raw['length']), numberOf(raw['payload_length'])];
  const payloadBytes =
    payload ?? numberOf(data['byte_length']) ?? numberOf(data['length']) ?? numberOf(frame['length']) ?? 0;
  return {
    headBytes: length === undefined ? 1 + encodeVarint(payloadBytes).length : Math.max(length - payloadBytes, 0),
    payloadBytes,
  };
}

function fieldsOf(frame: Fields): readonly CapturedField[] {
  return listOf(frame['headers'])
    .slice(0, MOST_FIELDS)
    .flatMap(line => {
      const {name, value} = objectOf(line);
      return typeof name === 'string' ? [[name.toLowerCase(), textOf(value) ?? ''] as const] : [];
    });
}

function statusOf(fields: readonly CapturedField[]): number | null {
  const status = Number(fieldOf(fields, ':status') ?? Number.NaN);
  return Number.isInteger(status) ? status : null;
}

function timesOf(
  stream: number,
  response: readonly LoggedFrame[],
  {arrivals, isServer}: {readonly arrivals: Arrivals; readonly isServer: boolean},
): Pick<CapturedExchange, 'firstByteNs' | 'completeNs' | 'deliveries'> {
  const times = arrivals.timesOf(stream, readableParts(response));
  if (times.firstByteNs !== null || isServer) return times;
  // The log has no STREAM frames with the header, so the times of the HTTP/3 frames count.
  const firstByteNs = response.find(({kind}) => kind === 'headers')?.atNs ?? null;
  const deliveries: {atNs: number; bytes: number}[] = [];
  let bytes = 0;
  for (const {kind, atNs, payloadBytes} of response) {
    if (kind !== 'data' || payloadBytes === 0) continue;
    bytes += payloadBytes;
    deliveries.push({atNs, bytes});
  }
  return {firstByteNs, completeNs: null, deliveries};
}

/** Returns the offsets of the header and the body in the stream. */
function readableParts(response: readonly LoggedFrame[]): ReadableParts {
  let [at, headerEnd]: [number, number | null] = [0, null];
  const parts: {from: number; to: number}[] = [];
  for (const {kind, headBytes, payloadBytes} of response) {
    const [from, to] = [at + headBytes, at + headBytes + payloadBytes];
    if (kind === 'data') parts.push({from, to});
    else if (parts.length === 0) headerEnd = to;
    at = to;
  }
  return {headerEnd, needsEncoderBytes: 0, parts};
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

const MOST_FIELDS = 1000;

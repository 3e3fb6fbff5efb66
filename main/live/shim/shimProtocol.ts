/**
 * A message on a stream, about one of its lanes. A lane is one HTTP/1.1 connection. A stream carries one lane after
 * another. `life` is the number of the lane on its stream, modulo 256. Between the two ends of a shim, messages about a
 * lane that has ended are ignored. If the peer is not an end of a shim, `life` is always 0 ({@link PLAIN}).
 */
export type LaneFrame =
  | {readonly type: 'data'; readonly life: number; readonly bytes: Uint8Array}
  /** The sender will send no more data. */
  | {readonly type: 'end'; readonly life: number}
  /** The sender ends the lane in both directions. */
  | {readonly type: 'reset'; readonly life: number; readonly reason: string}
  /** The receiver of this frame may send this many more bytes. */
  | {readonly type: 'credit'; readonly life: number; readonly bytes: number};

export type Frame =
  | LaneFrame
  /** Asks the peer for a pong, as a sign that it is alive. Both frames are sent on the control stream. */
  | {readonly type: 'ping'}
  | {readonly type: 'pong'};

/** An encoding of frames as messages. */
export interface Framing {
  /** How many bytes each end may send on a lane before the other end grants more. */
  readonly windowBytes: number;
  /** How many bytes precede the data in a message. */
  readonly headBytes: number;
  /** Encodes a frame as a message. Undefined if this framing has no message for such a frame. */
  encode(frame: Frame): Uint8Array | undefined;
  /** Decodes a message. Undefined if the message is not a frame. */
  read(message: Uint8Array): Frame | undefined;
}

/**
 * The framing between the two ends of a shim: the near end, which is a proxy, and the far end, which is a gateway. A
 * message begins with one byte for the type of frame and one byte for `life`. The content follows.
 */
export const FRAMED: Framing = {
  windowBytes: 256 * 1024,
  headBytes: 2,
  encode: encodeFrame,
  read: readFrame,
};

/**
 * Plain HTTP/1.1 without frames, for a peer that is not an end of a shim. All lanes have `life` 0. There is no flow
 * control per lane.
 */
export const PLAIN: Framing = {
  windowBytes: Number.POSITIVE_INFINITY,
  headBytes: 0,
  encode: frame => (frame.type === 'data' ? frame.bytes : undefined),
  read: bytes => ({type: 'data', life: 0, bytes}),
};

function encodeFrame(frame: Frame): Uint8Array {
  const [kind, life] = [KINDS.indexOf(frame.type), 'life' in frame ? frame.life : 0];
  const rest = restOf(frame);
  const message = new Uint8Array(2 + rest.length);
  message[0] = kind;
  message[1] = life;
  message.set(rest, 2);
  return message;
}

function restOf(frame: Frame): Uint8Array {
  switch (frame.type) {
    case 'data':
      return frame.bytes;
    case 'reset':
      return Buffer.from(frame.reason).subarray(0, MOST_REASON_BYTES);
    case 'credit': {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(frame.bytes);
      return bytes;
    }
    case 'end':
    case 'ping':
    case 'pong':
      return NOTHING;
  }
}

function readFrame(message: Uint8Array): Frame | undefined {
  const [kind = -1, life] = message;
  const type = KINDS[kind];
  if (type === undefined || life === undefined) return undefined;
  const rest = message.subarray(2);
  switch (type) {
    case 'data':
      return rest.length === 0 ? undefined : {type, life, bytes: rest};
    case 'reset':
      return rest.length > MOST_REASON_BYTES ? undefined : {type, life, reason: Buffer.from(rest).toString('utf8')};
    case 'credit':
      return rest.length === 4 ? {type, life, bytes: Buffer.from(rest).readUInt32BE()} : undefined;
    case 'end':
      return rest.length === 0 ? {type, life} : undefined;
    case 'ping':
    case 'pong':
      return rest.length === 0 && life === 0 ? {type} : undefined;
  }
}

const KINDS: readonly Frame['type'][] = ['data', 'end', 'reset', 'credit', 'ping', 'pong'];
const MOST_REASON_BYTES = 500;
const NOTHING = new Uint8Array(0);

const PROTOCOL = 'interleave-shim/1';
const START = 'OPTIONS * HTTP/1.1';

/**
 * The control stream between the two ends of a shim. Both ends send their first messages on it. After these, the near
 * end sends its pings on it, and the far end its pongs.
 */
export const CONTROL_STREAM = 0;

/**
 * Encodes the near end's first message. It requests an upgrade of the association (RFC 9110 §7.8). A live server does
 * not know this upgrade, and answers the message like an ordinary request. The streams then carry plain HTTP/1.1.
 */
export function hello(authority: string, token: string | undefined): Uint8Array {
  const lines = [START, `Host: ${authority}`, 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  return message(lines);
}

/** Parses a near end's hello. Returns its Authorization field. Undefined if the message is not a hello. */
export function helloOf(bytes: Uint8Array): {readonly authorization: string | undefined} | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith(`${START}\r\n`) || !text.includes(`\r\nUpgrade: ${PROTOCOL}\r\n`)) return undefined;
  return {authorization: /\r\nAuthorization: (.*)\r\n/.exec(text)?.[1]};
}

/** The far end's answers to a hello: WELCOME if it accepts the near end, REFUSAL if the token is wrong or missing. */
export const WELCOME = message(['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`]);
export const REFUSAL = message(['HTTP/1.1 403 Forbidden', 'Content-Length: 0']);

/** Finds out what the peer is. `answer` is the peer's first message on the control stream. */
export function peerOf(answer: Uint8Array): 'gateway' | 'server' | 'refuses' | 'unknown' {
  const text = Buffer.from(answer).toString('latin1');
  const status = /^HTTP\/1\.1 (\d{3})[ \r]/.exec(text)?.[1];
  if (status === '101') return text.includes(`\r\nUpgrade: ${PROTOCOL}\r\n`) ? 'gateway' : 'unknown';
  if (status === undefined) return 'unknown';
  return status === '401' || status === '403' ? 'refuses' : 'server';
}

function message(lines: readonly string[]): Uint8Array {
  return Buffer.from([...lines, '', ''].join('\r\n'), 'latin1');
}

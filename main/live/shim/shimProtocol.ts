/**
 * A message on a stream, about one of the lanes there. A stream carries one HTTP/1.1 connection after another. Each is
 * called a *life* of the stream, and has a number modulo 256. Messages about a life that has ended are ignored.
 */
export type LaneFrame =
  | {readonly type: 'data'; readonly life: number; readonly bytes: Uint8Array}
  /** The sender will send no more data. */
  | {readonly type: 'end'; readonly life: number}
  /** The sender gives up the life in both directions. */
  | {readonly type: 'reset'; readonly life: number; readonly reason: string}
  /** The receiver may send this many more bytes. */
  | {readonly type: 'credit'; readonly life: number; readonly bytes: number};

export type Frame =
  | LaneFrame
  /** Asks on the control stream whether the peer is still there. */
  | {readonly type: 'ping'}
  | {readonly type: 'pong'};

/** How frames are written as messages. */
export interface Framing {
  /** Bytes that either end may send in a life before it is granted more. */
  readonly windowBytes: number;
  /** Number of bytes before the data in a message. */
  readonly headBytes: number;
  /** Encodes a frame as a message. Undefined if this framing has no message for it. */
  encode(frame: Frame): Uint8Array | undefined;
  /** Decodes a message. Undefined if it is not a frame. */
  read(message: Uint8Array): Frame | undefined;
}

/** The framing between two shims: one byte for the kind of frame, one for the life, then the content. */
export const FRAMED: Framing = {
  windowBytes: 256 * 1024,
  headBytes: 2,
  encode: encodeFrame,
  read: readFrame,
};

/**
 * Plain HTTP/1.1, for a peer that is no shim. Life 0 is the only one of a stream, and the sender cannot be held back.
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

/** Both ends send pings, pongs and their first messages on this stream. */
export const CONTROL_STREAM = 0;

/**
 * The near end's first message, which asks for an upgrade of the association (RFC 9110 §7.8). A server that does not
 * know this upgrade answers as it does to any request. The streams then carry plain HTTP/1.1.
 */
export function hello(authority: string, token: string | undefined): Uint8Array {
  const lines = [START, `Host: ${authority}`, 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  return message(lines);
}

/** Reads a near end's hello, and returns its Authorization field. Undefined if the message is not a hello. */
export function helloOf(bytes: Uint8Array): {readonly authorization: string | undefined} | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith(`${START}\r\n`) || !text.includes(`\r\nUpgrade: ${PROTOCOL}\r\n`)) return undefined;
  return {authorization: /\r\nAuthorization: (.*)\r\n/.exec(text)?.[1]};
}

/** What the far end answers to a hello. */
export const WELCOME = message(['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`]);
export const REFUSAL = message(['HTTP/1.1 403 Forbidden', 'Content-Length: 0']);

/** Tells by the first message on the control stream what the other end is. */
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

/**
 * What a message on a stream says about a lane. A stream carries one HTTP/1.1 connection after another, its *lives*,
 * numbered modulo 256. Messages of a life that is over are ignored.
 */
export type LaneFrame =
  | {readonly type: 'data'; readonly life: number; readonly bytes: Uint8Array}
  /** No more data will follow. */
  | {readonly type: 'end'; readonly life: number}
  /** The life is given up in both directions. */
  | {readonly type: 'reset'; readonly life: number; readonly reason: string}
  /** The peer may send so many more bytes. */
  | {readonly type: 'credit'; readonly life: number; readonly bytes: number};

export type Frame =
  | LaneFrame
  /** On the control stream: asks whether somebody is there. */
  | {readonly type: 'ping'}
  | {readonly type: 'pong'};

/** How frames are written as messages. */
export interface Framing {
  /** Bytes that either end may send on a life before it is granted more. */
  readonly windowBytes: number;
  /** Bytes in front of a message's data. */
  readonly headBytes: number;
  /** Undefined if this framing cannot express the frame. */
  encode(frame: Frame): Uint8Array | undefined;
  /** Undefined if the message is not a frame. */
  read(message: Uint8Array): Frame | undefined;
}

/** Between two shims: one byte for the kind, one for the life, then the content. */
export const FRAMED: Framing = {
  windowBytes: 256 * 1024,
  headBytes: 2,
  encode: encodeFrame,
  read: readFrame,
};

/** Plain HTTP/1.1, with a peer that is no shim. A stream has only the life 0, and nobody can be held back. */
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
 * The near end's first message asks for an upgrade of the association (RFC 9110 §7.8). A server that does not know it
 * answers as to any request; then the streams carry plain HTTP/1.1.
 */
export function hello(authority: string, token: string | undefined): Uint8Array {
  const lines = [START, `Host: ${authority}`, 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  return message(lines);
}

/** The Authorization field of a near end's hello. Undefined if the message is something else. */
export function helloOf(bytes: Uint8Array): {readonly authorization: string | undefined} | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith(`${START}\r\n`) || !text.includes(`\r\nUpgrade: ${PROTOCOL}\r\n`)) return undefined;
  return {authorization: /\r\nAuthorization: (.*)\r\n/.exec(text)?.[1]};
}

/** The far end's answers. */
export const WELCOME = message(['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`]);
export const REFUSAL = message(['HTTP/1.1 403 Forbidden', 'Content-Length: 0']);

/** What the other end is, by its first message on the control stream. */
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

/**
 * What a message on a stream says. A stream carries one HTTP/1.1 connection after the other, its *lives*, numbered
 * modulo 256: messages of a life that is over are passed over.
 */
export type LaneFrame =
  | {readonly type: 'data'; readonly life: number; readonly bytes: Uint8Array}
  /** No more data will follow. */
  | {readonly type: 'end'; readonly life: number}
  /** The life is given up, in both directions. */
  | {readonly type: 'reset'; readonly life: number; readonly reason: string}
  /** The peer may send so many bytes more. */
  | {readonly type: 'credit'; readonly life: number; readonly bytes: number};

export type Frame =
  | LaneFrame
  /** On the control stream: is somebody there? */
  | {readonly type: 'ping'}
  | {readonly type: 'pong'};

/** How bytes of lives stand in messages. */
export interface Framing {
  /** What either end may send of a life before it is granted more. */
  readonly windowBytes: number;
  /** Of a message, in front of its data. */
  readonly headBytes: number;
  /** Undefined: it cannot be said. */
  encode(frame: Frame): Uint8Array | undefined;
  /** Undefined: it is none. */
  read(message: Uint8Array): Frame | undefined;
}

/** Between two shims: a byte for the kind, one for the life, and what it is of. */
export const FRAMED: Framing = {
  windowBytes: 256 * 1024,
  headBytes: 2,
  encode: encodeFrame,
  read: readFrame,
};

/** HTTP/1.1 as it is, with one that knows no more: the only life of a stream is 0, and nobody can be held back. */
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

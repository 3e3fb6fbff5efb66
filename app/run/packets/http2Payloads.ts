import {ERROR_CODES} from '../../http/h2/h2Error.ts';
import {FLAG, FRAME, SETTING} from '../../http/h2/h2Frame.ts';
import {Broken, type ByteReader, hexText} from './part.ts';

/** A frame's payload, with the fields of the frame's header that determine the payload's format. */
interface Payload {
  readonly type: number;
  readonly flags: number;
  /** The payload, as far as it was sent. */
  readonly bytes: ByteReader;
  readonly length: number;
}

type Add = (name: string, text: string | number) => unknown;

/** Returns the name of a frame type in the RFC, or `frame type 0x2a` for an unknown type. */
export function typeName(type: number): string {
  return TYPES.get(type)?.name ?? `frame type ${hexText(type, 1)}`;
}

/**
 * Adds a payload's fields, with their names from the RFC of the frame (RFC 9113 §6, RFC 9218 §7.1). Returns the field
 * block fragment of a HEADERS or CONTINUATION frame, and no bytes for other frames.
 */
export function readPayload(payload: Payload, add: Add): Uint8Array {
  const {bytes, flags, type, length} = payload;
  const read = TYPES.get(type)?.read ?? readUnknown;
  // A padded payload begins with the length of the padding and ends with the padding (RFC 9113 §6.1).
  const isPadded = (flags & FLAG.padded) !== 0 && PADDED.has(type);
  const padBytes = isPadded ? bytes.number(1, 'Pad Length') : 0;
  if (isPadded) add('Pad Length', `${padBytes} B`);
  if (isPadded && padBytes >= length)
    throw new Broken(`the padding has ${padBytes} B, but the whole payload has ${length} B`);
  return read(payload, add, padBytes);
}

type Read = (payload: Payload, add: Add, padBytes: number) => Uint8Array;

const readData: Read = ({bytes, length, flags}, add, padBytes) => {
  const own = length - padBytes - ((flags & FLAG.padded) === 0 ? 0 : 1);
  add('Data', `${own} B`);
  bytes.take(own, 'Data');
  return NOTHING;
};

const readHeaders: Read = ({bytes, flags, type}, add, padBytes) => {
  if (type === FRAME.headers && (flags & FLAG.priority) !== 0) readPriorityFields(bytes, add);
  const block = bytes.take(Math.max(bytes.left - padBytes, 0), 'Field Block Fragment');
  add('Field Block Fragment', `${block.length} B`);
  return block;
};

const readPriority: Read = ({bytes}, add) => {
  readPriorityFields(bytes, add);
  return NOTHING;
};

/** Reads the priority fields. They are deprecated but still part of the format (RFC 9113 §5.3.2). */
function readPriorityFields(bytes: ByteReader, add: Add): void {
  const dependency = bytes.number(4, 'Stream Dependency');
  add('Exclusive', dependency >= 2 ** 31 ? 'yes' : 'no');
  add('Stream Dependency', dependency % 2 ** 31);
  add('Weight', bytes.number(1, 'Weight'));
}

const readReset: Read = ({bytes}, add) => {
  add('Error Code', errorText(bytes.number(4, 'Error Code')));
  return NOTHING;
};

const readSettings: Read = ({bytes}, add) => {
  while (bytes.left > 0) {
    const identifier = bytes.number(2, 'Identifier');
    const name = SETTINGS.get(identifier) ?? `Identifier ${hexText(identifier, 2)}`;
    add(name, bytes.number(4, 'Value'));
  }
  return NOTHING;
};

const readPush: Read = ({bytes}, add, padBytes) => {
  add('Promised Stream ID', bytes.number(4, 'Promised Stream ID') % 2 ** 31);
  const block = bytes.take(Math.max(bytes.left - padBytes, 0), 'Field Block Fragment');
  add('Field Block Fragment', `${block.length} B`);
  return NOTHING;
};

const readPing: Read = ({bytes}, add) => {
  const data = bytes.take(8, 'Opaque Data');
  add('Opaque Data', Array.from(data, byte => byte.toString(16).padStart(2, '0')).join(''));
  return NOTHING;
};

const readGoaway: Read = ({bytes}, add) => {
  add('Last-Stream-ID', bytes.number(4, 'Last-Stream-ID') % 2 ** 31);
  add('Error Code', errorText(bytes.number(4, 'Error Code')));
  if (bytes.left > 0) add('Additional Debug Data', `${bytes.rest().length} B`);
  return NOTHING;
};

const readWindow: Read = ({bytes}, add) => {
  add('Window Size Increment', bytes.number(4, 'Window Size Increment') % 2 ** 31);
  return NOTHING;
};

/** Decodes a PRIORITY_UPDATE frame (RFC 9218 §7.1). */
const readPriorityUpdate: Read = ({bytes}, add) => {
  add('Prioritized Stream ID', bytes.number(4, 'Prioritized Stream ID') % 2 ** 31);
  add('Priority Field Value', String.fromCharCode(...bytes.take(Math.min(bytes.left, MOST_SHOWN), 'value')));
  return NOTHING;
};

const readUnknown: Read = ({bytes}, add) => {
  add('payload', `${bytes.rest().length} B`);
  return NOTHING;
};

function errorText(code: number): string {
  const name = ERROR_CODES[code];
  return name === undefined ? hexText(code, 4) : `${code} (${name})`;
}

const TYPES: ReadonlyMap<number, {readonly name: string; readonly read: Read}> = new Map<
  number,
  {readonly name: string; readonly read: Read}
>([
  [FRAME.data, {name: 'DATA', read: readData}],
  [FRAME.headers, {name: 'HEADERS', read: readHeaders}],
  [FRAME.priority, {name: 'PRIORITY', read: readPriority}],
  [FRAME.rstStream, {name: 'RST_STREAM', read: readReset}],
  [FRAME.settings, {name: 'SETTINGS', read: readSettings}],
  [FRAME.pushPromise, {name: 'PUSH_PROMISE', read: readPush}],
  [FRAME.ping, {name: 'PING', read: readPing}],
  [FRAME.goaway, {name: 'GOAWAY', read: readGoaway}],
  [FRAME.windowUpdate, {name: 'WINDOW_UPDATE', read: readWindow}],
  [FRAME.continuation, {name: 'CONTINUATION', read: readHeaders}],
  [FRAME.priorityUpdate, {name: 'PRIORITY_UPDATE', read: readPriorityUpdate}],
]);

const PADDED: ReadonlySet<number> = new Set([FRAME.data, FRAME.headers, FRAME.pushPromise]);

/** The names of settings by their identifiers (RFC 9113 §6.5.2, RFC 9218 §2.1). */
const SETTINGS: ReadonlyMap<number, string> = new Map([
  [SETTING.headerTableSize, 'SETTINGS_HEADER_TABLE_SIZE'],
  [SETTING.enablePush, 'SETTINGS_ENABLE_PUSH'],
  [SETTING.maxConcurrentStreams, 'SETTINGS_MAX_CONCURRENT_STREAMS'],
  [SETTING.initialWindowSize, 'SETTINGS_INITIAL_WINDOW_SIZE'],
  [SETTING.maxFrameSize, 'SETTINGS_MAX_FRAME_SIZE'],
  [SETTING.maxHeaderListSize, 'SETTINGS_MAX_HEADER_LIST_SIZE'],
  [SETTING.noRfc7540Priorities, 'SETTINGS_NO_RFC7540_PRIORITIES'],
]);

const NOTHING = new Uint8Array(0);
const MOST_SHOWN = 100;

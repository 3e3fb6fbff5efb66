import {ByteReader, dataFields, type Field, flagsText, hexText, type Part, partOf} from './part.ts';

/** Decodes an SCTP packet with its chunks (RFC 9260 §3). */
export function decodeSctp(bytes: ByteReader): Part {
  return partOf('SCTP', bytes, (packet, {fields, parts}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    add('from port', packet.number(2, 'source port'));
    add('to port', packet.number(2, 'destination port'));
    add('verification tag', hexText(packet.number(4, 'verification tag'), 4));
    add('CRC32c', hexText(packet.number(4, 'checksum'), 4));
    while (packet.left > 0) parts.push(decodeChunk(packet));
  });
}

/** Decodes one chunk (RFC 9260 §3.2). */
function decodeChunk(packet: ByteReader): Part {
  const type = packet.number(1, 'chunk type');
  const {name, read} = CHUNKS.get(type) ?? {name: `chunk ${type}`, read: undefined};
  const chunk = partOf(name, packet, (from, out) => {
    const flags = from.number(1, 'chunk flags');
    const length = from.number(2, 'chunk length');
    out.fields.push({name: 'length', text: `${length} B`});
    // The length includes type, flags and length, but not the padding to a multiple of 4.
    const value = new ByteReader(from.take(Math.max(length - 4, 0), name));
    from.take(Math.min((4 - (length % 4)) % 4, from.left), 'padding');
    if (read !== undefined) out.parts.push(...read({flags, value, fields: out.fields}));
    else if (value.left > 0) out.fields.push({name: 'value', text: `${value.left} B`});
  });
  // It is unknown where an invalid chunk ends, so the bytes after it cannot be interpreted.
  if (chunk.fault !== undefined) packet.rest();
  return chunk;
}

/** A chunk to decode. `value` holds the bytes after the chunk's header. The decoder adds what it reads to `fields`. */
interface ChunkValue {
  readonly flags: number;
  readonly value: ByteReader;
  readonly fields: Field[];
}

/**
 * Decodes a chunk's value and returns the parts inside it. It throws if the value is truncated; the fields that it has
 * added are kept.
 */
type ReadChunk = (chunk: ChunkValue) => readonly Part[];

function readData({flags, value, fields}: ChunkValue): readonly Part[] {
  add(fields, 'flags', flagsText(flags, DATA_FLAGS));
  add(fields, 'TSN', value.number(4, 'TSN'));
  add(fields, 'stream', value.number(2, 'stream identifier'));
  add(fields, 'SSN', value.number(2, 'stream sequence number'));
  add(fields, 'PPID', value.number(4, 'payload protocol identifier'));
  fields.push(...dataFields(value.rest()));
  return [];
}

/**
 * Decodes an I-DATA chunk (RFC 8260 §2.1). One field holds the fragment sequence number (FSN) or, in the first fragment
 * of a message, the payload protocol identifier (PPID).
 */
function readIData({flags, value, fields}: ChunkValue): readonly Part[] {
  add(fields, 'flags', flagsText(flags, DATA_FLAGS));
  add(fields, 'TSN', value.number(4, 'TSN'));
  add(fields, 'stream', value.number(2, 'stream identifier'));
  value.take(2, 'reserved');
  add(fields, 'MID', value.number(4, 'message identifier'));
  const isFirst = (flags & BEGIN) !== 0;
  add(fields, isFirst ? 'PPID' : 'FSN', value.number(4, isFirst ? 'payload protocol identifier' : 'FSN'));
  fields.push(...dataFields(value.rest()));
  return [];
}

/** Decodes an INIT or INIT ACK chunk (RFC 9260 §3.3.2, §3.3.3). */
function readInit({value, fields}: ChunkValue): readonly Part[] {
  add(fields, 'initiate tag', hexText(value.number(4, 'initiate tag'), 4));
  add(fields, 'a_rwnd', `${value.number(4, 'a_rwnd')} B`);
  add(fields, 'outbound streams', value.number(2, 'outbound streams'));
  add(fields, 'inbound streams', value.number(2, 'inbound streams'));
  add(fields, 'initial TSN', value.number(4, 'initial TSN'));
  return readParameters(value);
}

/** Decodes a SACK chunk (RFC 9260 §3.3.4). */
function readSack({value, fields}: ChunkValue): readonly Part[] {
  const cumulative = value.number(4, 'cumulative TSN ack');
  add(fields, 'cumulative TSN ack', cumulative);
  add(fields, 'a_rwnd', `${value.number(4, 'a_rwnd')} B`);
  const [gaps, duplicates] = [value.number(2, 'gap ack blocks'), value.number(2, 'duplicate TSNs')];
  for (let i = 0; i < gaps; i++) {
    const [from, to] = [value.number(2, 'gap ack block'), value.number(2, 'gap ack block')];
    add(fields, 'gap ack block', `TSN ${(cumulative + from) % 2 ** 32} – ${(cumulative + to) % 2 ** 32}`);
  }
  for (let i = 0; i < duplicates; i++) add(fields, 'duplicate TSN', value.number(4, 'duplicate TSN'));
  return [];
}

function readShutdown({value, fields}: ChunkValue): readonly Part[] {
  add(fields, 'cumulative TSN ack', value.number(4, 'cumulative TSN ack'));
  return [];
}

/** Decodes a FORWARD TSN or I-FORWARD-TSN chunk (RFC 3758 §3.2, RFC 8260 §2.3.1). */
function readForwardTsn({value, fields}: ChunkValue): readonly Part[] {
  add(fields, 'new cumulative TSN', value.number(4, 'new cumulative TSN'));
  if (value.left > 0) add(fields, 'streams', `${value.rest().length} B`);
  return [];
}

function readValue({value, fields}: ChunkValue): readonly Part[] {
  if (value.left > 0) add(fields, 'value', `${value.rest().length} B`);
  return [];
}

/**
 * Decodes a list of parameters (RFC 9260 §3.2.1). A parameter has a type, a length, a value, and padding to a multiple
 * of 4 bytes. The length counts type, length and value.
 */
function readParameters(value: ByteReader): readonly Part[] {
  const parts: Part[] = [];
  while (value.left > 0) {
    const part = partOf('parameter', value, (from, out) => {
      const [type, length] = [from.number(2, 'parameter type'), from.number(2, 'parameter length')];
      const {name, read} = PARAMETERS.get(type) ?? {name: `parameter ${hexText(type, 2)}`, read: undefined};
      out.fields.push({name: 'type', text: name});
      const own = new ByteReader(from.take(Math.max(length - 4, 0), name));
      from.take(Math.min((4 - (length % 4)) % 4, from.left), 'padding');
      read?.(own, (name, text) => out.fields.push({name, text: String(text)}));
      if (own.left > 0) out.fields.push({name: 'value', text: `${own.left} B`});
    });
    parts.push(part);
    if (part.fault !== undefined) value.rest();
  }
  return parts;
}

function add(fields: Field[], name: string, text: string | number): void {
  fields.push({name, text: String(text)});
}

/** The flags of DATA and I-DATA chunks (RFC 9260 §3.3.1). The I bit is defined in RFC 7053 §3. */
const DATA_FLAGS = [
  [8, 'I (acknowledge without delay)'],
  [4, 'U (unordered)'],
  [2, 'B (begins a message)'],
  [1, 'E (ends a message)'],
] as const;
const BEGIN = 2;

/** Chunk types: RFC 9260 §3.2, RFC 8260 §2, RFC 6525 §3, RFC 3758 §3.2. */
const CHUNKS: ReadonlyMap<number, {readonly name: string; readonly read: ReadChunk}> = new Map<
  number,
  {readonly name: string; readonly read: ReadChunk}
>([
  [0, {name: 'DATA', read: readData}],
  [1, {name: 'INIT', read: readInit}],
  [2, {name: 'INIT ACK', read: readInit}],
  [3, {name: 'SACK', read: readSack}],
  [4, {name: 'HEARTBEAT', read: ({value}) => readParameters(value)}],
  [5, {name: 'HEARTBEAT ACK', read: ({value}) => readParameters(value)}],
  [6, {name: 'ABORT', read: readValue}],
  [7, {name: 'SHUTDOWN', read: readShutdown}],
  [8, {name: 'SHUTDOWN ACK', read: readValue}],
  [9, {name: 'ERROR', read: readValue}],
  [10, {name: 'COOKIE ECHO', read: readValue}],
  [11, {name: 'COOKIE ACK', read: readValue}],
  [14, {name: 'SHUTDOWN COMPLETE', read: readValue}],
  [64, {name: 'I-DATA', read: readIData}],
  [130, {name: 'RE-CONFIG', read: ({value}) => readParameters(value)}],
  [192, {name: 'FORWARD TSN', read: readForwardTsn}],
  [194, {name: 'I-FORWARD-TSN', read: readForwardTsn}],
]);

type ReadParameter = (value: ByteReader, add: (name: string, text: string | number) => void) => void;

interface Parameter {
  readonly name: string;
  /** Decodes the parameter's value. For bytes that it does not read, only their number is shown. */
  readonly read?: ReadParameter;
}

/**
 * Decodes the stream numbers at the end of a reset request (RFC 6525 §4.1, §4.2). A request without numbers resets all
 * streams.
 */
function readStreams(value: ByteReader, add: (name: string, text: string | number) => void): void {
  const streams: number[] = [];
  while (value.left >= 2) streams.push(value.number(2, 'stream number'));
  add('streams', streams.length === 0 ? 'all' : streams.join(', '));
}

const readOutgoingReset: ReadParameter = (value, add) => {
  add('request', value.number(4, 'request sequence number'));
  add('response', value.number(4, 'response sequence number'));
  add('last TSN', value.number(4, 'last assigned TSN'));
  readStreams(value, add);
};

const readIncomingReset: ReadParameter = (value, add) => {
  add('request', value.number(4, 'request sequence number'));
  readStreams(value, add);
};

const readResponse: ReadParameter = (value, add) => {
  add('response', value.number(4, 'response sequence number'));
  const result = value.number(4, 'result');
  add('result', RESULTS[result] ?? result);
};

const readNewStreams: ReadParameter = (value, add) => {
  add('request', value.number(4, 'request sequence number'));
  add('new streams', value.number(2, 'number of new streams'));
  value.take(2, 'reserved');
};

const readTypes: ReadParameter = (value, add) => {
  add('chunks', Array.from(value.rest(), type => hexText(type, 1)).join(', '));
};

/** The results of a reconfiguration request by their numbers (RFC 6525 §4.4). */
const RESULTS: readonly string[] = [
  'success, nothing to do',
  'success',
  'denied',
  'wrong SSN',
  'a request is in progress',
  'bad sequence number',
  'in progress',
];

/** Parameter types: RFC 9260 §3.3.2.1 and §3.3.3.1, RFC 6525 §4, RFC 5061 §4.2.7, RFC 3758 §3.1, RFC 9653 §4. */
const PARAMETERS: ReadonlyMap<number, Parameter> = new Map<number, Parameter>([
  [1, {name: 'heartbeat info'}],
  [5, {name: 'IPv4 address', read: (value, add) => add('address', value.take(4, 'address').join('.'))}],
  [6, {name: 'IPv6 address'}],
  [7, {name: 'state cookie'}],
  [8, {name: 'unrecognized parameter'}],
  [9, {name: 'cookie preservative'}],
  [12, {name: 'supported address types'}],
  [13, {name: 'outgoing SSN reset request', read: readOutgoingReset}],
  [14, {name: 'incoming SSN reset request', read: readIncomingReset}],
  [15, {name: 'SSN/TSN reset request'}],
  [16, {name: 're-configuration response', read: readResponse}],
  [17, {name: 'add outgoing streams', read: readNewStreams}],
  [18, {name: 'add incoming streams', read: readNewStreams}],
  [0x8001, {name: 'zero checksum acceptable'}],
  [0x8008, {name: 'supported extensions', read: readTypes}],
  [0xc000, {name: 'forward TSN supported'}],
]);

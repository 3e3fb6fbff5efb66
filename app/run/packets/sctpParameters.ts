import {type ByteReader, hexText} from './part.ts';

type ReadParameter = (value: ByteReader, add: (name: string, text: string | number) => void) => void;

interface Parameter {
  readonly name: string;
  /** Decodes the value. The remaining bytes are shown by their number. */
  readonly read?: ReadParameter;
}

/** RFC 6525 §4.1, §4.2: the numbers of the streams. An empty list stands for all. */
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

/** RFC 6525 §4.4. */
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
export const PARAMETERS: ReadonlyMap<number, Parameter> = new Map<number, Parameter>([
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

import {describe, expect, test} from 'vitest';
import {bytesOf, latin1} from '../base/bytes.ts';
import {tagMessage} from '../http/h1/tag.ts';
import type {SctpChunk} from './sctpPacket.ts';
import {readSctpPart} from './sctpPart.ts';
import {NO_CRYPTO} from './testing/wire.ts';

interface TestMessage {
  readonly from: 'up' | 'down';
  /** Each fragment is a packet, and has a buffer of its own. */
  readonly fragments: readonly Uint8Array[];
}

/** Reads an association with these messages on one stream. Packets are recorded at the client, one in each ms. */
function read(messages: readonly TestMessage[]) {
  const next = {up: {tsn: 1, message: 0}, down: {tsn: 1, message: 0}};
  const fragments = messages.flatMap(({from, fragments}) => {
    const message = next[from].message++;
    return fragments.map((bytes, i) => {
      const [begins, ends] = [i === 0, i === fragments.length - 1];
      const tsn = next[from].tsn++;
      return {from, data: {tsn, stream: 0, message, begins, ends, fragment: undefined, bytes, size: bytes.length}};
    });
  });
  const packets = fragments.map(({from, data}, i) => {
    const recorded = {row: i, atNs: i * 1e6, bytes: 48 + data.size, data: data.bytes, comment: '', interface: ''};
    return {recorded, direction: from, ecn: 0, chunks: [{type: 'data', data}] as const};
  });
  return readSctpPart({client: 'a', hasDtls: false, packets}, 'client', NO_CRYPTO);
}

const ok = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** Reads packets of this program's own captures. */
function readOwn(
  packets: readonly (readonly [atMs: number, from: 'up' | 'down', isLost: boolean, chunk: SctpChunk])[],
) {
  const own = packets.map(([atMs, direction, isLost, chunk], row) => {
    const name = direction === 'up' ? 'up (client to server)' : 'down (server to client)';
    const comment = isLost ? 'dropped: lost on the path' : '';
    const recorded = {row, atNs: atMs * 1e6, bytes: 99, data: new Uint8Array(0), comment, interface: name};
    return {recorded, direction, ecn: 0, chunks: [chunk]};
  });
  return readSctpPart({client: 'a', hasDtls: true, packets: own}, 'both', NO_CRYPTO);
}

describe('a handshake that is repeated', () => {
  const data = (tsn: number, text: string): SctpChunk => {
    const bytes = bytesOf(text);
    const whole = {begins: true, ends: true, fragment: undefined};
    return {type: 'data', data: {tsn, stream: 0, message: 0, ...whole, bytes, size: bytes.length}};
  };
  const init = (type: 'init' | 'initAck', tsn: number): SctpChunk => ({type, tsn, outStreams: 2, inStreams: 2});
  const part = readOwn([
    [0, 'up', false, {type: 'dtls'}],
    [100, 'up', false, init('init', 10)],
    [150, 'down', true, init('initAck', 70)],
    [200, 'up', false, init('init', 10)],
    [250, 'down', false, init('initAck', 4_000_000_000)],
    [255, 'down', false, init('initAck', 3_000_000_000)],
    [280, 'up', true, {type: 'cookieEcho'}],
    [350, 'up', false, {type: 'cookieEcho'}],
    [400, 'down', false, {type: 'cookieAck'}],
    [430, 'up', false, data(10, 'GET /a HTTP/1.1\r\nhost: h.test\r\n\r\n')],
    [480, 'down', false, data(4_000_000_000, ok('first'))],
  ]);

  test('counts data from the initial TSN that its sender used', () => {
    expect(part.packets.flatMap(({chunks}) => chunks.map(({first}) => first))).toEqual([0, 0]);
  });

  test('shows how long packets take: the time from the first INIT ACK that arrived to the COOKIE ECHO', () => {
    expect(part.exchanges[0]).toMatchObject({url: 'https://h.test/a', completeNs: 510e6});
  });

  test('begins with the handshake of DTLS, and ends when the association is connected', () => {
    const known = {hasTls: true, openNs: 0, connectedNs: 430e6, tlsNs: null, origin: 'https://h.test', streams: 2};
    expect(part.connection).toEqual(known);
    expect(part.packets.map(({kind}) => kind)).toEqual([...new Array(9).fill('setUp'), 'data', 'data']);
  });
});

const get = (path: string): TestMessage => ({
  from: 'up',
  fragments: [bytesOf(`GET ${path} HTTP/1.1\r\nhost: h.test\r\n\r\n`)],
});
/** A piece of a response with a tag. Parts after the first are further fragments. */
const piece = (request: number, first: string, ...others: readonly string[]): TestMessage => ({
  from: 'down',
  fragments: [tagMessage(request, bytesOf(first)), ...others.map(bytesOf)],
});

const bodies = ({exchanges}: ReturnType<typeof read>) => exchanges.map(({body}) => body && latin1(body));

test('a message with a tag belongs, with all its fragments, to the request that the tag names', () => {
  const [b, a] = [ok('second'), ok('first')];
  const part = read([
    get('/a'),
    get('/b'),
    piece(1, b.slice(0, 20), b.slice(20, -2)),
    piece(0, a.slice(0, 10), a.slice(10)),
    piece(1, b.slice(-2)),
  ]);
  expect(bodies(part)).toEqual(['first', 'second']);
  const owners = part.packets.map(({chunks}) => chunks[0]?.pieces[0]?.exchange);
  expect(owners).toEqual([0, 1, 1, 1, 0, 0, 1]);
});

test('a tag may be a fragment of its own', () => {
  const response = ok('first');
  const part = read([get('/a'), piece(0, '', response.slice(0, 20), response.slice(20))]);
  expect(bodies(part)).toEqual(['first']);
  expect(part.packets.map(({chunks}) => chunks[0]?.pieces[0]?.exchange)).toEqual([0, 0, 0, 0]);
});

test('a message that is shorter than a tag answers no request', () => {
  const short: TestMessage = {from: 'down', fragments: [Uint8Array.of(0, 0), bytesOf('x')]};
  const part = read([get('/a'), piece(0, ok('first').slice(0, -1)), short, piece(0, 't')]);
  expect(bodies(part)).toEqual(['first']);
});

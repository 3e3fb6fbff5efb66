import {expect, test} from 'vitest';
import {bytesOf, latin1} from '../base/bytes.ts';
import {tagMessage} from '../http/h1/tag.ts';
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
    const recorded = {atNs: i * 1e6, bytes: 48 + data.size, data: data.bytes, comment: '', interface: ''};
    const [payload, payloadBytes] = [data.bytes, data.size];
    const ip = {recorded, protocol: 132, from: 'a', to: 'b', ecn: 0, identification: 0, payload, payloadBytes};
    return {packet: {ip, fromPort: 1, toPort: 2, chunks: [{type: 'data', data}] as const}, direction: from};
  });
  return readSctpPart({client: 'a', packets}, 'client', NO_CRYPTO);
}

const get = (path: string): TestMessage => ({
  from: 'up',
  fragments: [bytesOf(`GET ${path} HTTP/1.1\r\nhost: h.test\r\n\r\n`)],
});
const ok = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
/** A piece of a response with a tag. Parts after the first are further fragments. */
const piece = (request: number, first: string, ...others: readonly string[]): TestMessage => ({
  from: 'down',
  fragments: [tagMessage(request, bytesOf(first)), ...others.map(bytesOf)],
});

const bodies = ({exchanges}: ReturnType<typeof read>) => exchanges.map(({body}) => body && latin1(body));

test('messages with tags belong to the requests that they name, with all of their fragments', () => {
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

test('a message that is shorter than a tag answers no request', () => {
  const short: TestMessage = {from: 'down', fragments: [Uint8Array.of(0, 0), bytesOf('x')]};
  const part = read([get('/a'), piece(0, ok('first').slice(0, -1)), short, piece(0, 't')]);
  expect(bodies(part)).toEqual(['first']);
});

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {assemblePage} from '../../page/assemble.ts';
import {pageResponses} from '../response.ts';
import {readFrame} from './datagramFrame.ts';
import {encodeDatagramRequest} from './datagramRequest.ts';
import {DatagramServer, type DatagramServerOptions} from './datagramServer.ts';
import {inSequence} from './framedResponse.ts';
import {rangesOf} from './frameRanges.ts';

// The response has a head of 250 B and a body of 750 B, in ten frames of 100 B. With its headers, a frame has 148 B,
// which take 1 ms at 1.184 Mbit/s.

const page = assemblePage('p', bytesOf('x'.repeat(750)), () => undefined);
const MS = 1e6;

describe('a server of datagrams', () => {
  test('does not exceed its rate, and states which datagram a frame answers at once', () => {
    const server = newServer();
    server.handleDatagram(get(), 5 * MS);
    expect(sentAt(server, 5 * MS)).toEqual(['0 answers 7']);
    expect(server.pollTimeoutNs(5 * MS)).toBe(6 * MS);
    expect(sentAt(server, 6 * MS - 1)).toEqual([]);
    expect(sentAt(server, 6 * MS)).toEqual(['1']);
  });

  test('resends requested frames before it sends new ones', () => {
    const server = newServer();
    server.handleDatagram(get(), 0);
    for (let ms = 0; ms < 4; ms++) sentAt(server, ms * MS);
    server.handleDatagram(get([1]), 4 * MS);
    expect(sentAt(server, 4 * MS)).toEqual(['1 again']);
    expect(sentAt(server, 5 * MS)).toEqual(['4']);
  });

  test('does not resend a frame that is queued or was sent less than an RTT ago', () => {
    const server = newServer();
    server.handleDatagram(get(), 0);
    for (let ms = 0; ms < 3; ms++) sentAt(server, ms * MS);
    // Frame 0 was sent 3 ms ago, and frames 1 and 2 later. Frames 3 to 9 are queued.
    server.handleDatagram(get([0, 1, 2, 3, 4], 2500), 3 * MS);
    const all: string[] = [];
    for (let ms = 3; ms < 20; ms++) all.push(...sentAt(server, ms * MS));
    expect(all).toEqual(['0 again', '3', '4', '5', '6', '7', '8', '9']);
    expect(server.pollTimeoutNs(20 * MS)).toBeUndefined();
  });

  test('answers after its think time', () => {
    const server = newServer({thinkNs: 3 * MS});
    server.handleDatagram(get(), MS);
    expect(sentAt(server, MS)).toEqual([]);
    expect(server.pollTimeoutNs(MS)).toBe(4 * MS);
    expect(sentAt(server, 4 * MS)).toEqual(['0 answers 7']);
  });

  test('numbers the frames of all answers consecutively', () => {
    const server = newServer();
    server.handleDatagram(get(), 0);
    server.handleDatagram(request({url: '/gone', request: 2}), 0);
    const numbers = new Set<number>();
    for (let ms = 0; ms < 13; ms++) numbers.add(server.pollFrame(ms * MS)?.number ?? -1);
    expect([...numbers]).toEqual([...Array.from({length: 13}, (_, number) => number)]);
    expect(server.numberOf(2, 1)).toBe(11);
    expect(server.numberOf(9, 0)).toBeUndefined();
  });

  test('drops invalid requests, and requests with the same number for another URL', () => {
    const server = newServer();
    server.handleDatagram(get(), 0);
    const before = sentAt(server, 0);
    server.handleDatagram(request({url: '/other'}), 0);
    fc.assert(fc.property(fc.uint8Array(), bytes => server.handleDatagram(bytes, 0)));
    const all: string[] = [];
    for (let ms = 1; ms < 20; ms++) all.push(...sentAt(server, ms * MS));
    expect([...before, ...all]).toHaveLength(10);
  });

  test('sends fetched frames as they arrive, and only the first of them answers the request at once', () => {
    const fetched: string[] = [];
    const server = newServer({fetch: (request, url) => fetched.push(`${request} ${url}`)});
    server.handleDatagram(get(), 0);
    server.handleDatagram(get([0, 1]), MS);
    expect(fetched).toEqual(['0 /']);
    expect(sentAt(server, 2 * MS)).toEqual([]);
    expect(server.pollTimeoutNs(2 * MS)).toBeUndefined();
    for (const [index, sent] of [
      [0, '0 answers 7'],
      [1, '1'],
    ] as const) {
      server.handleFetched(0, index);
      expect(sentAt(server, (3 + index) * MS)).toEqual([sent]);
    }
    // A frame that is announced twice is sent only once.
    server.handleFetched(0, 1);
    server.handleFetched(9, 0);
    expect(sentAt(server, 9 * MS)).toEqual([]);
    server.handleDatagram(get([0, 2]), 10 * MS);
    expect(sentAt(server, 10 * MS)).toEqual(['0 again']);
  });

  test('ignores requests for frames that do not exist', () => {
    const server = newServer();
    server.handleDatagram(get([10, 900_000]), 0);
    expect(sentAt(server, 0)).toEqual([]);
    expect(server.pollTimeoutNs(0)).toBeUndefined();
  });
});

function newServer(part: Partial<DatagramServerOptions> = {}): DatagramServer {
  return new DatagramServer({
    respond: pageResponses(page),
    thinkNs: 0,
    payloadBytes: 100,
    rateBps: 1_184_000,
    isAbstractTwice: false,
    frame: (response, payloadBytes) => inSequence(response, payloadBytes, {continues: false}),
    ...part,
  });
}

function get(missing: readonly number[] | null = null, rttUs: number | null = null): Uint8Array {
  return request({ranges: missing === null ? null : rangesOf(missing), rttUs});
}

function request(part: Partial<Parameters<typeof encodeDatagramRequest>[0]>): Uint8Array {
  return encodeDatagramRequest({url: '/', request: 0, datagram: 7, ranges: null, rttUs: null, ...part}, 200);
}

/** Returns a text for each frame that is sent now: `3`, `3 again` or `3 answers 7`. */
function sentAt(server: DatagramServer, nowNs: number): readonly string[] {
  const texts: string[] = [];
  for (let next = server.pollFrame(nowNs); next !== undefined; next = server.pollFrame(nowNs)) {
    const frame = readFrame(next.bytes);
    const answers = next.isRepeat || frame?.answers == null ? '' : ` answers ${frame.answers}`;
    texts.push(`${frame?.index}${next.isRepeat ? ' again' : ''}${answers}`);
  }
  return texts;
}

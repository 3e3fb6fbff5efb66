import {expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {check} from '../../base/schema.ts';
import type {TransportEvent} from '../../http/transports.ts';
import {assemblePage} from '../../page/assemble.ts';
import {paneSettings} from '../scenario/pane.ts';
import type {LiveNetwork} from './loadNetwork.ts';
import {loadPaneLive} from './loadPane.ts';

const HTML = '<img src=1><img src=2><img src=3>';
const page = assemblePage('p', bytesOf(HTML), url => bytesOf(url));
const options = {discovery: 'streaming', thinkNs: 0, timeLimitNs: 1e9, rateBps: 0, retryNs: 1e6} as const;

function answer(body: string, length = `Content-Length: ${body.length}\r\n`): string {
  return `HTTP/1.1 200 OK\r\n${length}\r\n${body}`;
}

/** Returns each object's bytes according to the chunk pieces, if a server sends `all` in segments of this size. */
async function bytesByObject(all: string, segmentBytes: number): Promise<readonly number[]> {
  const parsed = check(paneSettings, {pipeline: 'tcp'});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const {chunkPieces} = await loadPaneLive(networkOf(bytesOf(all), segmentBytes), page, parsed.value, options);
  const bytes = [0, 0, 0, 0];
  for (const [piece, object] of chunkPieces.object.entries())
    bytes[object] = (bytes[object] ?? 0) + (chunkPieces.bytes[piece] ?? 0);
  return bytes;
}

/** A network with one connection to a server that sends `all`, one segment at a time, whatever is requested. */
function networkOf(all: Uint8Array, segmentBytes: number): LiveNetwork {
  let read = 0;
  const events: TransportEvent[] = [];
  const rows = Math.ceil(all.length / segmentBytes);
  const words = (value: (row: number) => number) => Uint32Array.from({length: rows}, (_, row) => value(row));
  const numbers = (value: (row: number) => number) => Float64Array.from(words(value));
  const bytes = words(row => Math.min(segmentBytes, all.length - row * segmentBytes));
  const none = {endpoint: new Uint32Array(), first: new Float64Array(), bytes: new Uint32Array()};
  const unused = (): never => {
    throw new Error('not of this network');
  };
  return {
    nowNs: 1,
    openTcp: () => ({client: 0, server: 1}),
    connect: () => void events.push({endpoint: 0, type: 'connected', streams: 1}),
    write: (_endpoint, _stream, {length}) => length,
    read: () => {
      read += segmentBytes;
      return all.subarray(read - segmentBytes, read);
    },
    advance: async () => {
      if (events.length > 0) return events.splice(0);
      if (read < all.length) return [{endpoint: 0, type: 'readable', stream: 0}];
      return [{endpoint: 0, type: 'closed', reason: 'peer-closed'}];
    },
    packets: () => ({
      endpoint: words(() => 1),
      direction: new Uint8Array(rows),
      bytes,
      sentNs: numbers(row => row),
      leftNs: new Float64Array(rows).fill(Number.NaN),
      copyNs: new Float64Array(rows).fill(Number.NaN),
      ecn: new Uint8Array(rows),
      marked: new Uint8Array(rows),
      fate: new Uint8Array(rows).fill(1),
      fateNs: numbers(row => row),
      kind: new Uint8Array(rows).fill(1),
      cumulativeAck: new Float64Array(rows),
    }),
    chunks: () => ({
      packet: words(row => row),
      first: numbers(row => row * segmentBytes),
      bytes,
      stream: words(() => 0),
      message: words(() => 0),
      retransmission: new Uint8Array(rows),
    }),
    samples: () => ({
      atNs: none.first,
      endpoint: none.endpoint,
      cwndBytes: none.first,
      ssthreshBytes: none.first,
      flightBytes: none.first,
      srttNs: none.first,
      rtoNs: none.first,
      state: new Uint8Array(),
      timeouts: none.endpoint,
      probes: none.endpoint,
    }),
    blocked: () => ({...none, stream: none.endpoint, startNs: none.first, endNs: none.first}),
    openSctp: unused,
    openUdp: unused,
    openQuic: unused,
    addPath: unused,
    renew: unused,
    send: unused,
    writeParts: unused,
    maxMessageInPacketBytes: unused,
  };
}

test('the bytes of a live stream belong to the objects of its responses, in segments of any size', async () => {
  const answers = [answer(HTML), answer('one'), answer(''), answer('three')];
  for (const segmentBytes of [1, 7, 50, 1000])
    expect(await bytesByObject(answers.join(''), segmentBytes)).toEqual(answers.map(({length}) => length));
});

test('the bytes from a bad response on belong to no object', async () => {
  const [html, one, three] = [answer(HTML), answer('one'), answer('three')];
  const bad = answer('', 'X: no length\r\n');
  expect(await bytesByObject([html, one, bad, three].join(''), 7)).toEqual([html.length, one.length, 0, 0]);
});

test('a live client repeats a refused write at growing intervals, which begin anew for each write', async () => {
  const parsed = check(paneSettings, {pipeline: 'tcp'});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const all = bytesOf([answer(HTML), answer('one'), answer('two'), answer('three')].join(''));
  const network = networkOf(all, answer(HTML).length);
  // every accepted write follows three refused ones
  let [writes, nowNs] = [0, 1];
  const waitedNs: number[] = [];
  const refusing: LiveNetwork = {
    ...network,
    get nowNs() {
      return nowNs;
    },
    write: (_endpoint, _stream, {length}) => (++writes % 4 === 0 ? length : 0),
    advance: async untilNs => {
      if (writes > 0 && writes % 4 !== 0) {
        waitedNs.push(untilNs - nowNs);
        nowNs = untilNs;
        return [];
      }
      return network.advance(untilNs);
    },
  };
  await loadPaneLive(refusing, page, parsed.value, options);
  expect(waitedNs.slice(0, 6)).toEqual([1e6, 1.1e6, 1.21e6, 1e6, 1.1e6, 1.21e6]);
});

import {expect, test} from 'vitest';
import {Trace} from '../run/trace/trace.ts';
import {traceProblem} from '../run/trace/traceProblem.ts';
import {captureTrace} from './captureTrace.ts';
import {placeOnPage} from './placeOnPage.ts';
import {exchange, smallLoad} from './testing/capturedLoads.ts';

const MS = 1e6;

const file = (url: string, address: string, bytes: number) => ({
  url,
  address,
  contentType: 'text/plain',
  body: new Uint8Array(bytes),
});

/** The page of the load below: its HTML arrived compressed, one file is only in the page, and one was in the cache. */
const PAGE = {
  objects: [
    file('/', 'https://host.example/', 1000),
    file('/files/1-never.png', 'https://host.example/never.png', 7),
    file('/files/2-image.jpg', 'https://host.example/image.jpg', 400),
    file('/files/3-a.css', 'https://host.example/a.css', 30),
  ],
};

function placed() {
  const load = {
    ...smallLoad(),
    exchanges: [
      exchange('http://host.example/', {at: 20, firstByte: 25, complete: 25}, {status: 301}),
      ...smallLoad().exchanges,
      exchange('https://host.example/a.css', {at: 60, firstByte: 60, complete: 61}),
    ],
    packets: smallLoad().packets.map(packet => ({
      ...packet,
      chunks: packet.chunks.map(chunk => ({
        ...chunk,
        pieces: chunk.pieces.map(piece => ({...piece, exchange: piece.exchange + 1})),
      })),
    })),
  };
  return placeOnPage(captureTrace(load), load.exchanges, PAGE);
}

test('objects have the numbers and names of the page, and others follow', () => {
  const data = placed();
  expect(data.objects.map(({url}) => url)).toEqual([
    '/',
    '/files/1-never.png',
    '/files/2-image.jpg',
    '/files/3-a.css',
    '/',
  ]);
  expect(data.objects[0]).toMatchObject({requestNs: 30 * MS, completeNs: 50 * MS});
  expect(data.objects[1]).toMatchObject({discoveredNs: null, requestNs: null, completeNs: null});
  expect(data.objects[4]).toMatchObject({requestNs: 20 * MS, completeNs: 25 * MS});
  expect(Array.from(data.chunkPieces.object)).toEqual([0, 0, 2, 2, 2, 2]);
  expect(Array.from(data.blockedPieces.object)).toEqual([2]);
  expect(traceProblem(data)).toBeUndefined();
});

test('deliveries have the size of the content, and a cached object is delivered when its response is complete', () => {
  const trace = new Trace(placed());
  expect([trace.objects[0]?.bytes, trace.bytesAt(0, 49 * MS), trace.bytesAt(0, 50 * MS)]).toEqual([1000, 0, 1000]);
  expect([trace.bytesAt(2, 70 * MS), trace.bytesAt(2, 90 * MS)]).toEqual([100, 400]);
  expect([trace.bytesAt(3, 60 * MS), trace.bytesAt(3, 61 * MS)]).toEqual([0, 30]);
  expect(Array.from(trace.data.deliveries.first)).toEqual([0, 0, 0, 100]);
});

test('of several responses for an address, the first complete one belongs to the page', () => {
  const url = 'https://host.example/image.jpg';
  const [html] = smallLoad().exchanges;
  if (html === undefined) throw new Error('the small load has exchanges');
  const exchanges = [
    html,
    exchange(url, {at: 40, firstByte: 41}),
    exchange(url, {at: 50, firstByte: 51, complete: 52, bytes: 400}),
    exchange(url, {at: 60, firstByte: 61, complete: 62, bytes: 400}),
  ];
  const data = placeOnPage(captureTrace({...smallLoad(), exchanges, packets: []}), exchanges, PAGE);
  expect(data.objects[2]?.requestNs).toBe(50 * MS);
  expect(data.objects.slice(4).map(({url}) => url)).toEqual(['/image.jpg', '/image.jpg#3']);
});

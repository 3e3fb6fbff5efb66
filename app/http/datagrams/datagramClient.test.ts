import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {encodeResponse} from '../testing/encodeResponse.ts';
import {DatagramClient} from './datagramClient.ts';
import {encodeFrame, type Frame} from './datagramFrame.ts';
import {readDatagramRequest} from './datagramRequest.ts';
import {SequenceReceiver} from './receiver.ts';

// The response has a head and a body, in ten frames. Times are in ms.

const response = encodeResponse('200 OK', 'text/html', bytesOf('x'.repeat(750)), 250);

describe('a client of datagrams', () => {
  test('repeats its request after a second without any frame, and doubles the wait each time', () => {
    const {asked, client} = open();
    expect(asked(0)).toEqual(['all']);
    expect(asked(999)).toEqual([]);
    expect(asked(1000)).toEqual(['all again']);
    expect(asked(2999)).toEqual([]);
    expect(asked(3000)).toEqual(['all again']);
    expect(client.pollTimeoutNs()).toBe(7000e6);
  });

  test('requests missing frames if nothing arrives for an RTT', () => {
    const {asked, come} = open();
    asked(0);
    come(80, 0, {answers: 0});
    come(81, 1);
    come(83, 3);
    expect(asked(162)).toEqual([]);
    expect(asked(163)).toEqual(['frames=2,4-9 rtt 80000']);
    // Any frame ends the silence.
    come(170, 3);
    expect(asked(249)).toEqual([]);
    expect(asked(250)).toEqual(['frames=2,4-9 rtt 80000']);
  });

  test('repeats a request every RTT eight times, and then doubles the wait each time', () => {
    const {asked, come} = open();
    asked(0);
    come(80, 0, {answers: 0});
    for (let ms = 160; ms <= 160 + 8 * 80; ms += 80) {
      expect(asked(ms - 1)).toEqual([]);
      expect(asked(ms)).toEqual(['frames=1-9 rtt 80000']);
    }
    expect(asked(959)).toEqual([]);
    expect(asked(960)).toHaveLength(1);
    expect(asked(1279)).toEqual([]);
    expect(asked(1280)).toHaveLength(1);
    // Any frame ends this silence, too.
    come(1300, 5);
    expect([1380, 1460].flatMap(asked)).toHaveLength(2);
  });

  test('measures the RTT with the datagram that a frame answers at once, and only with that datagram', () => {
    const {asked, come} = open();
    asked(0);
    asked(1000);
    come(1040, 0, {answers: 1});
    come(1041, 1, {answers: 77});
    expect(asked(1080)).toEqual([]);
    expect(asked(1081)).toEqual(['frames=2-9 rtt 40000']);
  });

  test('uses the time of the first answer as RTT if no frame answers a datagram at once', () => {
    const {asked, come} = open();
    asked(0);
    come(120, 1);
    expect(asked(239)).toEqual([]);
    // This is not a measurement, so the request states no RTT.
    expect(asked(240)).toEqual(['frames=0,2-9 rtt null']);
    come(300, 0, {answers: 1});
    expect(asked(359)).toEqual([]);
    expect(asked(360)).toEqual(['frames=2-9 rtt 60000']);
  });

  test('counts the time of the first answer from the first request, because the answer may be to any request', () => {
    const {asked, come} = open();
    asked(0);
    expect(asked(1000)).toEqual(['all again']);
    come(1040, 1);
    expect(asked(2039)).toEqual([]);
    expect(asked(2040)).toEqual(['frames=0,2-9 rtt null']);
  });

  test('does not repeat requests between the datagrams of a slow server', () => {
    const {asked, come} = open();
    asked(0);
    come(80, 0, {answers: 0});
    come(180, 1);
    expect(asked(329)).toEqual([]);
    expect(asked(330)).toEqual(['frames=2-9 rtt 80000']);
  });

  test('requests missing frames at once, and only once, if a frame that depends on them arrives', () => {
    const {asked, come} = open();
    asked(0);
    come(80, 0, {answers: 0});
    come(81, 3, {continues: true});
    expect(asked(81)).toEqual(['frames=1-2 rtt 80000']);
    come(82, 2, {continues: true});
    expect(asked(82)).toEqual([]);
    come(83, 5, {continues: true});
    expect(asked(83)).toEqual(['frames=4 rtt 80000']);
    come(84, 7);
    expect(asked(84)).toEqual([]);
  });

  test('does not repeat requests for data that TCP carries: the GET and the abstract', () => {
    const {client, asked, come} = open({isReliable: true});
    expect(client.pollDatagram(0)?.isReliable).toBe(true);
    expect(asked(1000)).toEqual([]);
    expect(client.pollTimeoutNs()).toBe(3000e6);
    come(1100, 9, {abstractFrames: 3});
    expect(asked(2100)).toEqual(['frames=3-8 rtt null']);
    for (let index = 3; index < 9; index++) come(2200, index, {abstractFrames: 3});
    expect(asked(9900)).toEqual([]);
  });

  test('reports the response in order, and records which frames waited', () => {
    const {asked, come, reported, client} = open();
    asked(0);
    come(80, 0);
    come(82, 2);
    come(83, 3);
    expect(reported()).toEqual([]);
    come(90, 1);
    expect(reported()).toEqual(['head', 'body 50', 'body 100']);
    expect(client.waits().map(({index, startNs, endNs}) => [index, startNs / 1e6, endNs / 1e6])).toEqual([
      [2, 82, 90],
      [3, 83, 90],
    ]);
    come(95, 9);
    expect(client.waits().at(-1)).toMatchObject({index: 9, startNs: 95e6, endNs: Number.NaN});
    for (const index of [4, 5, 6, 7, 8]) come(100, index);
    expect(reported().at(-1)).toBe('end');
    expect(client.pollTimeoutNs()).toBeUndefined();
  });

  test('drops frames of unknown responses, and frames that contradict the first frame', () => {
    const {client, come, reported} = open();
    client.pollDatagram(0);
    come(1, 0);
    client.handleDatagram(encodeFrame(frame(1, {request: 5})), 0);
    client.handleDatagram(encodeFrame({...frame(1), frames: 11}), 0);
    fc.assert(fc.property(fc.uint8Array(), bytes => client.handleDatagram(bytes, 0)));
    come(2, 2);
    expect(reported()).toEqual([]);
  });

  test('pads a GET at most to the size of a datagram', () => {
    const {client} = open({requestBytes: 2000});
    expect(client.pollDatagram(0)?.bytes).toHaveLength(1472);
  });

  test('reports a URL that is too long for a datagram', () => {
    const {client, reported} = open();
    client.request(1, `/${'x'.repeat(1500)}`);
    expect(reported()).toEqual(['bad']);
  });
});

function open({requestBytes = 200, ...how}: {readonly isReliable?: boolean; readonly requestBytes?: number} = {}) {
  const texts: string[] = [];
  const client = new DatagramClient({
    requestBytes,
    limitBytes: 1472,
    newReceiver: () => new SequenceReceiver(),
    onResponse: (_, event) => {
      texts.push(event.type === 'body' ? `body ${event.bytes.length}` : event.type);
    },
  });
  client.request(0, '/', how);
  return {
    client,
    reported: () => texts,
    come: (ms: number, index: number, part: Parameters<typeof frame>[1] = {}) =>
      client.handleDatagram(encodeFrame(frame(index, part)), ms * 1e6),
    asked: (ms: number) => {
      const all: string[] = [];
      for (let next = client.pollDatagram(ms * 1e6); next; next = client.pollDatagram(ms * 1e6)) {
        const request = readDatagramRequest(next.bytes);
        const ranges = request?.ranges?.map(({first, last}) => (first === last ? first : `${first}-${last}`));
        const what = ranges === undefined ? 'all' : `frames=${ranges.join(',')} rtt ${request?.rttUs}`;
        all.push(`${what}${next.isRepeat ? ' again' : ''}`);
      }
      return all;
    },
  };
}

function frame(index: number, part: Partial<Pick<Frame, 'request' | 'answers' | 'continues' | 'abstractFrames'>> = {}) {
  const payload = response.subarray(100 * index, 100 * index + 100);
  const plain = {request: 0, answers: null, continues: false};
  return {...plain, index, frames: 10, abstractFrames: 0, payload, ...part};
}

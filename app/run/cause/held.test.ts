import {expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {freezesOf, type Held, heldAt, heldTexts} from './held.ts';

// In the small trace, packet 3 with bytes 100–200 of the image is lost at 25 ms. Bytes 200–400 arrive at 40 and wait
// until 70.

const MS = 1e6;
const small = new Trace(smallTrace());
const NOTHING = {packets: [], objects: [], bytes: 0};

test('data is held from its arrival until the lost packet arrives', () => {
  for (const ms of [0, 39.9, 70]) expect(heldAt(small, ms * MS)).toEqual(NOTHING);
  for (const ms of [40, 69.9]) {
    expect(heldAt(small, ms * MS)).toEqual({
      packets: [{packet: 3, object: 1, waiting: [1]}],
      // 100 bytes are shown, 100 were lost, and 200 wait
      objects: [{object: 1, bytes: 400}],
      bytes: 200,
    });
  }
});

test('data that is in flight or was never sent does not count', () => {
  const data = smallTrace();
  // packet 4 is in flight until 50 ms, and 50 bytes of the image are never sent
  const {chunks, chunkPieces, packets, blocked} = data;
  const late = new Trace({
    ...data,
    packets: {...packets, fateNs: packets.fateNs.with(4, 50 * MS)},
    blocked: {...blocked, startNs: Float64Array.of(50 * MS)},
    objects: data.objects.map((object, i) => (i === 1 ? {...object, bytes: 450} : object)),
  });
  expect(heldAt(late, 45 * MS)).toEqual(NOTHING);
  expect(heldAt(late, 50 * MS).objects).toEqual([{object: 1, bytes: 400}]);
  // a lost retransmission is not counted a second time
  const again = new Trace({
    ...data,
    packets: {...packets, fate: packets.fate.with(5, 2)},
    chunks: {...chunks, retransmission: chunks.retransmission.with(4, 1)},
    chunkPieces,
    endNs: 90 * MS,
    blocked: {...blocked, endNs: Float64Array.of(Number.NaN)},
    objects: data.objects.map((object, i) => (i === 1 ? {...object, bytes: 1000, completeNs: null} : object)),
  });
  expect(heldAt(again, 80 * MS).objects).toEqual([{object: 1, bytes: 400}]);
});

test('the header of a response is not part of its body', () => {
  const data = smallTrace();
  // 30 of the 400 bytes are the header
  const shorter = data.objects.map((object, i) => (i === 1 ? {...object, bytes: 370} : object));
  expect(heldAt(new Trace({...data, objects: shorter}), 40 * MS).objects).toEqual([{object: 1, bytes: 370}]);
});

test('a loss that nothing waits for holds nothing, and a lost request holds no picture', () => {
  const data = smallTrace();
  const none = {...data.blocked, startNs: Float64Array.of(80 * MS), endNs: Float64Array.of(85 * MS)};
  expect(heldAt(new Trace({...data, blocked: none}), 82 * MS)).toEqual(NOTHING);
  const up = {...data.packets, direction: data.packets.direction.map(() => 1)};
  expect(heldAt(new Trace({...data, packets: up}), 50 * MS)).toEqual(NOTHING);
});

test('time stands still when data begins to wait and when it has fallen into place', () => {
  expect(freezesOf([small])).toEqual([40 * MS, 70 * MS]);
  expect(freezesOf([])).toEqual([]);
  const data = smallTrace();
  const shifted = new Trace({...data, blocked: {...data.blocked, startNs: Float64Array.of(40.5 * MS)}});
  // two times that are too close to distinguish are returned as one
  expect(freezesOf([small, shifted])).toEqual([40.5 * MS, 70 * MS]);
});

test('a text says how much waits, and for how many packets', () => {
  const told = (held: Held) => heldTexts(small, held).join('');
  expect(told(heldAt(small, 50 * MS))).toBe('200 B of image.jpg wait for one lost packet');
  expect(told(NOTHING)).toBe('');
  const packets = [3, 9].map(packet => ({packet, object: 1, waiting: [1]}));
  const objects = [0, 1].map(object => ({object, bytes: 1}));
  expect(told({packets, objects, bytes: 2345})).toBe('2.3 KB of 2 objects wait for two lost packets');
  expect(told({packets, objects: objects.slice(1), bytes: 23_456})).toBe(
    '23 KB of image.jpg wait for two lost packets',
  );
});

// @vitest-environment jsdom
import {beforeEach, expect, test} from 'vitest';
import type {Held} from '../../../app/run/cause/held.ts';
import {WaitingLayer} from './waitingLayer.ts';

const PICTURE = {url: '/a.jpg', contentType: 'image/jpeg', body: new Uint8Array(100)};
const PAGE = {
  name: 'p',
  objects: [{url: '/', contentType: 'text/html', body: new Uint8Array(9)}, PICTURE, PICTURE, PICTURE],
  headerBytes: 0,
  requestBytes: 0,
};
const BOXES = [undefined, {left: 10, top: 20, width: 40, height: 30}, {left: 60, top: 20, width: 40, height: 30}];
const NOTHING: Held = {packets: [], objects: [], bytes: 0};
/** Packet 7 with data of object 1 is lost. Data of the objects 0 to 3 waits; object 3 has no box yet. */
const HELD: Held = {
  packets: [{packet: 7, object: 1, waiting: [0, 1, 2, 3]}],
  objects: [0, 1, 2, 3].map(object => ({object, bytes: 50})),
  bytes: 200,
};

let isReduced = false;
let holder: HTMLElement;
let asked: number[];
let layer: WaitingLayer;

beforeEach(() => {
  isReduced = false;
  // jsdom has neither of these
  window.matchMedia = () => ({matches: isReduced}) as MediaQueryList;
  HTMLImageElement.prototype.decode = () => Promise.resolve();
  holder = document.createElement('div');
  document.body.replaceChildren(holder);
  asked = [];
  layer = new WaitingLayer(holder, PAGE, async (_, bytes) => {
    asked.push(bytes);
    return 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
  });
});

async function show(held: Held, isMoving = false): Promise<void> {
  await layer.decode(held);
  layer.place(held, {placeOf: object => BOXES[object], size: {width: 200, height: 100}, isMoving});
}

function pictures(): readonly string[] {
  return Array.from(holder.querySelectorAll<HTMLElement>('.waiting-picture'), each => each.dataset['waiting'] ?? '');
}

test('pictures lie above their boxes, and only pictures are decoded', async () => {
  await show(HELD);
  expect(pictures()).toEqual(['1', '2']);
  expect(asked).toEqual([50, 50, 50]);
  const [first] = holder.querySelectorAll<HTMLElement>('.waiting-picture');
  // to the right of its box and above it
  expect(first?.style.translate).toBe('15px 15px');
  expect([first?.style.width, first?.style.height]).toEqual(['40px', '30px']);
});

test('a picture at the edge of the paper is not lifted over the edge', async () => {
  const places = [undefined, {left: 158, top: 3, width: 40, height: 30}, {left: 190, top: -8, width: 40, height: 30}];
  await layer.decode(HELD);
  layer.place(HELD, {placeOf: object => places[object], size: {width: 200, height: 100}, isMoving: false});
  const [inside, outside] = holder.querySelectorAll<HTMLElement>('.waiting-picture');
  expect(inside?.style.translate).toBe('160px 0px');
  // a box that is cut off itself stays at its place
  expect(outside?.style.translate).toBe('190px -8px');
});

test('the crossed packet is on the picture whose data was lost, with a line to each other picture', async () => {
  await show(HELD);
  const [cross, ...others] = holder.querySelectorAll<HTMLElement>('.waiting-packet');
  expect(others).toEqual([]);
  expect(cross?.style.translate).toBe('calc(30px - 50%) calc(35px - 50%)');
  const lines = Array.from(holder.querySelectorAll('line'), line =>
    ['x1', 'y1', 'x2', 'y2'].map(name => line.getAttribute(name)).join(' '),
  );
  expect(lines).toEqual(['30 35 80 35']);
});

test('a packet whose picture has no box is at the top, inside of the page', async () => {
  await show({...HELD, packets: [{packet: 7, object: 0, waiting: [1]}]});
  expect(holder.querySelector<HTMLElement>('.waiting-packet')?.style.translate).toBe(
    'calc(100px - 50%) calc(12px - 50%)',
  );
});

test('while the run plays, pictures fall into place when nothing waits any more', async () => {
  await show(HELD, true);
  await show(NOTHING, true);
  expect(holder.querySelectorAll('.is-landing')).toHaveLength(2);
  expect(holder.querySelector('.waiting-packet')).toBeNull();
  for (const picture of holder.querySelectorAll('.is-landing')) picture.dispatchEvent(new Event('animationend'));
  expect(pictures()).toEqual([]);
});

test('after a jump in time, or if the user wants no motion, waiting pictures vanish at once', async () => {
  await show(HELD);
  await show(NOTHING, false);
  expect(pictures()).toEqual([]);
  isReduced = true;
  await show(HELD, true);
  await show(NOTHING, true);
  expect(pictures()).toEqual([]);
});

test('a picture that waits again stops falling', async () => {
  await show(HELD, true);
  await show(NOTHING, true);
  await show(HELD, true);
  expect(holder.querySelectorAll('.is-landing')).toHaveLength(0);
  expect(pictures()).toEqual(['1', '2']);
  layer.release();
  expect(holder.childElementCount).toBe(0);
});

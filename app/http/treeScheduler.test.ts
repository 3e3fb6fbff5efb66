import {expect, test} from 'vitest';
import {MOST_OBJECTS} from '../page/page.ts';
import {StreamChain} from './h2/streamChain.ts';
import {type TreeRules, TreeScheduler} from './treeScheduler.ts';

const FAIR: TreeRules = {siblings: 'weights', turnBytes: 1};
const usual = {priority: {urgency: 3, isIncremental: false}, scanEnds: []};

/** Writes all responses in pieces. Returns the streams of the pieces, with the number of pieces in a row. */
function order(rules: TreeRules, pieceBytes: number, bodies: ReadonlyMap<number, number>, scheduler = opened(rules)) {
  const left = new Map(bodies);
  for (const id of bodies.keys()) scheduler.add(id, usual);
  const runs: [number, number][] = [];
  for (let turn = scheduler.next(() => true); turn !== undefined; turn = scheduler.next(() => true)) {
    const {id, mostBytes} = turn;
    const bytes = Math.min(pieceBytes, mostBytes, left.get(id) ?? 0);
    scheduler.handleWritten(id, bytes);
    left.set(id, (left.get(id) ?? 0) - bytes);
    if (left.get(id) === 0) scheduler.remove(id);
    const last = runs.at(-1);
    if (last?.[0] === id) last[1] += 1;
    else runs.push([id, 1]);
  }
  return runs.map(([id, count]) => `${id}×${count}`).join(' ');
}

function opened(rules: TreeRules): TreeScheduler {
  return new TreeScheduler(rules);
}

/** A scheduler that knows the chain of streams with these urgencies, as Chromium states it. */
function chained(rules: TreeRules, urgencies: readonly number[]): TreeScheduler {
  const [scheduler, chain] = [opened(rules), new StreamChain()];
  for (const [i, urgency] of urgencies.entries()) scheduler.depend(2 * i + 1, chain.add(2 * i + 1, urgency));
  return scheduler;
}

test('streams with the same parent share by their weights (RFC 7540 §5.3.2)', () => {
  const scheduler = opened(FAIR);
  scheduler.depend(1, {parent: 0, weight: 200, isExclusive: false});
  scheduler.depend(3, {parent: 0, weight: 100, isExclusive: false});
  const bodies = new Map([
    [1, 400],
    [3, 200],
  ]);
  // at the same share, the stream whose last turn is longer ago is next
  expect(order(FAIR, 100, bodies, scheduler)).toBe('1×1 3×1 1×1 3×1 1×2');
});

test('a stream is served before the streams that depend on it, which then get its share (RFC 7540 §5.3.1)', () => {
  const scheduler = opened(FAIR);
  scheduler.depend(1, {parent: 0, weight: 16, isExclusive: false});
  scheduler.depend(3, {parent: 1, weight: 16, isExclusive: false});
  scheduler.depend(5, {parent: 0, weight: 16, isExclusive: false});
  const bodies = new Map([
    [3, 200],
    [5, 300],
    [1, 100],
  ]);
  expect(order(FAIR, 100, bodies, scheduler)).toBe('5×1 1×1 3×1 5×1 3×1 5×1');
});

test('an exclusive stream comes between its parent and all streams that depended on it (RFC 7540 §5.3.1)', () => {
  const scheduler = opened(FAIR);
  scheduler.depend(1, {parent: 0, weight: 16, isExclusive: false});
  scheduler.depend(3, {parent: 0, weight: 16, isExclusive: false});
  scheduler.depend(5, {parent: 0, weight: 16, isExclusive: true});
  const bodies = new Map([1, 3, 5].map(id => [id, 200]));
  expect(order(FAIR, 100, bodies, scheduler)).toBe('5×2 1×1 3×1 1×1 3×1');
});

test('a stream that is moved below its own dependent gives its place to the dependent (RFC 7540 §5.3.3)', () => {
  const scheduler = opened(FAIR);
  scheduler.depend(1, {parent: 0, weight: 16, isExclusive: false});
  scheduler.depend(3, {parent: 1, weight: 16, isExclusive: false});
  scheduler.depend(1, {parent: 3, weight: 16, isExclusive: false});
  const bodies = new Map([1, 3].map(id => [id, 200]));
  expect(order(FAIR, 100, bodies, scheduler)).toBe('3×2 1×2');
});

test('a dependency on an unknown stream (RFC 7540 §5.3.1), or of a stream on itself, counts as one on the root', () => {
  const scheduler = opened(FAIR);
  scheduler.depend(1, {parent: 99, weight: 16, isExclusive: false});
  scheduler.depend(3, {parent: 3, weight: 16, isExclusive: false});
  expect(order(FAIR, 100, new Map([1, 3].map(id => [id, 200])), scheduler)).toBe('1×1 3×1 1×1 3×1');
});

test('streams of equal depth and weight take turns of the given size, as in nginx', () => {
  const nginx: TreeRules = {siblings: 'depth', turnBytes: 65_536};
  // the order of the real nginx, except that its first response fills the empty send buffer (docs/servers.md)
  expect(order(nginx, 8192, new Map([1, 3, 5].map(id => [id, 100_000])))).toBe('1×8 3×8 5×8 1×5 3×5 5×5');
});

test('nginx, h2o and Apache send one response after the other with the chain of Chromium, most urgent first', () => {
  const urgencies = [3, 3, 0, 1];
  const bodies = new Map([1, 3, 5, 7].map(id => [id, 100_000]));
  const nginx: TreeRules = {siblings: 'depth', turnBytes: 65_536};
  expect(order(nginx, 8192, bodies, chained(nginx, urgencies))).toBe('5×13 7×13 1×13 3×13');
  expect(order(FAIR, 16_384, bodies, chained(FAIR, urgencies))).toBe('5×7 7×7 1×7 3×7');
});

test('without dependencies, Caddy prefers the stream that was opened last', () => {
  const caddy: TreeRules = {siblings: 'newest', turnBytes: 16_384};
  expect(order(caddy, 16_384, new Map([1, 3, 5].map(id => [id, 10_000])))).toBe('5×1 3×1 1×1');
});

test('the tree holds a stream for each object of the largest page, and later streams take turns after these', () => {
  const last = 2 * MOST_OBJECTS - 1;
  const late = [last + 2, last + 4];
  for (const siblings of ['weights', 'newest', 'depth'] as const) {
    const rules = {...FAIR, siblings};
    const scheduler = opened(rules);
    for (let id = 1; id <= last; id += 2) scheduler.depend(id, {parent: 0, weight: 16, isExclusive: false});
    for (const id of late) scheduler.depend(id, {parent: 0, weight: 256, isExclusive: false});
    const bodies = new Map([...late, last].map(id => [id, 200]));
    const turns = [...late, ...late].map(id => ` ${id}×1`).join('');
    expect(order(rules, 100, bodies, scheduler), siblings).toBe(`${last}×2${turns}`);
  }
});

test('the chain puts a request behind all that are at least as urgent, and moves one that becomes more urgent', () => {
  const chain = new StreamChain();
  expect(chain.add(1, 0)).toEqual({parent: 0, weight: 256, isExclusive: true});
  expect(chain.add(3, 3)).toEqual({parent: 1, weight: 147, isExclusive: true});
  expect(chain.add(5, 3)).toEqual({parent: 3, weight: 147, isExclusive: true});
  expect(chain.add(7, 1)).toEqual({parent: 1, weight: 220, isExclusive: true});
  expect(chain.move(3, 1)).toEqual([
    {stream: 5, parent: 7, weight: 147, isExclusive: true},
    {stream: 3, parent: 7, weight: 220, isExclusive: true},
  ]);
  expect(chain.move(3, 1)).toEqual([]);
  chain.remove(7);
  expect(chain.add(9, 2)).toEqual({parent: 3, weight: 183, isExclusive: true});
});

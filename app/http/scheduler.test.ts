import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {priorityText, readPriority, requestPriority, USUAL_PRIORITY} from './priority.ts';
import {ResponseScheduler, type SchedulerName} from './scheduler.ts';

const NAMES: readonly SchedulerName[] = ['first-come', 'round-robin', 'weighted', 'scan-aware'];
const picture = {urgency: 3, isIncremental: true};

describe('for responses of equal urgency', () => {
  test('first-come writes one response after the other, and round-robin a piece of each in turn', () => {
    expect(order('first-come', [{bytes: 30}, {bytes: 20}])).toBe('00011');
    expect(order('round-robin', [{bytes: 30}, {bytes: 20}, {bytes: 20}])).toBe('0120120');
  });

  test('round-robin includes a later response in the turns, but does not make up for earlier turns', () => {
    const scheduler = new ResponseScheduler('round-robin');
    for (const id of [0, 1]) scheduler.add(id, {priority: picture, scanEnds: [1000]});
    expect(turns(scheduler, 5)).toBe('01010');
    scheduler.add(2, {priority: picture, scanEnds: [1000]});
    expect(turns(scheduler, 6)).toBe('120120');
  });

  test('scan-aware writes all first scans before any second scan, and ends turns at the ends of first scans', () => {
    expect(scanTurns([2300, 5000], [1000, 3000, 6000], [1200])).toEqual([
      '0 1360',
      '1 1000',
      '2 1200',
      '0 940',
      '1 700',
      '1 1360',
      '0 700',
      '0 1360',
      '0 640',
      '1 1360',
      '1 1360',
      '1 220',
    ]);
  });

  test('scan-aware begins a second scan with half a packet, but not a third scan', () => {
    expect(scanTurns([1000, 3000, 5000], [1300, 3100, 5100])).toEqual([
      '0 1000',
      '1 1300',
      '0 700',
      '1 700',
      '0 1360',
      '1 1360',
      '0 1360',
      '1 1360',
      '0 580',
      '1 380',
    ]);
  });

  test('scan-aware has no turn shorter than half a packet, so that a turn may include the start of the second scan', () => {
    // The second turn contains 660 bytes of the second scan in the first case, and 340 bytes in the second.
    expect(scanTurns([1400, 4000]).slice(0, 3)).toEqual(['0 1360', '0 700', '0 1360']);
    expect(scanTurns([1720, 4000]).slice(0, 3)).toEqual(['0 1360', '0 700', '0 700']);
  });
});

describe('a more urgent response', () => {
  test('is written first, even if it was added later', () => {
    for (const name of ['first-come', 'round-robin', 'scan-aware'] as const)
      expect(order(name, [{bytes: 20}, {bytes: 20, urgency: 0}])).toBe('1100');
  });

  test('has twice the share of the next urgency with weighted', () => {
    const scheduler = new ResponseScheduler('weighted');
    for (const urgency of [3, 2, 1]) scheduler.add(urgency, {priority: {...picture, urgency}, scanEnds: [1e6]});
    const counts = new Map<string, number>();
    for (const turn of turns(scheduler, 700)) counts.set(turn, (counts.get(turn) ?? 0) + 1);
    expect([1, 2, 3].map(urgency => counts.get(String(urgency)))).toEqual([400, 200, 100]);
  });

  test('is written first once its priority has changed', () => {
    const scheduler = new ResponseScheduler('first-come');
    for (const id of [0, 1]) scheduler.add(id, {priority: USUAL_PRIORITY, scanEnds: [1000]});
    expect(turns(scheduler, 1)).toBe('0');
    scheduler.reprioritize(1, {...USUAL_PRIORITY, urgency: 1});
    expect(turns(scheduler, 2)).toBe('11');
  });
});

test('a response that cannot be written is skipped, and all responses are written completely', () => {
  const scheduler = new ResponseScheduler('first-come');
  for (const id of [0, 1]) scheduler.add(id, {priority: picture, scanEnds: [10]});
  expect(scheduler.next(id => id === 1)?.id).toBe(1);
  expect(scheduler.next(() => false)).toBeUndefined();
  const responses = fc.array(fc.record({bytes: fc.integer({min: 1, max: 60}), urgency: fc.integer({min: 0, max: 7})}));
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), responses, (name, all) => {
      const written = order(name, all);
      for (const [id, {bytes}] of all.entries())
        expect(written.split('').filter(turn => turn === letter(id))).toHaveLength(Math.ceil(bytes / 10));
    }),
  );
});

describe('a Priority field', () => {
  test('states values other than the defaults, and is parsed correctly (RFC 9218 §4, §5)', () => {
    for (const urgency of [0, 1, 2, 3, 7]) {
      for (const isIncremental of [false, true])
        expect(readPriority(priorityText({urgency, isIncremental}))).toEqual({urgency, isIncremental});
    }
    expect(priorityText({urgency: 3, isIncremental: false})).toBe('');
    expect(priorityText({urgency: 0, isIncremental: true})).toBe('u=0, i');
  });

  test.each([
    ['', 3, false],
    ['u=8, i=?1', 3, true],
    ['i, i=?0 ,u=5;x=1', 5, false],
    ['u=x, z, i=2, =', 3, false],
    [`${'x,'.repeat(1e5)}u=0`, 3, false],
  ])('%s is parsed, and its invalid parts are ignored', (text, urgency, isIncremental) => {
    expect(readPriority(text)).toEqual({urgency, isIncremental});
  });

  test('of a browser gives documents and styles precedence over scripts, and scripts over pictures', () => {
    const asked = ['/', '/a.css?1', '/f.woff2', '/a.js', '/a.jpg', '/o/1'].map(url => {
      return priorityText(requestPriority(url, 'round-robin', 0));
    });
    expect(asked).toEqual(['u=0, i', 'u=0', 'u=0', 'u=1', 'i', 'i']);
    expect(priorityText(requestPriority('/a.jpg', 'first-come', 0))).toBe('');
    expect([4, 5].map(n => priorityText(requestPriority('/a.jpg', 'weighted', n)))).toEqual(['u=2, i', 'i']);
  });
});

/** Returns the order in which responses are written if each turn writes 10 bytes. */
function order(name: SchedulerName, responses: readonly {bytes: number; urgency?: number}[]): string {
  const scheduler = new ResponseScheduler(name);
  const left = responses.map(({bytes}) => bytes);
  for (const [id, {bytes, urgency = 3}] of responses.entries()) {
    scheduler.add(id, {priority: {urgency, isIncremental: name !== 'first-come'}, scanEnds: [bytes]});
  }
  let written = '';
  for (let next = scheduler.next(() => true); next; next = scheduler.next(() => true)) {
    written += letter(next.id);
    scheduler.handleWritten(next.id, 10);
    left[next.id] = (left[next.id] ?? 0) - 10;
    if ((left[next.id] ?? 0) <= 0) scheduler.remove(next.id);
  }
  return written;
}

/**
 * Returns the turns until all pictures are written, as number of the picture and bytes. Each argument holds the scan
 * ends of a picture.
 */
function scanTurns(...pictures: readonly (readonly number[])[]): readonly string[] {
  const scheduler = new ResponseScheduler('scan-aware');
  for (const [id, scanEnds] of pictures.entries()) scheduler.add(id, {priority: picture, scanEnds});
  const left = pictures.map(ends => ends.at(-1) ?? 0);
  const written: string[] = [];
  for (let next = scheduler.next(() => true); next; next = scheduler.next(() => true)) {
    const bytes = Math.min(1360, next.mostBytes, left[next.id] ?? 0);
    written.push(`${next.id} ${bytes}`);
    scheduler.handleWritten(next.id, bytes);
    left[next.id] = (left[next.id] ?? 0) - bytes;
    if (left[next.id] === 0) scheduler.remove(next.id);
  }
  return written;
}

function turns(scheduler: ResponseScheduler, count: number): string {
  let written = '';
  for (let i = 0; i < count; i++) {
    const next = scheduler.next(() => true);
    written += next?.id;
    if (next !== undefined) scheduler.handleWritten(next.id, 10);
  }
  return written;
}

function letter(id: number): string {
  return String.fromCharCode(48 + id);
}

import {expect, test} from 'vitest';
import {startProgress} from './progress.ts';

const told = (steps: readonly (readonly [atMs: number, done: number, total: number])[]): readonly string[] => {
  const lines: string[] = [];
  let now = 0;
  const write = (text: string | Uint8Array): boolean => lines.push(String(text)) > 0;
  const progress = startProgress({isTTY: true, write}, 'runs', () => now);
  for (const [atMs, done, total] of steps) {
    now = atMs;
    progress.show(done, total);
  }
  return lines.map(line => /\d+\/\d+ .*(?= )/.exec(line)?.[0] ?? line);
};

// the time of the first report in ms: the clock need not start at 0
const EPOCH = 1.8e12;

test('estimates the remaining time by the pace since the first report', () => {
  expect(
    told([
      [EPOCH, 1, 11],
      [EPOCH + 2000, 2, 11],
      [EPOCH + 3000, 3, 11],
    ]),
  ).toEqual(['1/11 runs', '2/11 runs, 18 s left', '3/11 runs, 12 s left']);
});

test('gives no estimate in the first report, even if much is already done then', () => {
  expect(
    told([
      [EPOCH, 40, 100],
      [EPOCH + 1000, 50, 100],
    ]),
  ).toEqual(['40/100 runs', '50/100 runs, 5 s left']);
});

test('starts a new estimate when counting starts again', () => {
  expect(
    told([
      [EPOCH, 5, 5],
      [EPOCH + 60_000, 0, 4],
      [EPOCH + 61_000, 2, 4],
    ]),
  ).toEqual(['5/5 runs', '0/4 runs', '2/4 runs, 1 s left']);
});

test('draws an empty bar for a total of 0', () => {
  expect(told([[0, 0, 0]])).toEqual(['0/0 runs']);
});

test('draws a bar of 30 cells, and clears its line at the end', () => {
  const lines: string[] = [];
  const progress = startProgress({isTTY: true, write: (text: string) => lines.push(text) > 0}, 'runs', () => 0);
  progress.show(2, 5);
  progress.end();
  expect(lines).toEqual([`\r${'█'.repeat(12)}${'░'.repeat(18)} 2/5 runs \u001b[K`, '\r\u001b[K']);
});

test('writes nothing to a stream that is not a terminal', () => {
  const lines: string[] = [];
  const progress = startProgress({isTTY: false, write: (text: string) => lines.push(text) > 0}, 'runs');
  progress.show(1, 2);
  progress.end();
  expect(lines).toEqual([]);
});

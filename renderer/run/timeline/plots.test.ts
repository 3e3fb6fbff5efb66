import {expect, test} from 'vitest';
import {timeScale} from './measures.ts';
import {allPlots, columnAt, cursorPart} from './plots.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';

const FIVE = GOLDEN_MODELS.find(({name}) => name === 'percent-five')?.model;
if (FIVE === undefined) throw new Error('there is no golden of five panes');

test('the graphs of five panes are arranged like their pages: three in one row, two in the next', () => {
  const plots = allPlots(FIVE);
  const placeOf = (pane: number) => {
    const label = FIVE.panes[pane]?.label;
    const {x, y} = plots.find(({panes}) => panes[0]?.label === label)?.box ?? {x: 0, y: 0};
    return {column: Math.floor((3 * x) / FIVE.width), y: Math.round(y)};
  };
  const [top, below] = [placeOf(0).y, placeOf(3).y];
  expect([0, 1, 2, 3, 4].map(placeOf)).toEqual([
    {column: 0, y: top},
    {column: 1, y: top},
    {column: 2, y: top},
    {column: 0, y: below},
    {column: 1, y: below},
  ]);
  expect(below).toBeGreaterThan(top);
  // all have the same height, although the last column has a single graph
  expect(new Set(plots.map(({box}) => box.height.toFixed(3))).size).toBe(1);
});

test('the graphs of four panes are below each other, on one axis', () => {
  const plots = allPlots({...FIVE, panes: FIVE.panes.slice(0, 4)});
  expect(new Set(plots.map(({box}) => box.x)).size).toBe(1);
  expect(new Set(plots.map(({box}) => box.y)).size).toBe(4);
});

test('each column has the times of the run, for the pointer and for the cursor', () => {
  for (const {box, x} of allPlots(FIVE)) {
    expect(timeScale(columnAt(FIVE, box.x + box.width / 2)).invert(box.x)).toBeCloseTo(FIVE.fromNs, 0);
    expect(x.invert(box.x + box.width)).toBeCloseTo(FIVE.toNs, 0);
  }
  // the cursor is drawn once, and again at the offsets of the other columns
  const [first, ...others] = allPlots(FIVE);
  if (first === undefined) throw new Error('five panes have no graphs');
  for (const plot of others) {
    const along = cursorPart(plot).x - cursorPart(first).x;
    expect(first.x(5e8) + along).toBeCloseTo(plot.x(5e8), 3);
  }
});

test('a name that is too long for its column is cut off, and a short name replaces the label', () => {
  const {texts} = drawn(FIVE);
  const [name] = texts.filter(({text}) => text.startsWith('2 SCTP'));
  expect(name?.text).toMatch(/…$/);
  const whole = drawn({...FIVE, width: 1200}).texts.map(({text}) => text);
  expect(whole).toContain('2 SCTP classic, 3 streams');
  // a short name leaves room for the note beside it
  const panes = FIVE.panes.map((pane, i) => ({...pane, shortName: `short ${i}`}));
  const short = drawn({...FIVE, panes, width: 1200}).texts.map(({text}) => text);
  expect(short).toContain('short 1');
  expect(short).not.toContain('2 SCTP classic, 3 streams');
});

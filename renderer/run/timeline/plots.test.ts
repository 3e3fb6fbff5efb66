import {describe, expect, test} from 'vitest';
import {hitAt} from './folded.ts';
import {timeScale} from './measures.ts';
import {allPlots, columnAt, cursorPart, leastTimelinePx} from './plots.ts';
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

describe('in the window, where a graph has a least height', () => {
  const four = {...FIVE, panes: FIVE.panes.slice(0, 4), width: 1200, leastPlotPx: 48};
  const heights = (model: typeof four) => allPlots(model).map(({box}) => box.height);

  test('four graphs are in two columns if they would be too low below each other', () => {
    const low = allPlots({...four, height: leastTimelinePx(four)});
    expect(new Set(low.map(({box}) => box.x)).size).toBe(2);
    expect(Math.min(...low.map(({box}) => box.height))).toBeGreaterThanOrEqual(47.9);
    expect(new Set(allPlots({...four, height: 400}).map(({box}) => box.x)).size).toBe(1);
    // but not if the columns would be too narrow
    expect(new Set(allPlots({...four, height: 200, width: 380}).map(({box}) => box.x)).size).toBe(1);
  });

  test.each([1, 2, 3, 4, 5])('%i graphs are high enough in a picture of the least height', count => {
    for (const width of [380, 640, 1200]) {
      const model = {...FIVE, panes: FIVE.panes.slice(0, count), width, leastPlotPx: 48};
      const height = leastTimelinePx(model);
      expect(Math.min(...heights({...model, height})), `${width}`).toBeGreaterThanOrEqual(47.9);
      expect(height, `${width}`).toBeLessThan(count * 100 + 60);
    }
  });

  test('many graphs have fewer columns if the picture is narrow', () => {
    const columns = (width: number) => new Set(allPlots({...FIVE, width, leastPlotPx: 48}).map(({box}) => box.x)).size;
    expect([1200, 500, 380].map(columns)).toEqual([3, 2, 1]);
  });
});

describe('a folded graph', () => {
  const [first, second] = FIVE.panes;
  if (first === undefined || second === undefined) throw new Error('the golden has five panes');
  const both = {...FIVE, panes: [first, second], width: 640, height: 300};
  const folded = {...both, panes: [{...first, isFolded: true}, second]};

  test('is a strip, and the others get its height', () => {
    const [strip, open] = allPlots(folded);
    expect([strip?.isFolded, open?.isFolded]).toEqual([true, undefined]);
    expect(strip?.box.height).toBe(0);
    const changesPx = (allPlots(both)[0]?.box.y ?? 0) - 1.5 * both.fontPx;
    expect((strip?.strip.y ?? 0) + (strip?.strip.height ?? 0) - changesPx).toBeLessThan(2.4 * both.fontPx);
    expect(open?.box.height ?? 0).toBeGreaterThan(1.5 * (allPlots(both)[1]?.box.height ?? 0));
    expect((open?.strip.y ?? 0) + (open?.strip.height ?? 0)).toBeLessThan(both.height);
  });

  test('has the name, the lost packets, and when and how the load ended', () => {
    const texts = drawn(folded).texts.map(({text}) => text);
    expect(texts).toContain(first.label);
    expect(texts).toContainEqual(expect.stringMatching(/^complete at /));
    const [strip] = allPlots(folded);
    const {y = 0, height = 0} = strip?.strip ?? {};
    const inStrip = ({points}: ReturnType<typeof drawn>['lines'][number]) =>
      points.every(point => point.y >= y - 1 && point.y <= y + height + 1);
    const diagonals = drawn(folded).lines.filter(line => {
      const [from, to] = [line.points[0], line.points.at(-1)];
      return inStrip(line) && from?.x !== to?.x && from?.y !== to?.y;
    });
    // a cross has two lines
    expect(diagonals).toHaveLength(2 * first.trace.droppedPackets().length);
    // nothing of the load's end is drawn before t
    const early = drawn({...folded, revealNs: 10e6}).texts.map(({text}) => text);
    expect(early.some(text => text.startsWith('complete at'))).toBe(false);
  });

  test('lets the pointer find only the lost packets', () => {
    const [strip] = allPlots(folded);
    const [packet = -1] = first.trace.droppedPackets();
    const y = (strip?.strip.y ?? 0) + (strip?.strip.height ?? 0) / 2;
    const x = strip?.x(first.trace.data.packets.fateNs[packet] ?? 0) ?? 0;
    expect(hitAt(folded, {x, y})).toMatchObject({kind: 'loss', packet});
    expect(hitAt(folded, {x: x + 200, y})).toBeUndefined();
  });

  test('is open again if the panes share one graph', () => {
    expect(allPlots({...folded, layout: 'overlaid'})[0]?.isFolded).toBeUndefined();
  });
});

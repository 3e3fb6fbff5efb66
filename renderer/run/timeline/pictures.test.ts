import {describe, expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {TraceData} from '../../../app/run/trace/traceData.ts';
import {PANE_COLOURS} from '../../../app/study/figures/palette.ts';
import {objectColour} from '../../kit/objectColours.ts';
import {hitTest} from './hits.ts';
import type {TimelineModel, TimelinePane} from './model.ts';
import {PALETTES} from './palette.ts';
import {layOut, stripOf} from './plots.ts';
import {pageSteps} from './steps.ts';
import {drawn} from './testing/drawn.ts';
import {PLAIN_MODEL} from './testing/plainModel.ts';
import {cwnd} from './views/cwnd.ts';
import {packets} from './views/packets.ts';
import {percent} from './views/percent.ts';
import {waterfall} from './views/waterfall.ts';

// These tests check where the marks, bars and lines of a picture are, and how panes in one graph are distinguished.

const MS = 1e6;
const {text, dim, warning, accent} = PALETTES.light;
const COLOUR = objectColour(1, 'light');

describe('in a picture', () => {
  test('a loss is a cross at the time of the loss, and a retransmission a bar at its time of sending', () => {
    const model = modelOf([paneOf('one')]);
    const [plot] = layOut(model);
    const {lines, rects} = drawn(model);
    const crosses = lines.filter(({colour}) => colour === warning);
    expect(crosses).toHaveLength(2);
    for (const {points} of crosses) {
      expect(middle(points.map(({x}) => x))).toBeCloseTo(plot?.x(25 * MS) ?? 0, 1);
      expect(middle(points.map(({y}) => y))).toBeCloseTo((plot?.strip.y ?? 0) + (plot?.strip.height ?? 0) / 2, 1);
    }
    const bars = rects.filter(({colour, y}) => colour === COLOUR && y > (plot?.strip.y ?? 0));
    expect(bars).toHaveLength(1);
    expect(middle([bars[0]?.x ?? 0, (bars[0]?.x ?? 0) + (bars[0]?.width ?? 0)])).toBeCloseTo(plot?.x(60 * MS) ?? 0, 1);
  });

  test('the label of a milestone ends at its line, that of the page begins at its line', () => {
    const metrics = {...paneOf('').metrics, pPageMs: {25: 20, 50: 32, 75: 45, 100: 55}};
    const model = modelOf([{...paneOf('one'), metrics}]);
    const x = layOut(model)[0]?.x;
    const {texts} = drawn(model);
    expect(texts.find(({text}) => text === 'all 25 %')).toMatchObject({anchor: 'end'});
    expect(texts.find(({text}) => text === 'all 25 %')?.x).toBeCloseTo((x?.(30 * MS) ?? 0) - 3.6, 1);
    expect(texts.find(({text}) => text.startsWith('page'))).toMatchObject({anchor: 'start'});
    expect(texts.find(({text}) => text.startsWith('page'))?.x).toBeCloseTo((x?.(65 * MS) ?? 0) + 3.6, 1);
  });

  test('a waterfall’s bar is light from the request, full from the first byte, and striped during waits', () => {
    const model = modelOf([paneOf('one')], {view: waterfall});
    const x = layOut(model)[0]?.x;
    const {rects} = drawn(model);
    const [light, full] = rects.filter(({colour, width}) => colour === COLOUR && width > 100);
    expect([light?.x, (light?.x ?? 0) + (light?.width ?? 0)].map(round)).toEqual(
      [x?.(20 * MS), x?.(70 * MS)].map(round),
    );
    expect([full?.x, (full?.x ?? 0) + (full?.width ?? 0)].map(round)).toEqual([x?.(30 * MS), x?.(70 * MS)].map(round));
    expect([light?.opacity, full?.opacity]).toEqual([0.25, 1]);
    const stripes = rects.filter(({colour, y}) => colour === text && y === full?.y);
    expect(stripes.length).toBeGreaterThan(10);
    expect(round(stripes[0]?.x)).toBe(round(x?.(40 * MS)));
    const last = stripes.at(-1);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual((x?.(70 * MS) ?? 0) + 0.01);
    expect(last?.x).toBeGreaterThan(x?.(69 * MS) ?? 0);
    expect(stripes.every(({width}) => width > 0)).toBe(true);
  });

  test('names in a waterfall have at least 0.7 times the size of other text, and do not overlap', () => {
    const objects = Array.from({length: 30}, (_, i) => ({...object(), url: `/picture${i}`}));
    const pane = paneOf('one', {...smallTrace(), objects});
    for (const height of [80, 150, 300, 600]) {
      const names = drawn(modelOf([pane], {view: waterfall, height})).texts.filter(({text}) => /^picture/.test(text));
      expect(names.length).toBeGreaterThan(3);
      for (const {fontPx} of names) expect(fontPx).toBeGreaterThanOrEqual(0.7 * 12 - 0.01);
      for (const [i, {y, fontPx}] of names.slice(1).entries())
        expect(y - (names[i]?.y ?? 0)).toBeGreaterThanOrEqual(0.9 * fontPx);
    }
    const named = paneOf('one', {...smallTrace(), objects: [{...object(), url: '/lighthouse.jpg'}]});
    expect(drawn(modelOf([named], {view: waterfall})).texts.map(({text}) => text)).toContain('lighthouse.jpg');
    // eleven objects in a graph of 130 px have all of their names
    const eleven = paneOf('one', {...smallTrace(), objects: objects.slice(0, 11)});
    expect(
      drawn(modelOf([eleven], {view: waterfall, height: 170})).texts.filter(({text}) => /^picture/.test(text)),
    ).toHaveLength(11);
  });

  test('the line of a change crosses graphs, but no pane’s name', () => {
    const changes = [{atNs: 35 * MS, text: 'rate 1 → 2 Mbit/s'}];
    for (const layout of ['stacked', 'overlaid'] as const) {
      const model = modelOf([paneOf('one'), paneOf('two'), paneOf('three')], {layout, changes});
      const lines = drawn(model).lines.filter(({colour}) => colour === accent);
      const names = drawn(model).texts.filter(each => ['one', 'two', 'three'].includes(each.text));
      expect(lines).toHaveLength(layout === 'stacked' ? 4 : 2);
      for (const {points} of lines) {
        const [from = 0, to = 0] = points.map(({y}) => y);
        for (const {y} of names) expect(y < from || y > to).toBe(true);
      }
    }
  });
});

describe('two panes in one graph', () => {
  const model = modelOf([paneOf('one'), paneOf('two')], {layout: 'overlaid'});

  test('differ by their dashes, and each name has a sample of its dashes', () => {
    const {lines, texts} = drawn(model);
    const ofObject = lines.filter(({colour}) => colour === COLOUR);
    expect(ofObject.map(({dash}) => dash)).toEqual(['', '5.538461538461538 3.6923076923076925']);
    for (const name of ['one', 'two']) {
      const {x = 0, y = 0} = texts.find(each => each.text === name) ?? {};
      const sample = lines.find(({points}) => points.every(point => point.y === y && point.x < x));
      expect(sample?.dash).toBe(ofObject[name === 'one' ? 0 : 1]?.dash);
    }
  });

  test('have their losses in separate rows, where the pointer finds them', () => {
    const [plot] = layOut(model);
    if (plot === undefined) throw new Error('the model has no graph');
    const crosses = drawn(model).lines.filter(({colour}) => colour === warning);
    const rows = [0, 1].map(pane => stripOf(plot, pane));
    expect(crosses.map(({points}) => round(middle(points.map(({y}) => y))))).toEqual(
      rows.flatMap(({y, height}) => [round(y + height / 2), round(y + height / 2)]),
    );
    for (const [pane, {y, height}] of rows.entries()) {
      const hit = hitTest(model, {x: plot.x(25 * MS), y: y + height / 2});
      expect(hit).toMatchObject({kind: 'loss', packet: 3});
      expect(hit?.kind === 'loss' && hit.trace).toBe(model.panes[pane]?.trace);
    }
  });

  test('have a sample before each row of losses', () => {
    const [plot] = layOut(model);
    if (plot === undefined) throw new Error('the model has no graph');
    for (const pane of [0, 1]) {
      const {y, height} = stripOf(plot, pane);
      const [sample, ...others] = drawn(model).lines.filter(({points}) =>
        points.every(point => near(point.y, y + height / 2) && point.x < plot.box.x),
      );
      expect(others).toEqual([]);
      expect(sample?.dash === '').toBe(pane === 0);
    }
  });

  test('have separate lines above the graph, each with a name and a page time', () => {
    const {texts} = drawn(model);
    const [plot] = layOut(model);
    const above = texts.filter(({y}) => y < (plot?.box.y ?? 0) && y > 0);
    const lines = new Set(above.map(({y}) => y));
    expect(lines.size).toBe(2);
    const pages = above.filter(({text}) => text.includes('page'));
    expect(pages.map(({y}) => y)).toEqual([...lines].sort((a, b) => a - b));
  });
});

describe('many panes in one graph', () => {
  const panes = ['one', 'two', 'three', 'four'].map(name => paneOf(name));
  const overlaid = {layout: 'overlaid'} as const;

  test('have one line each for all their bytes, with its own colour and dashes', () => {
    const {lines} = drawn(modelOf(panes, overlaid));
    const [plot] = layOut(modelOf(panes, overlaid));
    const steps = lines.filter(({points}) => points.length > 4);
    expect(steps).toHaveLength(4);
    expect(new Set(steps.map(({dash}) => dash)).size).toBe(4);
    expect(new Set(steps.map(({colour}) => colour)).size).toBe(4);
    // complete at 70 ms, at the top of the graph
    for (const {points} of steps) {
      expect(round(points.at(-1)?.x)).toBe(round(plot?.x(70 * MS)));
      expect(round(points.at(-1)?.y)).toBe(round(plot?.box.y));
    }
    expect(lines.some(({colour}) => colour === COLOUR)).toBe(false);
  });

  test('show only hovered objects, and the pointer finds no others', () => {
    const hovered = new Set([1]);
    const {lines} = drawn(modelOf(panes, {...overlaid, hovered}));
    expect(lines.filter(({colour}) => colour === COLOUR)).toHaveLength(4);
    const model = modelOf(panes, overlaid);
    const [plot] = layOut(model);
    expect(hitTest(model, {x: plot?.x(50 * MS) ?? 0, y: (plot?.box.y ?? 0) + (plot?.box.height ?? 0) * 0.75})).toBe(
      undefined,
    );
  });

  test('show only the congestion window, and no recovery', () => {
    const {lines, rects} = drawn(modelOf(panes, {...overlaid, view: cwnd}));
    expect(lines.filter(({points, width}) => points.length > 2 && width > 1)).toHaveLength(4);
    expect(rects.filter(({colour}) => colour === warning)).toEqual([]);
    const two = drawn(modelOf(panes.slice(0, 2), {...overlaid, view: cwnd}));
    // with two panes, the congestion window is drawn last, over the flight size
    expect(two.lines.at(-1)?.colour).toBe(text);
    expect(two.rects.filter(({colour}) => colour === warning).length).toBeGreaterThan(0);
  });

  test('share the rows of a waterfall in both layouts', () => {
    for (const layout of ['stacked', 'overlaid'] as const)
      expect(layOut(modelOf(panes, {layout, view: waterfall}))).toHaveLength(1);
    expect(layOut(modelOf(panes.slice(0, 2), {view: waterfall}))).toHaveLength(2);
  });

  test('have names that overlap neither each other nor the legend', () => {
    for (const [view, count] of [
      [percent, 4],
      [waterfall, 4],
      [packets, 4],
      [cwnd, 4],
      [cwnd, 2],
    ] as const) {
      const long = panes
        .slice(0, count)
        .map((pane, i) => ({...pane, label: `SCTP classic, ${i} streams, whole messages`}));
      const model = modelOf(long, {...overlaid, view});
      const names = drawn(model).texts.filter(each => /SCTP|cwnd|flight|from the top/.test(each.text));
      const spans = names.map(({text, x, y, anchor}) => {
        const width = text.length * 12 * 0.58;
        return {y, from: anchor === 'end' ? x - width : x, to: anchor === 'end' ? x : x + width};
      });
      for (const [i, a] of spans.entries()) {
        expect(a.to).toBeLessThanOrEqual(model.width);
        for (const b of spans.slice(i + 1)) expect(a.y !== b.y || a.to < b.from || b.to < a.from).toBe(true);
      }
    }
  });
});

describe('the packets of panes in one graph', () => {
  const tcp = paneOf('tcp');
  const sctp = paneOf('sctp', {
    ...smallTrace(),
    pipeline: 'sctp',
    chunks: {...smallTrace().chunks, first: Float64Array.of(0, 1, 2, 3, 2)},
  });

  test('have one scale for bytes and one for TSNs, each with its name and its unit', () => {
    const model = modelOf([tcp, sctp, tcp], {view: packets, layout: 'overlaid'});
    expect(layOut(model).map(({panes}) => panes.map(({label}) => label))).toEqual([['tcp', 'tcp'], ['sctp']]);
    const {texts, rects} = drawn(model);
    expect(texts.map(each => each.text)).toEqual(expect.arrayContaining(['0.3 KB', 'TSN', '3']));
    // number 3 and byte 300 are the highest in their graphs
    for (const {box, x} of layOut(model)) {
      const marks = rects.filter(({colour, x: left, width}) => colour === COLOUR && near(left + width / 2, x(30 * MS)));
      expect(marks.some(({y, height}) => near(y + height / 2, box.y))).toBe(true);
    }
  });

  test('have the dashes of their panes on the lines of acknowledged data', () => {
    const up = {
      ...smallTrace().packets,
      endpoint: Uint32Array.of(0, 1, 1, 1, 1, 0),
      direction: Uint8Array.of(1, 0, 0, 0, 0, 1),
      cumulativeAck: Float64Array.of(Number.NaN, 0, 0, 0, 0, 300),
    };
    const pane = paneOf('tcp', {...smallTrace(), packets: up});
    const dashes = (panes: readonly TimelinePane[]) =>
      drawn(modelOf(panes, {view: packets, layout: 'overlaid'}))
        .lines.filter(
          ({points, colour}) => points.length === 2 && points[0]?.x === points[1]?.x && colour !== '#d3d7dc',
        )
        .map(({dash, colour}) => [dash === '' ? 'none' : 'dashed', colour]);
    expect(dashes([pane])).toEqual([['none', dim]]);
    expect(dashes([pane, pane])).toEqual([
      ['none', text],
      ['dashed', text],
    ]);
  });
});

test('a pane with two connections has a line of acknowledged data and a window for each', () => {
  const {packets: rows, samples, ...rest} = smallTrace();
  const connections = [0, 2].map(client => ({client, server: client + 1, streams: 1}));
  const pane = paneOf('two', {
    ...rest,
    connections,
    packets: {
      ...rows,
      endpoint: Uint32Array.of(0, 1, 1, 1, 2, 0),
      direction: Uint8Array.of(1, 0, 0, 0, 1, 1),
      cumulativeAck: Float64Array.of(Number.NaN, 0, 0, 0, 300, 200),
    },
    samples: {...samples, endpoint: Uint32Array.of(0, 1, 3)},
  });
  const acknowledged = modelOf([pane], {view: packets});
  const x = layOut(acknowledged)[0]?.x;
  const steps = drawn(acknowledged).lines.filter(({colour}) => colour === dim);
  const at = (ms: number) => expect.closeTo(x?.(ms * MS) ?? 0, 1);
  expect(steps.map(({points}) => points.map(point => point.x))).toEqual([
    [at(70), at(70)],
    [at(40), at(40)],
  ]);
  const [first = '', second = ''] = PANE_COLOURS.light;
  const windows = drawn(modelOf([pane], {view: cwnd})).lines.filter(({colour}) => [first, second].includes(colour));
  expect(windows.map(({colour, points}) => [colour, points[0]?.x])).toEqual([
    [first, at(11)],
    [second, at(60)],
  ]);
});

test('packets of two pipelines that count bytes share a graph', () => {
  const other = new Trace({...smallTrace(), pipeline: 'sctp'});
  Object.defineProperty(other, 'pipeline', {value: new Trace(smallTrace()).pipeline});
  const panes = [paneOf('tcp'), {...paneOf('other'), trace: other}];
  expect(layOut(modelOf(panes, {view: packets, layout: 'overlaid'}))).toHaveLength(1);
});

test('a page’s line counts the bytes of all objects', () => {
  expect(pageSteps(new Trace(smallTrace()))).toEqual(
    [
      [20, 0],
      [20, 20],
      [30, 20],
      [30, 40],
      [70, 40],
      [70, 100],
      [70, 100],
    ].map(([ms = 0, y]) => ({x: ms * MS, y})),
  );
});

function modelOf(panes: readonly TimelinePane[], part: Partial<TimelineModel> = {}): TimelineModel {
  return {...PLAIN_MODEL, panes, height: 400, ...part};
}

function paneOf(label: string, data: TraceData = smallTrace()): TimelinePane {
  const trace = new Trace(data);
  return {trace, metrics: measure(data), label};
}

function object(): TraceData['objects'][number] {
  const [, image] = smallTrace().objects;
  if (image === undefined) throw new Error('the small trace has no image');
  return image;
}

function middle(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.05;
}

function round(value = 0): number {
  return Math.round(value * 10) / 10;
}

import {describe, expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {normalised} from '../../../app/study/figures/testing/normalised.ts';
import {objectColour} from '../../kit/objectColours.ts';
import {chainOf} from './causeChain.ts';
import type {Point} from './drawing.ts';
import {explainedLoss} from './explainedLoss.ts';
import type {ExplainedLoss, TimelineModel, TimelinePane} from './model.ts';
import {PALETTES} from './palette.ts';
import {layOut, stripOf} from './plots.ts';
import {drawnOfLoss} from './testing/drawn.ts';
import {lateLoad, sctpLoad, tcpLoad} from './testing/handmadeLoads.ts';
import {PLAIN_MODEL} from './testing/plainModel.ts';
import {modelSvg} from './timelineSvg.ts';
import {cwnd} from './views/cwnd.ts';
import {packets} from './views/packets.ts';
import {waterfall} from './views/waterfall.ts';

// Pictures of an explained loss, in `goldens/explained/`. `npx vitest run renderer/run/timeline/drawCause -u` writes
// them again. Times are in ms, as in testing/handmadeLoads.ts: packet 5 is lost at 255, sent again at 500, and arrives
// at 550.

const MS = 1e6;
const {text} = PALETTES.light;
const [tcp, sctp, late] = [
  paneOf('TCP classic', withTimeout(tcpLoad())),
  paneOf('SCTP classic, 3 streams', sctpLoad()),
  paneOf('TCP late', lateLoad()),
];
const [DATA, DROPPED, ACK] = [5, 8, 10];

const base: TimelineModel = {
  ...PLAIN_MODEL,
  panes: [tcp, sctp],
  explained: lossIn(tcp, DATA),
  width: 640,
  fontPx: 13,
  toNs: 1020 * MS,
};

test.each<[string, Partial<TimelineModel>]>([
  ['percent', {}],
  ['percent-dropped', {explained: lossIn(tcp, DROPPED)}],
  ['percent-second', {explained: lossIn(sctp, DATA)}],
  ['percent-overlaid-dark', {layout: 'overlaid', theme: 'dark', height: 200}],
  ['percent-acknowledgement', {explained: lossIn(tcp, ACK)}],
  ['percent-never', {panes: [late], explained: lossIn(late, DROPPED), height: 160}],
  ['percent-zoomed', {panes: [tcp], fromNs: 365 * MS, toNs: 865 * MS, width: 480, height: 160}],
  ['percent-small', {width: 320, height: 120, fontPx: 11}],
  ['packets', {view: packets}],
  ['waterfall', {view: waterfall}],
  ['window', {view: cwnd}],
])('%s equals its golden', async (name, part) => {
  const svg = normalised(modelSvg({...base, ...part}, 549 * MS));
  await expect(svg).toMatchFileSnapshot(`goldens/explained/${name}.svg`);
});

describe('the arrow', () => {
  test('leads from the loss to the timeout, to the retransmission, and to its arrival', () => {
    const chain = chainOf(tcp.trace, lossIn(tcp, DROPPED).cause);
    expect(chain.moments.map(({atNs, text}) => [atNs / MS, text])).toEqual([
      [270, 'lost'],
      [610, 'timeout'],
      [670, 'there'],
    ]);
    expect(chain.sendings).toEqual([{fromNs: 620 * MS, toNs: 670 * MS, isLost: false}]);
  });

  test('has points at the loss, the retransmission and its arrival, only in the graph of its pane', () => {
    const [first, second] = layOut(base);
    const ends = drawnOfLoss(base).lines.flatMap(({points}) => points);
    const foot = (first?.box.y ?? 0) + (first?.box.height ?? 0) - 0.6 * 13;
    for (const ms of [255, 500, 550]) {
      const at = first?.x(ms * MS) ?? 0;
      expect(ends.some(({x, y}) => close(x, at) && close(y, foot))).toBe(true);
    }
    expect(ends.length).toBeGreaterThan(10);
    expect(ends.filter(({y}) => y > (second?.box.y ?? 0) - 13)).toEqual([]);
  });

  test('begins at the packet’s mark: in the strip, at its number, or in its object’s row', () => {
    const [plot] = layOut(base);
    if (plot === undefined) throw new Error('the model has no graph');
    const strip = stripOf(plot, 0);
    expect(crossOf(base)).toEqual({x: closeTo(plot.x(255 * MS)), y: closeTo(strip.y + strip.height / 2)});
    const [shown] = layOut({...base, view: packets});
    // the packet's number is 2000, and the largest number is 5000
    const {y = 0, height = 0} = shown?.box ?? {};
    expect(crossOf({...base, view: packets}).y).toBeCloseTo(y + height * 0.6, 0);
    const [rows] = layOut({...base, view: waterfall});
    const row = (rows?.box.y ?? 0) + ((rows?.box.height ?? 0) * 1.5) / 4;
    expect(crossOf({...base, view: waterfall}).y).toBeCloseTo(row, 0);
  });

  test('leads from a lost acknowledgement to the one that covered it', () => {
    const {cause} = lossIn(tcp, ACK);
    const chain = chainOf(tcp.trace, cause);
    expect(chain.moments.map(({atNs, text}) => [atNs / MS, text])).toEqual([
      [480, 'lost'],
      [600, 'covered'],
    ]);
  });

  test('leads to the end of the load if the loss is never repaired', () => {
    const chain = chainOf(late.trace, lossIn(late, DROPPED).cause);
    expect(chain.moments.map(({text}) => text)).toEqual(['lost', 'never repaired']);
    expect(chain.endNs).toBe(1000 * MS);
  });
});

describe('brackets', () => {
  test('span the waits, in the object’s colour, with its name and the length of the wait', () => {
    const [plot] = layOut(base);
    const colour = objectColour(2, 'light');
    const [from, to] = [315, 550].map(ms => plot?.x(ms * MS) ?? 0);
    const spans = drawnOfLoss(base).lines.filter(
      line => line.colour === colour && line.points[0]?.y === line.points[1]?.y,
    );
    expect(spans.map(({points}) => points.map(({x}) => x))).toEqual([[closeTo(from ?? 0), closeTo(to ?? 0)]]);
    expect(drawnOfLoss(base).texts.map(each => each.text)).toContain('b.png waited 235 ms');
    // a.jpg has no bracket: its own data was lost, and it waited for no other object
    expect(
      drawnOfLoss(base)
        .texts.map(each => each.text)
        .join(),
    ).not.toContain('a.jpg');
  });

  test('are left out in a low graph, which has only the arrow', () => {
    const low = {...base, height: 120};
    expect(layOut(low)[0]?.box.height).toBeLessThan(2.2 * 13);
    expect(drawnOfLoss(low).texts).toEqual([]);
    expect(drawnOfLoss(low).lines.length).toBeGreaterThan(4);
  });

  test('are inside their graph, whatever their number and the graph’s height', () => {
    const {trace, cause} = explained();
    if (cause.cargo.kind !== 'data') throw new Error('packet 5 has no data');
    const [wait] = cause.cargo.waited;
    if (wait === undefined) throw new Error('no object waited');
    const waited = [0, 2, 3].map(object => ({...wait, object}));
    const many = {trace, cause: {...cause, cargo: {...cause.cargo, waited}}};
    for (let height = 100; height < 400; height += 10) {
      const model = {...base, explained: many, height};
      const top = layOut(model)[0]?.box.y ?? 0;
      for (const {text, y} of drawnOfLoss(model).texts)
        if (text.includes('waited')) expect(y - 6.5, `${height}`).toBeGreaterThan(top);
    }
  });

  test('that have no room are counted instead', () => {
    const {trace, cause} = explained();
    if (cause.cargo.kind !== 'data') throw new Error('packet 5 has no data');
    const [wait] = cause.cargo.waited;
    if (wait === undefined) throw new Error('no object waited');
    const waited = [0, 2, 3, 2].map((object, i) => ({...wait, object, startNs: wait.startNs + i * MS}));
    const many = {trace, cause: {...cause, cargo: {...cause.cargo, waited}}};
    const texts = drawnOfLoss({...base, explained: many, height: 240}).texts.map(each => each.text);
    expect(texts).toContain('2 more waited');
    expect(texts.filter(each => each.includes(' waited ')).length).toBe(1);
  });
});

test('words touch neither each other nor the edges', () => {
  for (const width of [320, 480, 640]) {
    const words = drawnOfLoss({...base, width}).texts.filter(({fontPx, y}) => fontPx === 13 && y > 100);
    const spans = words.map(({text, x, anchor}) => {
      const length = text.length * 13 * 0.5;
      return anchor === 'end' ? [x - length, x] : [x, x + length];
    });
    for (const [i, [from = 0, to = 0]] of spans.entries()) {
      expect(from).toBeGreaterThan(0);
      expect(to).toBeLessThan(width);
      for (const [otherFrom = 0, otherTo = 0] of spans.slice(i + 1)) {
        expect(to <= otherFrom || otherTo <= from).toBe(true);
      }
    }
  }
});

test('in its graph, an explained loss highlights its objects, unless others are hovered', () => {
  const faint = (model: TimelineModel) => {
    const [first] = layOut(model);
    const svg = modelSvg(model, 0);
    expect(first).toBeDefined();
    return (svg.match(/opacity="0.15"/g) ?? []).length;
  };
  // in the TCP pane `/` is dimmed; in the other pane nothing is
  expect(faint({...base, explained: null})).toBe(0);
  const one = faint(base);
  expect(one).toBeGreaterThan(0);
  expect(faint({...base, hovered: new Set([0])})).toBeGreaterThan(one);
});

/** The load with its timeout at 610 instead of 600, because an acknowledgement arrives at 600. */
function withTimeout({data}: Trace): Trace {
  const atNs = data.samples.atNs.map(ns => (ns === 600 * MS ? 610 * MS : ns));
  return new Trace({...data, samples: {...data.samples, atNs}});
}

function explained(): ExplainedLoss {
  return lossIn(tcp, DATA);
}

function lossIn(pane: TimelinePane, packet: number): ExplainedLoss {
  const loss = explainedLoss(pane.trace, packet);
  if (loss === null) throw new Error(`packet ${packet} of ${pane.label} was not lost`);
  return loss;
}

function paneOf(label: string, trace: Trace): TimelinePane {
  return {trace, metrics: measure(trace.data), label};
}

/** The middle of the largest added cross. */
function crossOf(model: TimelineModel): Point {
  const slants = drawnOfLoss(model).lines.filter(({colour, points: [from, to, more]}) => {
    const isLine = from !== undefined && to !== undefined && more === undefined;
    return colour === text && isLine && from.x !== to.x && from.y !== to.y;
  });
  const [largest] = [...slants].sort((a, b) => sizeOf(b.points) - sizeOf(a.points));
  const [from = {x: 0, y: 0}, to = {x: 0, y: 0}] = largest?.points ?? [];
  return {x: (from.x + to.x) / 2, y: (from.y + to.y) / 2};
}

function sizeOf([from = {x: 0, y: 0}, to = {x: 0, y: 0}]: readonly Point[]): number {
  return Math.abs(to.x - from.x);
}

function close(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.1;
}

function closeTo(value: number): number {
  return expect.closeTo(value, 0.5) as unknown as number;
}

import {describe, expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {changeLabels} from './changeLabels.ts';
import {type Drawing, drawLine} from './drawing.ts';
import {drawTimeline} from './drawTimeline.ts';
import {lossObjects} from './explainedLoss.ts';
import {hitTest} from './hits.ts';
import type {TimelineModel} from './model.ts';
import {rowName} from './objectRows.ts';
import {layOut} from './plots.ts';
import {percentSteps} from './steps.ts';
import {PLAIN_MODEL} from './testing/plainModel.ts';
import {lossText} from './tip.ts';
import {VIEWS} from './views/list.ts';
import {packets} from './views/packets.ts';
import {waterfall} from './views/waterfall.ts';

const MS = 1e6;
const trace = new Trace(smallTrace());
const metrics = measure(trace.data);
const model: TimelineModel = {
  ...PLAIN_MODEL,
  panes: [
    {trace, metrics, label: 'one'},
    {trace, metrics, label: 'two'},
  ],
  changes: [{atNs: 35 * MS, text: 'rate 1 → 2 Mbit/s'}],
  height: 400,
};

test('the line of an object has a step for each delivery, from its first byte to its end', () => {
  expect(
    percentSteps(
      trace,
      1,
      80 * MS,
      bytes => bytes / 4,
      (x, y) => ({x, y}),
    ),
  ).toEqual([
    {x: 30 * MS, y: 0},
    {x: 30 * MS, y: 25},
    {x: 70 * MS, y: 25},
    {x: 70 * MS, y: 100},
  ]);
});

describe('the graphs', () => {
  test('are below each other on one time axis, or are one graph for all panes', () => {
    const [upper, lower] = layOut(model);
    expect(upper?.x(40 * MS)).toBe(lower?.x(40 * MS));
    expect((upper?.strip.y ?? 0) + (upper?.strip.height ?? 0)).toBeLessThan(lower?.box.y ?? 0);
    expect(layOut({...model, layout: 'overlaid'})).toHaveLength(1);
  });

  test.each(VIEWS)('$name draws within the picture', view => {
    const {drawing, points} = recorder();
    drawTimeline(drawing, {...model, view, hovered: new Set([1])});
    expect(points.length).toBeGreaterThan(20);
    for (const [x, y] of points) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(model.width);
      expect(y).toBeGreaterThanOrEqual(-1);
      expect(y).toBeLessThanOrEqual(model.height);
    }
  });

  test('of a load that never began are drawn without an error', () => {
    const data = {...smallTrace(), outcome: 'aborted' as const, setupNs: null};
    const objects = data.objects.map(object => ({
      ...object,
      requestNs: null,
      firstByteNs: null,
      completeNs: null,
    }));
    const none = new Trace({...data, objects});
    for (const view of VIEWS) {
      expect(() =>
        drawTimeline(recorder().drawing, {
          ...model,
          view,
          panes: [{trace: none, metrics: measure(none.data), label: ''}],
        }),
      ).not.toThrow();
    }
  });
});

describe('a change of the path', () => {
  const early = {atNs: 10 * MS, text: 'loss 4 % → 20 % down'};
  const late = {atNs: 20 * MS, text: 'rate 56 → 200 kbit/s'};

  test('has its text once, whatever the number of graphs', () => {
    const {drawing, texts} = recorder();
    drawTimeline(drawing, model);
    expect(texts.filter(text => text.startsWith('rate'))).toHaveLength(1);
  });

  test('has its text above that of the next change if both would overlap, and the graphs are below both', () => {
    const changes = [early, late];
    expect(changeLabels({...model, changes}).map(({line}) => line)).toEqual([1, 0]);
    expect(changeLabels({...model, changes, width: 4000}).map(({line}) => line)).toEqual([0, 0]);
    const [plot] = layOut({...model, changes});
    const [without] = layOut({...model, changes: []});
    expect((plot?.box.y ?? 0) - (without?.box.y ?? 0)).toBeCloseTo(2 * 1.2 * model.fontPx);
  });

  test('is only a line if there is no room for its text', () => {
    const changes = [{...early, atNs: 5 * MS}, early, late];
    expect(changeLabels({...model, changes}).map(({line}) => line)).toEqual([undefined, 1, 0]);
  });

  test('at the right edge has its text within the picture', () => {
    const [label] = changeLabels({...model, changes: [{atNs: 79 * MS, text: 'rate 56 → 200 kbit/s'}]});
    expect(label?.left).toBeLessThan(label?.x ?? 0);
    expect((label?.left ?? 0) + 20 * 0.58 * model.fontPx).toBeLessThanOrEqual(model.width);
  });
});

test('lines are thicker in a picture with larger text', () => {
  const widths: number[] = [];
  const {drawing} = recorder();
  const watched = new Proxy(drawing, {
    set: (target, name, value) => {
      if (name === 'lineWidth') widths.push(value);
      return Reflect.set(target, name, value);
    },
  });
  const thickest = (fontPx: number) => {
    widths.length = 0;
    drawTimeline(watched, {...model, fontPx, width: 4000, height: 2000});
    return Math.max(...widths);
  };
  expect(thickest(13)).toBe(2);
  expect(thickest(52)).toBe(8);
});

describe('the names of a waterfall’s rows', () => {
  const names = (height: number, hovered: readonly number[]) => {
    const {drawing, texts} = recorder();
    const data = smallTrace();
    const [first, ...rest] = data.objects;
    if (first === undefined) throw new Error('the small trace has no objects');
    const many = Array.from({length: 9}, (_, i) => ({...first, url: `/image${i + 2}`}));
    const pane = {trace: new Trace({...data, objects: [first, ...rest, ...many]}), metrics, label: ''};
    drawTimeline(drawing, {...model, view: waterfall, panes: [pane], height, hovered: new Set(hovered)});
    return texts.filter(text => /^(\/|image.*)$/.test(text));
  };

  test('are all written if rows are high', () => {
    expect(names(400, [])).toHaveLength(11);
  });

  test('are fewer if rows are low, but include that of a hovered object', () => {
    const few = names(100, []);
    expect(few.length).toBeGreaterThan(3);
    expect(few.length).toBeLessThan(8);
    expect(few).not.toContain('image5');
    expect(names(100, [5])).toContain('image5');
  });
});

test.each(VIEWS)('$name is drawn even if a name is wider than the picture', view => {
  const {drawing, texts} = recorder();
  const [first, ...others] = model.panes.map(pane => ({...pane, label: 'n'.repeat(200)}));
  if (first === undefined) throw new Error('the model has no panes');
  drawTimeline(drawing, {...model, view, panes: [first, ...others]});
  // the names of rows end where the bars begin
  expect(texts.filter(text => /^n+…?$/.test(text))).toHaveLength(2);
  expect(texts).not.toContain('cwnd ━');
});

test('the name of a row is the last part of its path, cut off at its end', () => {
  expect(rowName('/img/lighthouse.jpg?v=2', 200, 12)).toBe('lighthouse.jpg');
  expect(rowName('/img/lighthouse.jpg', 80, 12)).toBe('lighthouse');
  expect(rowName('/img/lighthouse.jpg', 60, 12)).toBe('lightho…');
  expect(rowName('/.profile', 20, 12)).toBe('.…');
  expect(['/', '/news/'].map(url => rowName(url, 200, 12))).toEqual(['/', 'news/']);
});

test('a low graph has fewer values beside it, so that they do not overlap', () => {
  const percents = (height: number) => {
    const {drawing, texts} = recorder();
    drawTimeline(drawing, {...model, panes: model.panes.slice(0, 1), height});
    return texts.filter(text => /^(0|50|100) %$/.test(text));
  };
  expect(percents(100)).toEqual(expect.arrayContaining(['0 %', '50 %', '100 %']));
  expect(percents(70)).not.toContain('50 %');
});

test('a line with more steps than pixels keeps its shape with fewer points', () => {
  const {drawing, points} = recorder();
  const steps = Array.from({length: 1000}, (_, i) => ({x: i / 100, y: i % 500}));
  drawLine(drawing, steps, {colour: 'black', width: 1});
  expect(points.length).toBeLessThan(60);
  const ys = points.map(([, y]) => y);
  expect([Math.min(...ys), Math.max(...ys)]).toEqual([0, 499]);
  expect(points.filter(([x]) => x > 4.985 && x < 5.005)).toEqual([
    [4.99, 499],
    [5, 0],
  ]);
});

describe('the pointer', () => {
  const [plot] = layOut(model);
  if (plot === undefined) throw new Error('the model has no graph');

  test('finds the line that it is on', () => {
    const quarter = plot.box.y + plot.box.height * 0.75;
    expect(hitTest(model, {x: plot.x(50 * MS), y: quarter})).toEqual({kind: 'object', object: 1, trace});
    expect(hitTest(model, {x: plot.x(50 * MS), y: plot.box.y + plot.box.height * 0.3})).toBeUndefined();
  });

  test('finds a lost packet’s mark, whose tip says what was lost and when it arrived', () => {
    const hit = hitTest(model, {x: plot.x(25 * MS) + 3, y: plot.strip.y + 6});
    expect(hit).toMatchObject({kind: 'loss', packet: 3});
    expect(lossObjects(trace, 3)).toEqual([1]);
    expect(lossText(trace, 3)).toMatch(/^Lost at 0.03 s: 25 % of image.jpg; .* arrived at 0.07 s/);
  });

  test('finds a packet, lost or not', () => {
    const [shown] = layOut({...model, view: packets});
    if (shown === undefined) throw new Error('the model has no graph');
    // 300 is the highest number, so 200 is at a third of the height from the top
    const {x, box} = shown;
    const lost = {x: x(25 * MS) + 2, y: box.y + box.height / 3};
    expect(hitTest({...model, view: packets}, lost)).toMatchObject({kind: 'loss', packet: 3});
    const arrived = {x: x(30 * MS), y: box.y + 2};
    expect(hitTest({...model, view: packets}, arrived)).toMatchObject({kind: 'packet', packet: 4, object: 1});
    expect(hitTest({...model, view: packets}, {x: x(70 * MS), y: box.y + 2})).toBeUndefined();
  });

  test('finds the row of a waterfall', () => {
    const lower = plot.box.y + plot.box.height * 0.8;
    expect(hitTest({...model, view: waterfall}, {x: 400, y: lower})).toEqual({kind: 'object', object: 1});
  });
});

/** Records the positions of lines, rectangles and texts. */
function recorder() {
  const points: (readonly [number, number])[] = [];
  const texts: string[] = [];
  const at = (x: number, y: number) => void points.push([x, y]);
  const nothing = () => undefined;
  const drawing: Drawing = {
    beginPath: nothing,
    stroke: nothing,
    rect: nothing,
    clip: nothing,
    save: nothing,
    restore: nothing,
    moveTo: at,
    lineTo: at,
    setLineDash: nothing,
    globalAlpha: 1,
    lineWidth: 1,
    strokeStyle: '',
    fillStyle: '',
    font: '',
    textAlign: 'left',
    textBaseline: 'middle',
    fillRect: (x, y, width, height) => {
      at(x, y);
      at(x + width, y + height);
    },
    fillText: (text, x, y) => {
      texts.push(text);
      at(x, y);
    },
  };
  return {drawing, points, texts};
}

import {expect, test} from 'vitest';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {hitTest} from '../hits.ts';
import type {TimelineModel} from '../model.ts';
import {PALETTES} from '../palette.ts';
import {allPlots} from '../plots.ts';
import {queueText} from '../queueText.ts';
import {drawn} from '../testing/drawn.ts';
import {GOLDEN_MODELS} from '../testing/goldenModels.ts';
import {tipText} from '../tip.ts';

const MS = 1e6;

function model(name: string): TimelineModel {
  const found = GOLDEN_MODELS.find(each => each.name === name);
  if (found === undefined) throw new Error(`no model ${name}`);
  return found.model;
}

const shared = model('queue-traffic');
const [pane] = shared.panes;
const trace = pane?.trace ?? new Trace({} as never);
const text = (way: 'down' | 'up', ms: number) => queueText(trace, way, ms * MS);

test('the tip says whose packets are in the queue, and how long the last of them waits', () => {
  expect(text('up', 100)).toBe('up: 5 packets (this load 1, upload 4), 6.0 KB; the last of them waits 112 ms');
  expect(text('up', 150)).toBe('up: 3 packets (upload 3), 4.5 KB; the last of them waits 115 ms');
  expect(text('down', 100)).toBe('down: the queue is empty');
});

test('the queue down is above the middle line, and the queue up is below it', () => {
  const [plot] = allPlots(shared);
  const {rects, lines} = drawn(shared);
  const middle =
    lines.find(
      ({colour, points}) => colour === PALETTES.light.text && points.length === 2 && points[0]?.y === points[1]?.y,
    )?.points[0]?.y ?? 0;
  const column = (ms: number) => {
    const at = plot?.x(ms * MS) ?? 0;
    const own = rects.filter(({x, width, height}) => x <= at && at < x + width && height > 0);
    return {above: own.filter(({y}) => y < middle - 0.1).length, below: own.filter(({y}) => y >= middle - 0.1).length};
  };
  expect(column(140)).toEqual({above: 0, below: 1});
  expect(column(255)).toEqual({above: 2, below: 1});
});

test('the pointer finds the queue on its side of the line', () => {
  const [plot] = allPlots(shared);
  const {box} = plot ?? {box: {x: 0, y: 0, width: 0, height: 0}};
  const at = {x: plot?.x(150 * MS) ?? 0, y: box.y + box.height - 2};
  const hit = hitTest(shared, at);
  expect(hit).toMatchObject({kind: 'queue', way: 'up'});
  expect(hit && tipText(shared, hit, 150 * MS)).toBe(text('up', 150));
  expect(hitTest(shared, {...at, y: box.y + 2})).toMatchObject({kind: 'queue', way: 'down'});
});

test('each graph says how many packets and ms there were at most in the part that is shown', () => {
  const texts = (more: Partial<TimelineModel>) => drawn({...shared, ...more}).texts.map(each => each.text);
  expect(texts({})).toContain('up: at most 7 packets, 187 ms');
  expect(texts({toNs: 100 * MS})).toContain('up: at most 5 packets, 112 ms');
  expect(texts({revealNs: 100 * MS})).toContain('up: at most 5 packets, 112 ms');
});

test('the queues of a live load are not known, and the graph says so', () => {
  const data = structuredClone(trace.data);
  data.packets.leftNs.fill(Number.NaN);
  const live = {...shared, panes: [{...shared.panes[0], trace: new Trace(data)}]} as unknown as TimelineModel;
  expect(drawn(live).texts.map(each => each.text)).toContain('the queues of a real path are not known');
  const [plot] = allPlots(live);
  expect(hitTest(live, {x: plot?.x(0) ?? 0, y: (plot?.box.y ?? 0) + 2})).toBeUndefined();
});

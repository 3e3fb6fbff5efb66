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
  const middle = middleOf(lines);
  const column = (ms: number) => {
    const at = plot?.x(ms * MS) ?? 0;
    const columns = rects.filter(({colour}) => colour !== PALETTES.light.background);
    const own = columns.filter(({x, width, height}) => x <= at && at < x + width && height > 0);
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

test('texts are readable over the columns, and the text of the queue up does not cover the queue down', () => {
  for (const height of [300, 100]) {
    const low = {...shared, height};
    const {rects, texts, lines} = drawn(low);
    const longest = texts.filter(each => each.text.includes('at most'));
    expect(longest).toHaveLength(2 * shared.panes.length);
    for (const {x, y} of longest) {
      const behind = rects.filter(
        each => each.x <= x && x < each.x + each.width && each.y <= y && y <= each.y + each.height,
      );
      expect(behind.at(-1)?.colour).toBe(PALETTES.light.background);
    }
    const middle = middleOf(lines);
    expect(longest.find(each => each.text.startsWith('up'))?.y).toBeGreaterThan(middle);
  }
});

test('the queues of a live load are not known, and the graph says so', () => {
  const data = structuredClone(trace.data);
  data.packets.leftNs.fill(Number.NaN);
  const live = {...shared, panes: [{...shared.panes[0], trace: new Trace(data)}]} as unknown as TimelineModel;
  expect(drawn(live).texts.map(each => each.text)).toContain('the queues of a real path are not known');
  const [plot] = allPlots(live);
  expect(hitTest(live, {x: plot?.x(0) ?? 0, y: (plot?.box.y ?? 0) + 2})).toBeUndefined();
});

/** The y of the line between the queues. */
function middleOf(lines: ReturnType<typeof drawn>['lines']): number {
  const isMiddle = ({colour, points: [from, to, ...others]}: (typeof lines)[number]) =>
    colour === PALETTES.light.text && from !== undefined && from.y === to?.y && others.length === 0;
  return lines.find(isMiddle)?.points[0]?.y ?? 0;
}

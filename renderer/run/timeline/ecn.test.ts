import {expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {ECN} from '../../../app/run/trace/columns.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {drawDiamond} from './drawing.ts';
import {hitTest} from './hits.ts';
import type {TimelineModel, View} from './model.ts';
import {layOut} from './plots.ts';
import {SvgDrawing} from './svgDrawing.ts';
import {PLAIN_MODEL} from './testing/plainModel.ts';
import {tipText} from './tip.ts';
import {viewOf} from './viewOf.ts';

const MARKED = 2;
const LEFT_NS = 5e6;

/** A trace in which the queue marked a packet with data that arrived. */
function marked(): Trace {
  const data = smallTrace();
  const {ecn, marked, leftNs} = data.packets;
  ecn.fill(ECN.ect0);
  marked[MARKED] = 1;
  leftNs[MARKED] = LEFT_NS;
  return new Trace(data);
}

function modelOf(trace: Trace, view: View): TimelineModel {
  return {...PLAIN_MODEL, panes: [{trace, metrics: measure(trace.data), label: 'one'}], view};
}

test('views that draw losses also have a legend entry for packets that the queue marked, if there are any', () => {
  for (const name of ['losses', 'percent', 'packets', 'queue'] as const) {
    const texts = (trace: Trace) =>
      viewOf(name)
        .marks(modelOf(trace, viewOf(name)).panes, 'stacked', 'bytes')
        .map(({text}) => text);
    expect(texts(marked()), name).toContain('marked by the queue (ECN), from the server');
    expect(texts(new Trace(smallTrace())).join(), name).not.toContain('marked');
  }
});

test('a mark in the strip is found where the packet left the queue, and told in words', () => {
  const trace = marked();
  const model = modelOf(trace, viewOf('percent'));
  const [plot] = layOut(model);
  if (plot === undefined) throw new Error('no plot');
  const at = {x: plot.x(LEFT_NS), y: plot.strip.y + plot.strip.height / 2};
  const hit = hitTest(model, at);
  expect(hit).toEqual({kind: 'mark', trace, packet: MARKED});
  expect(hit && tipText(model, hit, LEFT_NS)).toMatch(/^By 0\.0\d s the queue had marked a packet from the server/);
  expect(hitTest({...model, revealNs: LEFT_NS - 1}, at)).toBeUndefined();
});

test('a diamond has its four corners', () => {
  const corners = new Set<string>();
  const note = (x: number, y: number) => corners.add(`${x},${y}`);
  const drawing = Object.assign(new SvgDrawing({width: 20, height: 20}, '#fff'), {moveTo: note, lineTo: note});
  drawDiamond(drawing, {x: 10, y: 10}, {size: 8, width: 1, colour: '#000'});
  expect([...corners].sort()).toEqual(['10,14', '10,6', '14,10', '6,10']);
});

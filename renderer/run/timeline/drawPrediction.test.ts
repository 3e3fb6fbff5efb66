import {describe, expect, test} from 'vitest';
import {withPredictions} from './drawPrediction.ts';
import type {TimelineModel} from './model.ts';
import {PALETTES, PREDICTION_DASH} from './palette.ts';
import {layOut} from './plots.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';
import {VIEWS} from './views/list.ts';

const MS = 1e6;
const usual = GOLDEN_MODELS.find(({name}) => name === 'percent-stacked')?.model;
if (usual === undefined) throw new Error('the goldens have no percent-stacked');

/** The golden, with predictions for its panes, ms. */
function predicted(timesMs: readonly (number | null)[], part: Partial<TimelineModel> = {}): TimelineModel {
  const model = {...usual, ...part} as TimelineModel;
  const predictions = timesMs.map(completeMs =>
    completeMs === null
      ? {ok: false as const, reason: 'none'}
      : {ok: true as const, completeMs, pageTimeMs: completeMs - 100},
  );
  return {...model, panes: withPredictions(model.panes, predictions)};
}

function marksOf(model: TimelineModel) {
  const {lines, rects, texts} = drawn(model);
  return {
    lines: lines.filter(({dash}) => dash === PREDICTION_DASH.join(' ')),
    texts: texts.filter(({text}) => text.includes('model (L06)')),
    patches: rects.filter(({colour}) => colour === PALETTES.light.background),
  };
}

describe('the predicted page time', () => {
  test('is a line through the graph of its own pane, with a label beside it', () => {
    const model = predicted([500, 700]);
    const plots = layOut(model);
    const {lines, texts} = marksOf(model);
    expect(texts.map(({text}) => text)).toEqual(['model (L06) 0.50 s', 'model (L06) 0.70 s']);
    for (const [i, atMs] of [500, 700].entries()) {
      const [plot, line, text] = [plots[i], lines[i], texts[i]];
      if (plot === undefined || line === undefined || text === undefined) throw new Error(`no mark ${i}`);
      const at = plot.x(atMs * MS);
      expect(line.points).toEqual([
        {x: expect.closeTo(at, 1), y: expect.closeTo(plot.box.y, 1)},
        {x: expect.closeTo(at, 1), y: expect.closeTo(plot.box.y + plot.box.height, 1)},
      ]);
      expect(text.x).toBeGreaterThan(at);
      expect(text.y).toBeGreaterThan(plot.box.y + plot.box.height / 2);
    }
  });

  test('has its label before the line if there is no room after it', () => {
    const [text] = marksOf(predicted([950, null])).texts;
    const x = layOut(predicted([950, null]))[0]?.x;
    expect(text).toMatchObject({anchor: 'end', x: expect.closeTo((x?.(950 * MS) ?? 0) - 3.9, 1)});
  });

  test('has neither a line nor a label outside the visible times', () => {
    const nothing = {lines: [], texts: [], patches: []};
    expect(marksOf(predicted([2500, null]))).toEqual(nothing);
    expect(marksOf(predicted([300, null], {fromNs: 400 * MS}))).toEqual(nothing);
  });

  test('has the pane’s name if panes share a graph, one label above the other', () => {
    const {lines, texts} = marksOf(predicted([500, 520], {layout: 'overlaid', height: 300}));
    expect(lines).toHaveLength(2);
    expect(texts.map(({text}) => text)).toEqual([
      'TCP classic, model (L06) 0.50 s',
      'SCTP classic, 3 streams, model (L06) 0.52 s',
    ]);
    expect((texts[0]?.y ?? 0) - (texts[1]?.y ?? 0)).toBeCloseTo(13 * 1.2, 1);
  });

  test('is drawn even before t reaches it', () => {
    expect(marksOf(predicted([500, 700], {revealNs: 0})).lines).toHaveLength(2);
  });

  test('is in the percent view and in the waterfall, and in their legends', () => {
    const views = VIEWS.filter(view => marksOf(predicted([500, 700], {view})).lines.length === 2);
    expect(views.map(({name}) => name)).toEqual(['percent', 'waterfall']);
    for (const view of views) {
      const textsOf = (times: readonly (number | null)[]) =>
        view.marks(predicted(times).panes, 'stacked', 'bytes').map(({text}) => text);
      expect(textsOf([null, 700])).toContain('page complete, predicted (L06)');
      expect(textsOf([null, null])).not.toContain('page complete, predicted (L06)');
    }
  });

  test('is not drawn if there is no prediction', () => {
    expect(marksOf(predicted([null, null]))).toEqual({lines: [], texts: [], patches: []});
  });

  test('has no label in a graph that is too low', () => {
    const {lines, texts} = marksOf(predicted([500, 700], {height: 80}));
    expect([lines.length, texts.length]).toEqual([2, 0]);
  });

  test('has a label with a slightly transparent background', () => {
    const {patches, texts} = marksOf(predicted([500, null]));
    expect(patches).toHaveLength(1);
    expect(patches[0]).toMatchObject({x: texts[0]?.x, opacity: 0.8});
  });
});

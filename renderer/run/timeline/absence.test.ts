import {expect, test} from 'vitest';
import {capturedMetrics, liveMetrics} from '../../../app/run/metrics/paneMetrics.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {TraceData} from '../../../app/run/trace/traceData.ts';
import type {TimelineName} from '../../../app/telling/movie/options.ts';
import type {TimelineModel, TimelinePane} from './model.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';
import {viewOf} from './viewOf.ts';

const found = GOLDEN_MODELS.find(({name}) => name === 'losses-stacked')?.model;
const [computed] = found?.panes ?? [];
if (found === undefined || computed === undefined) throw new Error('there is no golden of the losses view');
const golden: TimelineModel = found;

/** A load over the kernel's TCP. Only what arrived is known. */
function withoutPackets(): TraceData {
  const trace = smallTrace();
  const none = <T extends object>(columns: T): T =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.slice(0, 0)])) as T;
  const {packets, chunks, chunkPieces, samples, blocked, blockedPieces} = trace;
  return {
    ...trace,
    packets: none(packets),
    chunks: none(chunks),
    chunkPieces: none(chunkPieces),
    samples: none(samples),
    blocked: none(blocked),
    blockedPieces: none(blockedPieces),
  };
}

function livePane(seesPackets: boolean): TimelinePane {
  const data = withoutPackets();
  return {...computed, trace: new Trace(data), metrics: liveMetrics(data, seesPackets), label: 'live: TCP'};
}

function textsOf(name: TimelineName, panes: readonly TimelinePane[]): readonly string[] {
  const model: TimelineModel = {...golden, changes: [], width: 1000, height: 400, panes, view: viewOf(name)};
  return drawn(model).texts.map(({text}) => text);
}

test.each([
  ['packets', 'packets are not known'],
  ['window', 'the server’s congestion window is not known'],
  ['rtt', 'the RTT is not known'],
  ['losses', 'losses are not known'],
] as const)('the view %s says what cannot be known of a live load', (view, text) => {
  expect(textsOf(view, [livePane(false)])).toContain(text);
  expect(textsOf(view, [computed])).not.toContain(text);
});

test('the losses of a live load are called unknown, also beside a computed load', () => {
  const text = 'losses are not known';
  expect(textsOf('losses', [computed, livePane(true)])).toContain(text);
  expect(textsOf('losses', [livePane(true)])).not.toContain('no data was lost');
});

test('of a capture that was made at the client, only the losses from the server are called unknown', () => {
  const trace = smallTrace();
  const captured = {...computed, trace: new Trace(trace), metrics: capturedMetrics(trace, 'client')};
  expect(textsOf('losses', [captured])).toContain('losses from the server are not known');
  expect(textsOf('losses', [captured]).join()).not.toContain('live');
  const silent = withoutPackets();
  for (const view of ['packets', 'losses', 'window', 'rtt'] as const) {
    const pane = {...computed, trace: new Trace(silent), metrics: capturedMetrics(silent, 'client')};
    expect(textsOf(view, [pane]).filter(text => /not known/.test(text) && !/live/.test(text))).toHaveLength(1);
  }
});

test('the packets view does not call packets of a live load unknown if the client saw them', () => {
  expect(textsOf('packets', [livePane(true)]).join()).not.toContain('not known');
});

import {expect, test} from 'vitest';
import {parseScenario} from '../scenario/scenario.ts';
import {FATE} from '../trace/columns.ts';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import type {Outcome, TraceData} from '../trace/traceData.ts';
import type {ObjectEvent} from './pageLoader.ts';
import {TraceRecorder} from './traceRecorder.ts';

const MS = 1e6;

type Note = (recorder: TraceRecorder, tell: (atMs: number, event: ObjectEvent) => void) => void;

/** Records a load of two objects. Its packets are those of {@link smallTrace}, the last at 70 ms. */
function recorded(note: Note, data = smallTrace(), outcome: Outcome = 'complete'): TraceData {
  const parsed = parseScenario({panes: [{pipeline: 'tcp'}]});
  const [pane] = parsed.ok ? parsed.scenario.panes : [];
  if (pane === undefined) throw new Error('no pane');
  const objects = data.objects.map(({url, bytes}) => ({url, body: new Uint8Array(bytes)}));
  const page = {name: 'two', objects, headerBytes: 0, requestBytes: 0} as never;
  const recorder = new TraceRecorder(pane, page);
  recorder.addConnections(data.connections);
  note(recorder, (atMs, event) => recorder.handleObject(event, atMs * MS));
  return recorder.finish({outcome, reason: null}, data);
}

/** Returns the end of a load that is {@link recorded}, in ms. */
function endMs(...load: Parameters<typeof recorded>): number {
  return recorded(...load).endNs / MS;
}

const whole = (object: number): ObjectEvent => ({type: 'complete', object});

test('a load ends when its last object ends, even if packets are still in flight', () => {
  const ended = (first: number, second: number) =>
    endMs((_, tell) => {
      tell(first, whole(0));
      tell(second, whole(1));
    });
  expect([ended(20, 55), ended(60, 55)]).toEqual([55, 60]);
  const missing: ObjectEvent = {type: 'failed', object: 1, failure: {kind: 'status', status: 404}};
  const failed = endMs((_, tell) => {
    tell(20, whole(0));
    tell(65, missing);
  });
  expect(failed).toBe(65);
});

test('a load with incomplete objects ends at the time of its last packet, set-up or delivery', () => {
  const incompleteMs = (note: Note, data = smallTrace()) => endMs(note, data, 'time-limit');
  expect(incompleteMs((_, tell) => tell(20, whole(0)))).toBe(70);
  const data = smallTrace();
  data.packets.fate[5] = FATE.inFlight;
  data.packets.fateNs[5] = Number.NaN;
  expect(incompleteMs(() => {}, data)).toBe(60);
  expect(incompleteMs(recorder => recorder.handleConnected(0, 1, 80 * MS), data)).toBe(80);
  expect(incompleteMs((_, tell) => tell(90, {type: 'body', object: 0, first: 0, bytes: 5}), data)).toBe(90);
});

test('a complete load ends with the last object that it loaded; objects that it did not request have no bytes', () => {
  const load = (outcome: Outcome) =>
    recorded(
      (_, tell) => {
        tell(10, {type: 'discovered', object: 0, url: '/'});
        tell(20, whole(0));
      },
      smallTrace(),
      outcome,
    );
  const bytesOf = ({objects}: TraceData) => objects.map(({bytes}) => bytes);
  expect(load('complete').endNs).toBe(20 * MS);
  expect(bytesOf(load('complete'))).toEqual([100, 0]);
  // an incomplete load might have requested the object later
  expect(bytesOf(load('time-limit'))).toEqual([100, 400]);
});

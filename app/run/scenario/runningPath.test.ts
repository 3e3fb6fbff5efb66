import {expect, test} from 'vitest';
import {check} from '../../base/schema.ts';
import {packedTrace} from '../link/packedTrace.ts';
import {DEFAULT_PATH} from './path.ts';
import {requestedChange, runningPath, runningPathDocument} from './runningPath.ts';

const NO_EVENT = {isHandover: false, isNewTraffic: false};

function asked(json: unknown) {
  return requestedChange(json, DEFAULT_PATH);
}

test('a change sets the keys that it names and leaves the others', () => {
  expect(asked({loss: 0.1, rateBps: {up: 5000}})).toEqual({
    ok: true,
    seed: undefined,
    ...NO_EVENT,
    path: {
      ...DEFAULT_PATH,
      rateBps: {down: DEFAULT_PATH.rateBps.down, up: 5000},
      loss: {
        down: {model: 'bernoulli', rate: 0.1, applies: 'all'},
        up: {model: 'bernoulli', rate: 0.1, applies: 'all'},
      },
    },
  });
  expect(asked({seed: 7})).toEqual({ok: true, seed: 7, ...NO_EVENT, path: DEFAULT_PATH});
});

test('a partial loss is completed by the current loss', () => {
  const {loss} = DEFAULT_PATH;
  expect(asked({loss: {down: {applies: 'data'}}})).toMatchObject({
    path: {loss: {down: {...loss.down, applies: 'data'}, up: loss.up}},
  });
  const bursts = {model: 'gilbert-elliott', p: 0.01, r: 0.3, h: 0, k: 1, applies: 'all'} as const;
  const other = requestedChange({loss: {up: {h: 0.5}}}, {...DEFAULT_PATH, loss: {down: loss.down, up: bursts}});
  expect(other).toMatchObject({path: {loss: {down: loss.down, up: {...bursts, h: 0.5}}}});
  const burst = asked({loss: {up: {h: 0.5}}});
  expect(!burst.ok && burst.problems[0].message).toContain('the current loss has no bursts');
});

test('the message names a setting that is not valid or that a running path cannot change', () => {
  for (const [json, message] of [
    [{seed: 0.5}, 'seed is 0.5'],
    [{loss: 2}, 'loss is 2'],
    [{mtuBytes: 1000}, 'mtuBytes'],
    [{live: '127.0.0.1:1'}, 'live'],
    [{handover: {noticeMs: 5}}, 'handover.noticeMs is 5: must be absent'],
    [{traffic: [{kind: 'tcp'}]}, 'traffic[0].direction is missing'],
    [{traffic: [{...UPLOAD, startMs: -1}]}, 'traffic[0].startMs is -1: must be at least 0 while the path is running'],
    [{traffic: [UPLOAD], rateBps: 500_000_001}, 'path.rateBps.down is 500000001: must be at most 500000000'],
    [{traffic: [{...CALL, packetBytes: 1501}]}, 'packetBytes is 1501: must be at most path.mtuBytes'],
    [{traffic: [{...CALL, rateBps: 80_000_001}]}, 'rateBps is 80000001: must be at most 80000000'],
    [[], 'must be an object'],
    [null, 'must be an object'],
  ] as const) {
    const change = asked(json);
    expect(change.ok ? '' : change.problems[0].message).toContain(message);
  }
});

const UPLOAD = {kind: 'tcp', direction: 'up'} as const;
const CALL = {kind: 'cbr', direction: 'down', rateBps: 5e6, packetBytes: 200} as const;

test('a change can add other traffic to the path and remove it; a change of the loss leaves the traffic', () => {
  const first = asked({traffic: [UPLOAD]});
  if (!first.ok) throw new Error(first.problems[0].message);
  expect(first).toMatchObject({isNewTraffic: true, path: {traffic: [{kind: 'tcp', congestion: 'cubic', flows: 1}]}});
  const later = requestedChange({loss: 0.1}, first.path);
  expect(later).toMatchObject({isNewTraffic: false, path: {traffic: [{kind: 'tcp'}]}});
  const none = requestedChange({traffic: []}, first.path);
  expect(none).toEqual({ok: true, seed: undefined, isHandover: false, isNewTraffic: true, path: DEFAULT_PATH});
  // the traffic that is already there limits the rate
  const fast = requestedChange({rateBps: 1e9}, first.path);
  expect(!fast.ok && fast.problems[0].message).toContain('must be at most 500000000 with path.traffic');
});

test('a trace of delivery opportunities is limited in its busiest second, like a trace of rates', () => {
  /** A trace of 20 s with this many opportunities in each ms of its first second. */
  const bursts = (each: number) => ({
    name: 'bursts',
    packed: packedTrace({
      kind: 'opportunities',
      timesMs: Uint32Array.from([...Array.from({length: 1000 * each}, (_, i) => Math.floor(i / each)), 20_000]),
    }),
  });
  expect(asked({traffic: [UPLOAD], up: {trace: bursts(41)}}).ok).toBe(true);
  const fast = asked({traffic: [UPLOAD], up: {trace: bursts(42)}});
  expect(!fast.ok && fast.problems[0].message).toContain('must be at most 500000000 with path.traffic');
});

test('after a hand-over the path has its changed settings, and other traffic only if the change has some', () => {
  const before = {
    ...DEFAULT_PATH,
    traffic: [{...UPLOAD, congestion: 'cubic', flows: 1, startMs: 0, endMs: null}],
  } as const;
  const change = requestedChange({handover: true, rttMs: 80}, before);
  expect(change).toMatchObject({ok: true, isHandover: true, isNewTraffic: false, path: {rttMs: {down: 80, up: 80}}});
  expect(change.ok && change.path.traffic).toBeUndefined();
  const other = requestedChange({handover: true, traffic: [CALL]}, before);
  expect(other).toMatchObject({ok: true, isHandover: true, isNewTraffic: true, path: {traffic: [{kind: 'cbr'}]}});
});

const COUNTS = {
  passed: 1,
  lost: 2,
  queueFull: 3,
  early: 5,
  policed: 6,
  copied: 7,
  marked: 8,
  tooLarge: 4,
  handedOver: 0,
};
const REST = {traffic: [{passed: 1, passedBytes: 1500, dropped: 0}], handOvers: 2, clients: 2, refused: 3};
const RUNNING = {path: DEFAULT_PATH, seed: 1, counts: {down: COUNTS, up: COUNTS}, ...REST};

test('the document of a running path has the path as in a scenario', () => {
  expect(runningPathDocument(RUNNING)).toEqual({
    path: {rateBps: 1_000_000, rttMs: 350, loss: 0, queuePackets: 1000, mtuBytes: 1500},
    seed: 1,
    counts: {down: COUNTS, up: COUNTS},
    ...REST,
  });
});

test('the document of a running path is parsed into the same running path, and other documents are rejected', () => {
  const document = runningPathDocument(RUNNING);
  expect(check(runningPath, document)).toEqual({ok: true, value: RUNNING});
  for (const wrong of [
    null,
    {},
    {...document, seed: '1'},
    {...document, more: 1},
    {...document, counts: {down: COUNTS}},
    {...document, counts: {down: COUNTS, up: {...COUNTS, lost: -1}}},
    {...document, path: {loss: 2}},
  ])
    expect(check(runningPath, wrong).ok).toBe(false);
});

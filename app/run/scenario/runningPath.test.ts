import {expect, test} from 'vitest';
import {check} from '../../base/schema.ts';
import {DEFAULT_PATH} from './path.ts';
import {requestedChange, runningPath, runningPathDocument} from './runningPath.ts';

function asked(json: unknown) {
  return requestedChange(json, DEFAULT_PATH);
}

test('a change sets the keys that it names and leaves the others', () => {
  expect(asked({loss: 0.1, rateBps: {up: 5000}})).toEqual({
    ok: true,
    seed: undefined,
    path: {
      ...DEFAULT_PATH,
      rateBps: {down: DEFAULT_PATH.rateBps.down, up: 5000},
      loss: {
        down: {model: 'bernoulli', rate: 0.1, applies: 'all'},
        up: {model: 'bernoulli', rate: 0.1, applies: 'all'},
      },
    },
  });
  expect(asked({seed: 7})).toEqual({ok: true, seed: 7, path: DEFAULT_PATH});
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

test('the message names a setting that a running path cannot change', () => {
  for (const [json, message] of [
    [{seed: 0.5}, 'seed is 0.5'],
    [{loss: 2}, 'loss is 2'],
    [{mtuBytes: 1000}, 'mtuBytes'],
    [{live: '127.0.0.1:1'}, 'live'],
    [[], 'must be an object'],
    [null, 'must be an object'],
  ] as const) {
    const change = asked(json);
    expect(change.ok ? '' : change.problems[0].message).toContain(message);
  }
});

test('the document of a running path has the path as in a scenario', () => {
  const counts = {passed: 1, lost: 2, queueFull: 3, early: 5, policed: 6, copied: 7, marked: 8, tooLarge: 4};
  const running = {path: DEFAULT_PATH, seed: 1, counts: {down: counts, up: counts}, clients: 2, refused: 3};
  expect(runningPathDocument(running)).toEqual({
    path: {rateBps: 1_000_000, rttMs: 350, loss: 0, queuePackets: 1000, mtuBytes: 1500},
    seed: 1,
    counts: {down: counts, up: counts},
    clients: 2,
    refused: 3,
  });
});

test('the document of a running path is parsed into the same running path, and other documents are rejected', () => {
  const counts = {passed: 1, lost: 2, queueFull: 3, early: 5, policed: 6, copied: 7, marked: 8, tooLarge: 4};
  const running = {path: DEFAULT_PATH, seed: 1, counts: {down: counts, up: counts}, clients: 2, refused: 3};
  const document = runningPathDocument(running);
  expect(check(runningPath, document)).toEqual({ok: true, value: running});
  for (const wrong of [
    null,
    {},
    {...document, seed: '1'},
    {...document, more: 1},
    {...document, counts: {down: counts}},
    {...document, counts: {down: counts, up: {...counts, lost: -1}}},
    {...document, path: {loss: 2}},
  ])
    expect(check(runningPath, wrong).ok).toBe(false);
});

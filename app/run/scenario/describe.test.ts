import {expect, test} from 'vitest';
import {packedTrace} from '../link/packedTrace.ts';
import {describeChange, describeCounts, describePath, describeRunPath, describeSeed} from './describe.ts';
import {DEFAULT_PATH, type PathSettings} from './path.ts';
import {parseScenario, pathAt} from './scenario.ts';
import {NO_COUNTS} from './testing/noCounts.ts';

const PACKED = packedTrace({kind: 'steps', rows: [[0, 1e6]], periodMs: 500});

const path = (document: object): PathSettings => {
  const parsed = parseScenario({path: document});
  return parsed.ok ? parsed.scenario.path : DEFAULT_PATH;
};

test.each([
  [{}, '1 Mbit/s, RTT 350 ms, no loss'],
  [{rateBps: 56_000, rttMs: 1080, loss: 0.043}, '56 kbit/s, RTT 1080 ms, 4.3 % of packets lost in both directions'],
  [
    {rateBps: {down: 1.5e9, up: 800}, loss: {down: 0.1}},
    '1.5 Gbit/s down and 800 bit/s up, RTT 350 ms, 10 % of packets lost down and no loss up',
  ],
  [{loss: {rate: 0.043, applies: 'data'}}, '1 Mbit/s, RTT 350 ms, 4.3 % of data packets lost in both directions'],
  [
    {loss: {p: 0.01, r: 0.3, applies: 'data'}},
    '1 Mbit/s, RTT 350 ms, 3.23 % of data packets lost in both directions, in bursts of 3.33 packets on average',
  ],
  [{loss: {packets: [3], applies: 'data'}}, '1 Mbit/s, RTT 350 ms, exactly data packet 3 lost in both directions'],
  [
    {loss: {down: {packets: [40], applies: 'data'}, up: 0}},
    '1 Mbit/s, RTT 350 ms, exactly data packet 40 lost on the way down, no other',
  ],
  [
    {loss: {packets: Array.from({length: 100_000}, (_, i) => i)}},
    '1 Mbit/s, RTT 350 ms, exactly packets 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 99988 more lost in both directions',
  ],
  [{loss: {packets: [3, 17]}}, '1 Mbit/s, RTT 350 ms, exactly packets 3 and 17 lost in both directions'],
  [{loss: {rate: 0.1, at: 'entry'}}, '1 Mbit/s, RTT 350 ms, 10 % of packets lost in both directions'],
  [{loss: {rate: 0.1, at: 'exit'}}, '1 Mbit/s, RTT 350 ms, 10 % of packets lost behind the link in both directions'],
  [{loss: {rate: 0, at: 'exit'}}, '1 Mbit/s, RTT 350 ms, no loss'],
  [
    {loss: {rate: 0.1, applies: 'data', at: 'exit'}},
    '1 Mbit/s, RTT 350 ms, 10 % of data packets lost behind the link in both directions',
  ],
  [
    {loss: {down: {packets: [3], at: 'exit'}, up: {p: 0.01, r: 0.3, at: 'exit'}}},
    '1 Mbit/s, RTT 350 ms, exactly packet 3 lost behind the link down and 3.23 % of packets lost behind the link up, in bursts of 3.33 packets on average',
  ],
  [
    {loss: {p: 0.013158, r: 0.25}},
    '1 Mbit/s, RTT 350 ms, 5 % of packets lost in both directions, in bursts of 4 packets on average',
  ],
  [
    {loss: {p: 0.01, r: 0.3, h: 0.2, k: 0.999}},
    '1 Mbit/s, RTT 350 ms, 2.68 % of packets lost in both directions, in bursts of 3.33 packets on average (80 % lost within, 0.1 % between)',
  ],
  [{loss: {p: 0.01, r: 0}}, '1 Mbit/s, RTT 350 ms, 100 % of packets lost in both directions, in bursts without an end'],
  [{loss: {p: 0, r: 0.3, k: 0.99}}, '1 Mbit/s, RTT 350 ms, 1 % of packets lost in both directions'],
  [{loss: {p: 0, r: 0.3}}, '1 Mbit/s, RTT 350 ms, no loss'],
  [{down: {trace: 'lte-driving'}}, 'LTE in a car down and 1 Mbit/s up, RTT 350 ms, no loss'],
  [{down: {trace: 'hspa-bus'}, up: {trace: 'hspa-bus'}, rttMs: 80}, '3G on a bus, RTT 80 ms, no loss'],
  [
    {rttMs: 60, up: {delayTrace: 'starlink', trace: {name: 'mine.csv', packed: PACKED}}},
    '1 Mbit/s down and the trace mine.csv up, one-way delay 30 ms down and as in Starlink, with a new satellite every 15 s up, no loss',
  ],
  [{traffic: [{kind: 'tcp', direction: 'up', startMs: -5000}]}, '1 Mbit/s, RTT 350 ms, no loss, beside an upload'],
  [
    {
      traffic: [
        {kind: 'tcp', direction: 'down', flows: 6, congestion: 'reno', startMs: 1500},
        {kind: 'cbr', direction: 'up', rateBps: 200_000, endMs: 4000},
      ],
      atOnce: true,
    },
    '1 Mbit/s, RTT 350 ms, no loss, beside 6 downloads (Reno) from 1.5 s and 200 kbit/s of constant traffic up until 4 s, shared by all panes',
  ],
])('%j is described as %s', (document, text) => {
  expect(describePath(path(document))).toBe(text);
});

test('packets that only some panes drop are named before the note that all panes share the path', () => {
  const panes = [{pipeline: 'h3', drop: {down: {packets: [3]}}}];
  const parsed = parseScenario({path: {atOnce: true}, panes});
  expect(parsed.ok && describeRunPath(parsed.scenario, parsed.scenario.path)).toBe(
    '1 Mbit/s, RTT 350 ms, no loss except packets that only some panes lose, shared by all panes',
  );
});

test.each([
  [{loss: 0.04}, {loss: {down: 0.2}}, 'loss 4 % → 20 % down'],
  [{rateBps: 56_000}, {rateBps: 200_000}, 'rate 56 → 200 kbit/s'],
  [{rateBps: 56_000}, {rateBps: 2e6}, 'rate 56 kbit/s → 2 Mbit/s'],
  [{rttMs: 350}, {rttMs: {down: 20, up: 30}, loss: 0}, 'RTT 350 → 20 ms down and 350 → 30 ms up'],
  [{}, {loss: {packets: [3, 17]}}, 'loss 0 % → exactly packets 3 and 17'],
  [{}, {queuePackets: {up: 5}, loss: 0.1}, 'loss 0 % → 10 %, queue 1000 → 5 packets up'],
  [{loss: 0.04}, {loss: {applies: 'data'}}, 'loss 4 % → 4 % of data packets'],
  [{loss: 0.04}, {loss: {at: 'exit'}}, 'loss 4 % → 4 % behind the link'],
  [{loss: 0.04}, {loss: {p: 0.013158, r: 0.25}}, 'loss 4 % → 5 % in bursts of 4 packets on average'],
  [{rateBps: 64_000}, {rateBps: 64_000}, ''],
  [{}, {down: {trace: 'lte-train'}}, 'trace none → LTE on a train with tunnels down'],
  [
    {down: {trace: 'lte-train'}},
    {down: {trace: {name: 'lte-train', startMs: 5000, repeats: false}}},
    'trace LTE on a train with tunnels → LTE on a train with tunnels from 5 s, once down',
  ],
  [
    {up: {delayTrace: 'starlink'}},
    {up: {delayTrace: null}},
    'delay Starlink, with a new satellite every 15 s → none up',
  ],
])('%j with the change %j is described as %s', (before, change, text) => {
  const parsed = parseScenario({path: before, changes: [{atMs: 1, path: change}]});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  expect(describeChange(pathAt(parsed.scenario, 0), pathAt(parsed.scenario, 1e6))).toBe(text);
});

test('the text of a seed says whether the seed is typical', () => {
  expect(describeSeed({seed: 37, typicalOf: 200})).toBe('seed 37, the typical one of 200');
  expect(describeSeed({seed: 5, typicalOf: null})).toBe('seed 5, one run');
});

test('the text of the counts covers all packets, and mentions only fates that occurred', () => {
  expect(describeCounts({down: NO_COUNTS, up: NO_COUNTS})).toBe('has had no packets yet');
  const down = {...NO_COUNTS, passed: 90, lost: 3};
  expect(describeCounts({down, up: NO_COUNTS})).toBe('has lost 3 of 93 packets down and 0 of 0 up');
  const up = {...NO_COUNTS, passed: 1, lost: 2, queueFull: 3, tooLarge: 4};
  expect(describeCounts({down, up})).toBe(
    'has lost 3 of 93 packets down and 2 of 10 up, dropped 3 at a full queue, dropped 4 larger than its MTU',
  );
  expect(describeCounts({down: {...down, handedOver: 5}, up: {...NO_COUNTS, handedOver: 1}})).toBe(
    'has lost 3 of 98 packets down and 0 of 1 up, lost 6 by hand-overs',
  );
});

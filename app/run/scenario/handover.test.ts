import {expect, test} from 'vitest';
import {handOverTimesNs} from './handover.ts';
import {parseScenario} from './scenario.ts';

test('the times of hand-overs are whole ns, as those of packets', () => {
  const changes = [
    {atMs: 8.2, path: {handover: true}},
    {atMs: 9, path: {rttMs: 10}},
    {atMs: 100.3, path: {handover: {noticeMs: 5}}},
  ];
  const parsed = parseScenario({panes: [{pipeline: 'h3'}], changes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  // 8.2 * 1e6 is 8199999.999999999
  expect(handOverTimesNs(parsed.scenario)).toEqual([8_200_000, 100_300_000]);
});

test('a hand-over that a pane does not support is named by its place in the document', () => {
  const changes = [
    {atMs: 200, path: {handover: true}},
    {atMs: 100, path: {rttMs: 10}},
  ];
  const parsed = parseScenario({panes: [{pipeline: 'udp'}], changes});
  expect(!parsed.ok && parsed.problems.map(({path}) => path)).toEqual(['changes[0].path.handover']);
});

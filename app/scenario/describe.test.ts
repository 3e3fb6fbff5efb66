import {expect, test} from 'vitest';
import {describePath} from './describe.ts';
import {DEFAULT_PATH, type PathSettings} from './path.ts';
import {parseScenario} from './scenario.ts';

const path = (document: object): PathSettings => {
  const parsed = parseScenario({path: document});
  return parsed.ok ? parsed.scenario.path : DEFAULT_PATH;
};

test.each([
  [{}, '1 Mbit/s, RTT 350 ms, no loss'],
  [{rateBps: 56_000, rttMs: 1080, loss: 0.043}, '56 kbit/s, RTT 1080 ms, 4.3 % loss'],
  [
    {rateBps: {down: 1.5e9, up: 800}, loss: {down: 0.1}},
    '1.5 Gbit/s down and 800 bit/s up, RTT 350 ms, 10 % loss down and no loss up',
  ],
  [{loss: {packets: [3, 17]}}, '1 Mbit/s, RTT 350 ms, packets 3, 17 lost'],
  [{loss: {p: 0.01, r: 0.3}}, '1 Mbit/s, RTT 350 ms, loss in bursts (p 0.01, r 0.3, h 0, k 1)'],
])('%j reads %s', (document, text) => {
  expect(describePath(path(document))).toBe(text);
});

import {expect, test} from 'vitest';
import {compared, readings} from './benchCompare.mjs';

const CORE = `page of 11 objects of 10 KB, 1 Mbps, RTT 350 ms, 3 % loss each way:
  TCP classic     4120 loads/CPU s (0.24 ms each),  33000 simulated s/CPU s
  SCTP modern      901 loads/CPU s (1.11 ms each),   2900 simulated s/CPU s
bulk of 100 MB over a clean path, 1 Gbps, RTT 10 ms, TCP modern:
  500000 packets/CPU s, 4.01 simulated s/CPU s
`;
const WHOLE = 'command line, gallery, HTTP/2 (goal 1 ms), steady: 0.83 CPU ms each, 1205 per CPU s\n';

test('every reading of both benches is found, as a time', () => {
  expect(Object.fromEntries(readings(CORE + WHOLE))).toEqual({
    'TCP classic': 0.24,
    'SCTP modern': 1.11,
    'TCP bulk, per packet': 0.002,
    'gallery, HTTP/2 (goal 1 ms), steady': 0.83,
  });
});

test('the shortest readings are compared, if both checkouts have a reading of that name', () => {
  const round = (entries: Record<string, number>): Map<string, number> => new Map(Object.entries(entries));
  const here = [round({a: 3, b: 1}), round({a: 2.2, b: 4})];
  const there = [round({a: 2, c: 1}), round({a: 5})];
  expect(compared(here, there)).toEqual([{name: 'a', hereMs: 2.2, thereMs: 2, ratio: 1.1}]);
});

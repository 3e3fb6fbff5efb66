import {describe, expect, test} from 'vitest';
import {heldAt} from '../../app/run/cause/held.ts';
import {findPreset} from '../../app/run/scenario/presets.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests check what the pages can show of data that waits for a lost packet (HOL blocking). It must be the data
// that the pages receive when the lost packet arrives.

const NAMES = ['TCP', 'TCP × 6', 'HTTP/2', 'HTTP/3', 'SCTP', 'CATP'];
const sides = traces(findPreset('one-lost-packet')?.scenario ?? null);

describe.each(NAMES.map((name, i) => [name, sides[i]] as const))('over %s', (name, trace) => {
  const [lost = -1] = trace?.droppedPackets() ?? [];
  const repairedNs = trace?.blockingOf(lost)?.repairedNs ?? 0;

  test('what waits just before the lost packet arrives is what the page has just after', () => {
    if (trace === undefined) throw new Error('no such pane');
    const {objects} = heldAt(trace, repairedNs - 1);
    expect(objects.length).toBeGreaterThan(0);
    for (const {object, bytes} of objects) {
      expect(bytes).toBeGreaterThan(trace.bytesAt(object, repairedNs - 1));
      // QUIC may divide the data of a lost packet among several packets, which arrive one after the other
      const ends = trace.blockedRows().flatMap(row => (row.object === object ? [row.endNs] : []));
      const wholeNs = ends.find(endNs => endNs >= repairedNs) ?? repairedNs;
      // an HTTP/2 stream has its data in frames, whose headers are not counted exactly before the object is complete
      const isExact = name !== 'HTTP/2' && wholeNs === repairedNs;
      const most = isExact ? 0 : name === 'HTTP/2' ? 450 : 1500;
      expect(Math.abs(bytes - trace.bytesAt(object, wholeNs))).toBeLessThanOrEqual(most);
    }
    expect(heldAt(trace, repairedNs).objects).toEqual([]);
  });
});

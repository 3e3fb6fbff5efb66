import {expect, test} from 'vitest';
import {notKnownOf} from './captureKinds.ts';
import {packet, smallLoad} from './testing/capturedLoads.ts';

const TIMES = 'Packets have no times of arrival. Data arrived when it was acknowledged, or earlier.';

test('times of arrival are not known unless the capture says them for all packets that arrived', () => {
  const timed = packet('down', 0, {fate: 'delivered', arrivedNs: 5});
  const [lost, untimed] = [packet('down', 1, {fate: 'lost'}), packet('up', 2, {fate: 'delivered'})];
  const of = (...packets: readonly (typeof timed)[]) => notKnownOf({...smallLoad(), seenAt: 'both', packets});
  expect(of(timed, lost)).not.toContain(TIMES);
  expect(of(timed, lost, untimed)).toContain(TIMES);
});

test('times of arrival are not known if the capture does not say whether packets arrived', () => {
  const unknown = packet('up', 0, {fate: null});
  expect(notKnownOf({...smallLoad(), seenAt: 'both', packets: [unknown]})).toContain(TIMES);
  expect(notKnownOf({...smallLoad(), packets: [unknown]})).toContain(
    'The client does not see when its own packets arrived.',
  );
});

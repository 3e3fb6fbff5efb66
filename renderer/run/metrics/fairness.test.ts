import {describe, expect, test} from 'vitest';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {deliveredText, fairnessText, seedText} from './fairness.ts';

const whole = new Trace(smallTrace());
const aborted = new Trace({...smallTrace(), outcome: 'aborted', reason: 'no answer', endNs: 15e6});

describe('the text about the delivered bytes', () => {
  test('says that the bytes are the same only if all of them arrived on every side', () => {
    expect(deliveredText([whole, whole])).toBe('the same 0.5 KB on every side');
    expect(deliveredText([whole, aborted])).toBe('0.5 / 0.0 KB delivered');
  });

  test('has a number for each side if nothing arrived', () => {
    expect(deliveredText([aborted, aborted])).toBe('0.0 / 0.0 KB delivered');
  });

  test('compares nothing if there is a single side', () => {
    expect(deliveredText([whole])).toBe('0.5 KB delivered');
  });
});

describe('the text about the seed', () => {
  const text = (document: object) => {
    const parsed = parseScenario({seed: 7, ...document});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    return seedText(parsed.scenario);
  };
  const data = {rate: 0.1, applies: 'data'};

  test('depends on what the loss applies to', () => {
    const all = 'seed 7, one run: packet k of a direction draws the same fate on every side, whatever it carries';
    expect(text({path: {loss: 0.1}})).toBe(all);
    expect(text({path: {loss: data}})).toBe(
      'seed 7, one run: the k-th packet with data of a direction draws the same fate on every side, and no other packet is lost',
    );
    expect(text({path: {loss: {down: data, up: 0}}})).toMatch(/, and no other packet is lost$/);
    const mixed = text({path: {loss: {down: data, up: 0.2}}});
    expect(mixed).toMatch(/k counts all packets, but only packets with data where loss applies to data$/);
    expect(text({path: {loss: data}, changes: [{atMs: 5, path: {loss: 0.2}}]})).toBe(mixed);
    expect(text({path: {loss: 0.1}, changes: [{atMs: 5, path: {rttMs: 20}}]})).toBe(all);
  });

  test('names the packets that only one side loses', () => {
    const panes = [{pipeline: 'tcp', drop: {down: {packets: [30], applies: 'data'}}}, {pipeline: 'h2'}];
    expect(text({path: {loss: 0.1}, panes})).toBe(
      'seed 7, one run: packet k of a direction draws the same fate on every side, whatever it carries; but ' +
        'HTTP/1.1 over TCP also loses data packet 30',
    );
  });

  test('begins with how the seed was found', () => {
    expect(text({typicalOf: 200})).toMatch(/^seed 7, the typical one of 200: packet k of a direction draws/);
    expect(text({typicalOf: 200, panes: [{pipeline: 'tcp'}]})).toBe('seed 7, the typical one of 200');
  });

  test('explains no fates if there is a single side', () => {
    expect(text({panes: [{pipeline: 'tcp'}]})).toBe('seed 7, one run');
  });
});

describe('the line about fairness', () => {
  const text = (document: object, unequal: readonly string[] = []) => {
    const parsed = parseScenario({seed: 7, ...document});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    return fairnessText(parsed.scenario, unequal);
  };

  const same = (loss: string) => `seed 7, one run: same page and path (1 Mbit/s, RTT 350 ms, loss ${loss})`;

  test('says what is equal on every side, and names what is not', () => {
    expect(text({path: {loss: 0.1}})).toBe(`${same('10 %')}; packet k is lost on every side or on none`);
    expect(text({path: {loss: {rate: 0.1, applies: 'data'}}})).toBe(
      `${same('10 % of data packets')}; the k-th packet with data is lost on every side or on none`,
    );
    expect(text({path: {loss: 0.1}}, ['set-up'])).toMatch(/; not the same set-up$/);
  });

  test('says that the sides share the path, and with which traffic', () => {
    expect(text({path: {atOnce: true, traffic: [{kind: 'tcp', direction: 'up'}]}})).toBe(
      'seed 7, one run: same page, at the same time on one path (1 Mbit/s, RTT 350 ms, loss 0 %, beside an upload)',
    );
  });

  test('says that losses are not the same if a single side drops packets', () => {
    const panes = [{pipeline: 'tcp'}, {pipeline: 'h2', drop: {down: {packets: [30], applies: 'data'}}}];
    const own = 'not the same losses: HTTP/2 also loses data packet 30';
    expect(text({panes})).toBe(`${same('0 %')}; ${own}`);
    expect(text({path: {loss: 0.1}, panes}, ['set-up'])).toBe(
      `${same('10 %')}; losses of the path: packet k is lost on every side or on none; ${own}; not the same set-up`,
    );
    expect(text({panes: panes.slice(1)})).toBe(
      'seed 7, one run: 1 Mbit/s, RTT 350 ms, loss 0 %; this side also loses data packet 30',
    );
  });

  test('does not mention losses if nothing can be lost', () => {
    expect(text({})).toBe(same('0 %'));
    expect(text({path: {loss: {down: {packets: [12]}, up: 0}}})).toContain(
      '(1 Mbit/s, RTT 350 ms, exactly packet 12 lost on the way down, no other)',
    );
    expect(text({changes: [{atMs: 5, path: {loss: 0.2}}]})).toMatch(/; packet k is lost/);
  });

  test('says that it describes the path at the start if the path changes', () => {
    expect(text({changes: [{atMs: 5, path: {rateBps: 2e6}}]})).toContain('(1 Mbit/s, RTT 350 ms, loss 0 % at first)');
  });

  test('compares nothing if there is a single side', () => {
    expect(text({panes: [{pipeline: 'tcp'}]})).toBe('seed 7, one run: 1 Mbit/s, RTT 350 ms, loss 0 %');
  });
});

import {expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {pipelines} from '../../app/pipelines/index.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {runDocument} from '../workers/testing/runs.ts';

const SYNTHETIC = {indexBytes: 3000, objects: 10, objectBytes: 50_000, headerBytes: 250, requestBytes: 200};
const PATH = {rateBps: 10_000_000, rttMs: 100, loss: 0.03};
/** The pipelines that let users choose the congestion control. */
const CHOOSING = pipelines().filter(({settings}) => Object.hasOwn(settings, 'congestion'));

/** The mean page time of a pane over three seeds, in ms. */
function pageTimeMs(pane: {readonly [key: string]: Json}): number {
  const times = [1, 2, 3].map(seed => {
    const document = {page: {synthetic: SYNTHETIC}, path: PATH, panes: [{profile: 'modern', ...pane}], seed};
    const [trace] = runDocument(document).panes;
    return trace === undefined ? 0 : (measure(trace).pageTimeMs ?? 0);
  });
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}

test('pipelines over TCP and QUIC have each congestion control', () => {
  expect(CHOOSING.map(({name}) => name)).toEqual(['tcp', 'h2', 'h3']);
  for (const {name} of CHOOSING) {
    const [profile, reno, cubic, bbr] = ['profile', 'reno', 'cubic', 'bbr'].map(congestion =>
      pageTimeMs({pipeline: name, congestion}),
    );
    expect(profile, name).toBe(cubic);
    expect(reno, name).not.toBe(cubic);
    // losses hardly matter to BBR
    expect(bbr, name).toBeLessThan(0.7 * (cubic ?? 0));
  }
});

test('for the profile classic, naming its own congestion control (reno) does not change the page time', () => {
  for (const {name} of CHOOSING) {
    const classic = {pipeline: name, profile: 'classic'};
    expect(pageTimeMs({...classic, congestion: 'reno'}), name).toBe(pageTimeMs(classic));
  }
});

test.each([
  ['sctp', /^panes\[0\]\.congestion is "bbr": must be absent: dcSCTP has its own congestion control/],
  ['udp', /^panes\[0\]\.congestion is "bbr": must be absent: datagrams are sent at a constant rate/],
  ['catp', /^panes\[0\]\.congestion is "bbr": must be absent: datagrams are sent at a constant rate/],
])('%s refuses a congestion control with the reason', (pipeline, message) => {
  const parsed = parseScenario({panes: [{pipeline, congestion: 'bbr'}]});
  expect(parsed.ok).toBe(false);
  expect(parsed.ok ? '' : parsed.problems.map(({message}) => message).join('\n')).toMatch(message);
});

test('live servers choose their own congestion control, so live panes refuse the setting', () => {
  for (const {name, live} of CHOOSING) {
    const parsed = parseScenario({path: {live: '127.0.0.1:9899'}, panes: [{pipeline: name, congestion: 'bbr'}]});
    expect(parsed.ok, name).toBe(false);
    if (live !== undefined)
      expect(parsed.ok ? '' : parsed.problems.map(({message}) => message).join('\n'), name).toContain('congestion');
  }
});

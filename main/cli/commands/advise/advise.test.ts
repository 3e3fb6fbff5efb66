import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {DEFAULT_THRESHOLDS} from '../../../../app/run/quality/states.ts';
import {readArguments} from '../../command.ts';
import {advise} from './advise.ts';
import type {AdviseResult} from './result.ts';

// Compares `advise --json` with what `run --json` prints.

const script = fileURLToPath(new URL('../../interleave.mjs', import.meta.url));
const PAGE = 'page={"synthetic": {"indexBytes": 800, "objects": 3, "objectBytes": 5000}}';
const SETS = [PAGE, 'path.loss=0.05', 'path.rttMs=300'].flatMap(set => ['--set', set]);

test('means are equal to those of interleave run, and savings are measured on other seeds', () => {
  const advised: AdviseResult = JSON.parse(succeed('advise', ...SETS, '--seeds', '1-5', '--json'));
  expect(advised).toMatchObject({
    pane: 2,
    absent: ['recognisable', 'speedIndex'],
    seeds: {chosen: '1-5', measured: '6-10'},
  });
  expect(advised.aims.map(({aim}) => aim)).toEqual(['firstPicture', 'complete', 'pageTime']);
  const [, , pageTime] = advised.aims;
  // one to three streams for three objects, and the ten streams of the scenario
  expect(pageTime?.candidates).toHaveLength(4 * 4);
  expect(pageTime?.now).toEqual({streams: 10, scheduler: 'round-robin'});
  const [best] = [...(pageTime?.candidates ?? [])].sort((a, b) => a.meanMs - b.meanMs);
  expect(best).toMatchObject({...pageTime?.best, behindMs: 0, isLevel: true, never: 0});
  const own = Object.entries(pageTime?.best ?? {}).flatMap(([key, value]) => ['--set', `panes[1].${key}=${value}`]);
  expect(best?.meanMs).toBeCloseTo(meanOf('1-5', 1, ...own), 6);
  const newer = advised.helps.find(({pane, help, aim}) => pane === 1 && help === 'stack' && aim === 'pageTime');
  const before = meanOf('6-10', 0);
  expect(newer).toMatchObject({label: 'a newer stack', ofMs: expect.closeTo(before, 6)});
  expect(newer?.savedMs).toBeCloseTo(before - meanOf('6-10', 0, '--set', 'panes[0].profile=modern'), 6);
  const cannot = advised.cannot.map(({pane, help}) => `${pane} ${help}`);
  expect(cannot).toEqual(expect.arrayContaining(['1 round-trip', '2 round-trip']));
  expect(Object.keys(advised.methods)).toContain('behindCi95Ms');
  const [most, ...others] = advised.causes.filter(({pane}) => pane === 1);
  expect(most).toMatchObject({loads: 5, savedMs: expect.any(Number)});
  expect(others.every(({savedMs}) => savedMs <= (most?.savedMs ?? 0))).toBe(true);
});

test('browser protocols have the means of interleave run; a site can neither use SCTP nor leave out TLS', {
  tags: ['long'],
}, () => {
  const sets = [...SETS, '--set', 'panes=[{"pipeline": "h2"}, {"pipeline": "sctp", "streams": 2}]'];
  const {browsers, rivals, helps}: AdviseResult = JSON.parse(
    succeed('advise', ...sets, '--seeds', '1-4', '--aim', 'pageTime', '--json'),
  );
  const [own, ...others] = browsers;
  expect([own?.aim, others]).toEqual(['pageTime', []]);
  expect(own?.candidates.map(({name}) => name.split(' ')[0])).toEqual([
    'HTTP/1.1',
    ...Array(4).fill('HTTP/2'),
    ...Array(4).fill('HTTP/3'),
  ]);
  const means = (own?.candidates ?? []).map(({settings}) => {
    return meanOf('1-4', 0, '--set', `panes=${JSON.stringify([settings])}`);
  });
  for (const [i, mean] of means.entries()) expect(own?.candidates[i]?.meanMs).toBeCloseTo(mean, 6);
  const least = own?.candidates[means.indexOf(Math.min(...means))];
  expect(own?.best).toEqual({name: least?.name, settings: least?.settings});
  expect(own?.text).toContain(`Among the protocols of browsers, page time T is least with ${least?.name}: `);
  expect(rivals).toMatchObject([{aim: 'pageTime', browser: least?.name}]);
  const noTls = helps.find(({help, pane}) => help === 'round-trip' && pane === 1);
  expect(noTls).toMatchObject({isOption: false, settings: {pipeline: 'h2', tls: false}});
  expect(helps.filter(({settings}) => (settings as {pipeline: string}).pipeline === 'sctp')).not.toEqual([]);
  for (const {isOption, settings} of helps) {
    if ((settings as {pipeline: string}).pipeline === 'sctp') expect(isOption).toBe(false);
  }
});

test('--aim accepts known aims, and implies --visual for those that need it', () => {
  const aims = (...args: readonly string[]) => {
    const own = readArguments(advise, args);
    return [own.aims.map(({name}) => name), own.visual];
  };
  expect(aims('--aim', 'pageTime, firstPicture')).toEqual([['firstPicture', 'pageTime'], undefined]);
  expect(aims('--aim', 'speedIndex')).toEqual([['speedIndex'], DEFAULT_THRESHOLDS]);
  expect(aims('--aim', 'speedIndex', '--good', '0.9')).toEqual([['speedIndex'], {...DEFAULT_THRESHOLDS, good: 0.9}]);
  expect(aims()).toEqual([['recognisable', 'speedIndex', 'firstPicture', 'complete', 'pageTime'], undefined]);
  expect(() => aims('--aim', 'speed')).toThrow(
    '--aim is speed: must be one or more of recognisable, speedIndex, firstPicture, complete, pageTime',
  );
});

test('the table has a sentence for each aim, and says what would help', () => {
  const text = succeed('advise', ...SETS, '--seeds', '1-5');
  expect(text).toMatch(/^compared: the protocols of browsers, and the streams of pane 2 \(SCTP\); seeds 1-5\n/);
  expect(text).toMatch(
    /^Over SCTP \(no browser supports it; without TLS\), page time T is least with \d+ streams?, [a-z-]+: \d+\.\d+ ± \d+\.\d+ s, the mean of 5 seeds\. /m,
  );
  expect(text).toMatch(/^Among the protocols of browsers, page time T is least with HTTP\/[123.]+ \([a-z -]+\): \d/m);
  expect(text).toMatch(/^ {2}HTTP\/1\.1 \(six connections\) +\d/m);
  expect(text).toContain('all pictures recognisable: not measured: --visual is missing');
  expect(text).toContain('\nWhat would help: each change by itself, seeds 6-10\n');
  expect(text).toMatch(/^ {2}1 TCP: a newer stack +−?\d/m);
});

test('a scenario whose panes do not have the same losses is refused', () => {
  const own = 'panes[1].drop={"down": {"packets": [3]}}';
  const {status, stderr} = spawnSync(process.execPath, [script, 'advise', ...SETS, '--set', own], {encoding: 'utf8'});
  expect(status).toBe(2);
  expect(stderr).toContain(
    'panes[1].drop is {"down":{"packets":[3]}}: must be absent here, because all settings are compared with the same losses',
  );
});

test('a scenario whose panes share the path is refused', () => {
  const {status, stderr} = spawnSync(process.execPath, [script, 'advise', ...SETS, '--set', 'path.atOnce=true'], {
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr).toContain(
    'path.atOnce is true: must be false here, because each setting is tried on a path of its own',
  );
});

test('the scenario may be an operand, and two scenarios are refused', () => {
  const own = readArguments(advise, ['n07-movie', '--seeds', '7']);
  expect(own).toMatchObject({scenario: 'n07-movie', seeds: [7], visual: undefined});
  expect(readArguments(advise, ['-s', 'n07-movie'])).toMatchObject({scenario: 'n07-movie'});
  expect(readArguments(advise, [])).toMatchObject({scenario: undefined, format: 'table'});
  for (const args of [
    ['a', 'b'],
    ['a', '--scenario', 'b'],
  ])
    expect(() => readArguments(advise, args)).toThrow('advice is for one scenario: a and b are two');
});

function meanOf(seeds: string, pane: number, ...args: readonly string[]): number {
  const {summary} = JSON.parse(succeed('run', ...SETS, ...args, '--seeds', seeds, '--json')) as {
    readonly summary: readonly {readonly pageTimeMs: {readonly mean: number}}[];
  };
  return summary[pane]?.pageTimeMs.mean ?? Number.NaN;
}

function succeed(...args: string[]): string {
  const {status, stdout, stderr} = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

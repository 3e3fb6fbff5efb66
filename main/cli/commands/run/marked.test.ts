import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {runHere} from '../../testing/runHere.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-marked-'));
afterAll(() => rmSync(folder, {recursive: true}));

/** Returns what `run` prints for a page load through CoDel. The second pane uses ECN if `ecn` is given. */
async function output(ecn: string | null, ...options: string[]): Promise<string> {
  const panes = [{}, ecn === null ? {} : {ecn}].map(more => ({pipeline: 'h2', profile: 'modern', ...more}));
  const path = {rateBps: 5_000_000, rttMs: 50, queue: {kind: 'codel'}};
  const page = {synthetic: {objects: 5, objectBytes: 200_000}};
  writeFileSync(join(folder, 'scenario.json'), JSON.stringify({page, path, panes}));
  const {status, stdout} = await runHere(folder, ['run', '-s', 'scenario.json', ...options]);
  expect(status).toBe(0);
  return stdout;
}

test('the table has a row of marks if a pane uses ECN, and no such row otherwise', async () => {
  expect(await output('classic')).toMatch(/^marked down\/up {2,}\d+\/0$/m);
  expect(await output('classic', '--seeds', '1-2')).toMatch(/^marked down {2,}\d/m);
  for (const options of [[], ['--seeds', '1-2']]) expect(await output(null, ...options)).not.toContain('marked');
});

test('JSON has the number of marks only for panes that use ECN', async () => {
  const {runs, summary} = JSON.parse(await output('classic', '--json')) as {
    readonly runs: readonly {readonly panes: readonly {readonly marked?: {readonly down: number}}[]}[];
    readonly summary: readonly {readonly marked?: {readonly down: {readonly mean: number}}}[];
  };
  const [plain, marking] = runs[0]?.panes ?? [];
  expect(plain?.marked).toBeUndefined();
  expect(marking?.marked?.down).toBeGreaterThan(2);
  expect(summary.map(({marked}) => marked?.down.mean)).toEqual([undefined, marking?.marked?.down]);
});

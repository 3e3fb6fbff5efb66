import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {decodeRun} from '../../../app/run/trace/runFile.ts';
import {CAUSE_KINDS} from '../../../app/run/why/causeKinds.ts';
import {type Ended, runHere} from '../testing/runHere.ts';

interface Cause {
  readonly name: string;
  readonly ms: number;
  readonly ci95Ms?: number;
}

interface Pane {
  readonly pipeline: string;
  readonly totalMs: number | null;
  readonly reason?: string;
  readonly n?: number;
  readonly causes: readonly Cause[];
  readonly interventions?: readonly {
    readonly name: string;
    readonly causes: readonly string[];
    readonly attributedMs: number;
    readonly savedMs: number | null;
  }[];
}

const SCENARIO = ['--scenario', 'one-lost-packet'];
const NAMES: readonly string[] = CAUSE_KINDS.map(({name}) => name);

test('the causes of each pane add up to its finish time, and are in the order of CAUSE_KINDS', async () => {
  const {panes} = await explained(...SCENARIO);
  const {runs} = JSON.parse(await succeed('run', ...SCENARIO, '--json'));
  expect(panes.map(({totalMs}) => totalMs)).toEqual(runs[0].panes.map(({finishMs}: {finishMs: number}) => finishMs));
  for (const {totalMs, causes} of panes) {
    expect(causes.reduce((sum, {ms}) => sum + ms, 0)).toBeCloseTo(totalMs ?? 0, 5);
    const places = causes.map(({name}) => NAMES.indexOf(name));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  }
});

test('--panes chooses panes and their order', async () => {
  const all = await explained(...SCENARIO);
  expect((await explained(...SCENARIO, '--panes', '3,1')).panes).toEqual([all.panes[2], all.panes[0]]);
});

test('--metric object:URL explains one object, and lcp the largest paint', async () => {
  const scenario = ['--scenario', 'one-lost-packet', '--set', 'browser=chromium', '--set', 'discovery=streaming'];
  const {runs} = JSON.parse(await succeed('run', ...scenario, '--json'));
  const [first] = runs[0].panes as readonly {lcpMs: number; objects: readonly {url: string; completeMs: number}[]}[];
  const object = first?.objects[2];
  expect((await explained(...scenario, '--metric', `object:${object?.url}`)).panes[0]?.totalMs).toBe(
    object?.completeMs,
  );
  expect((await explained(...scenario, '--metric', 'lcp')).panes[0]?.totalMs).toBe(first?.lcpMs);
});

test('for a captured load, --metric takes web addresses, and the output says that paints are not known', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-why-'));
  const trace = join(folder, 'load.trace');
  const captured = 'fixtures/captures/tcp/chromium-nginx';
  await runHere('.', ['open', `${captured}.pcap`, '--keys', `${captured}.keys`, '--out', trace]);
  const run = decodeRun(readFileSync(trace));
  if (!run.ok) throw new Error(run.message);
  const name = run.run.panes[0]?.objects.find(({url}) => url.endsWith('city.jpg'))?.url ?? '';
  expect(name).not.toBe('/city.jpg');
  const {panes: byName} = await explained('--trace', trace, '--metric', `object:${name}`);
  expect(byName[0]?.totalMs).toBeGreaterThan(100);
  for (const url of ['/city.jpg', 'city.jpg', 'https://www.interleave.test/city.jpg', '/city.jpg#top'])
    expect((await explained('--trace', trace, '--metric', `object:${url}`)).panes).toEqual(byName);
  const {panes: missing} = await explained('--trace', trace, '--metric', 'object:/town.jpg');
  expect(missing[0]?.reason).toBe('the page has no object /town.jpg');
  const {panes: painted} = await explained('--trace', trace, '--metric', 'lcp');
  expect(painted[0]).toMatchObject({totalMs: null, reason: 'it is not known when the page was painted'});
  rmSync(folder, {recursive: true});
});

test('with --seeds, the mean causes of the loads that reached the moment add up to the mean time', async () => {
  const scenario = [...SCENARIO, '--set', 'path.loss=0.1', '--set', 'timeLimitMs=6000', '--seeds', '1-12'];
  const {panes} = await explained(...scenario, '--panes', '1,4');
  const {summary} = JSON.parse(await succeed('run', ...scenario, '--json'));
  for (const [i, {n, totalMs, causes}] of panes.entries()) {
    const {complete, finishMs} = summary[i === 0 ? 0 : 3];
    expect(n).toBe(complete);
    expect(totalMs).toBeCloseTo(finishMs.mean, 3);
    expect(causes.reduce((sum, {ms}) => sum + ms, 0)).toBeCloseTo(totalMs ?? 0, 3);
    expect(causes.every(({ci95Ms}) => ci95Ms !== undefined && ci95Ms >= 0)).toBe(true);
  }
});

test('--interventions prints the time that is saved without a cause beside the time attributed to it', async () => {
  const options = [...SCENARIO, '--panes', '1', '--set', 'serverThinkMs=50', '--interventions'];
  const [pane] = (await explained(...options)).panes;
  const names = pane?.interventions?.map(({name}) => name);
  expect(names).toContain('server');
  expect(names).toContain('no-loss');
  const server = pane?.interventions?.find(({name}) => name === 'server');
  expect(server?.causes).toEqual(['server']);
  expect(server?.attributedMs).toBe(pane?.causes.find(({name}) => name === 'server')?.ms);
  const without = (await explained(...options, '--set', 'serverThinkMs=0')).panes[0];
  expect(server?.savedMs).toBeCloseTo((pane?.totalMs ?? 0) - (without?.totalMs ?? 0), 5);
  expect(await succeed('why', ...options)).toMatch(
    /, if the server does not think: \d+ ms saved, \d+ ms attributed\.\n/,
  );
  expect((await explained(...SCENARIO)).panes[0]?.interventions).toBeUndefined();
});

test('a pane that never reaches the moment has no causes, and the reason is given', async () => {
  const hopeless = [...SCENARIO, '--set', 'path.loss=1', '--set', 'timeLimitMs=100', '--panes', '1'];
  const {panes} = await explained(...hopeless);
  expect(panes[0]).toMatchObject({totalMs: null, causes: []});
  expect(await succeed('why', ...hopeless)).toContain(`HTTP/1.1 over TCP has no time: ${panes[0]?.reason}`);
});

test('a sentence below the table compares the first pane with the second', async () => {
  const lines = (await succeed('why', ...SCENARIO, '--panes', '1,4')).trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(/^HTTP\/3 is \d+ ms ahead of HTTP\/1\.1 over TCP: \d+ ms less in slow start, /);
  expect(lines.at(-2)).toMatch(/^total +\d+ +\d+$/);
});

test.each([
  [['--panes', '7'], '--panes has 7: the scenario has 6 panes'],
  [['--panes', '1,x'], '--panes has x: each entry must be the number of a pane, as in 1,2'],
  [['--panes', '2,2'], '--panes has 2 twice'],
  [['--metric', 'speed'], '--metric is speed: must be finish, recognisable, lcp or object:URL'],
  [['--metric', 'object:'], '--metric is object:: must be finish, recognisable, lcp or object:URL'],
  [['--seeds', '0x3'], '--seeds'],
  [['--seeds', '1-3', '--interventions'], '--interventions and --seeds cannot be combined'],
])('%s is refused in one line', async (options, message) => {
  const {status, stdout, stderr} = await runHere('.', ['why', ...SCENARIO, ...options]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/^interleave: .+\n$/);
});

async function explained(...args: readonly string[]): Promise<{readonly panes: readonly Pane[]}> {
  return JSON.parse(await succeed('why', ...args, '--json'));
}

async function succeed(...args: readonly string[]): Promise<string> {
  const {status, stdout, stderr}: Ended = await runHere('.', args);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

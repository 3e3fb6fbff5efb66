import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {gunzipSync, gzipSync} from 'node:zlib';
import {afterAll, describe, expect, test, vi} from 'vitest';
import {scenarioLink} from '../../app/run/scenario/link.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import {program, programVersion} from '../files/program.ts';
import {runDocument} from '../workers/testing/runs.ts';
import {COMMANDS} from './commands/list.ts';
import {type Ended, runHere} from './testing/runHere.ts';

// The command line as people run it: its output and its exit code. Some tests run it in a separate process.

const script = fileURLToPath(new URL('interleave.mjs', import.meta.url));
const interleave = `'${process.execPath}' '${script}'`;
const folder = mkdtempSync(join(tmpdir(), 'interleave-cli-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

const small = {
  page: {synthetic: {indexBytes: 1000, objects: 2, objectBytes: 2000}},
  path: {rateBps: 1_000_000, rttMs: 100, loss: 0.05},
};
const smallFile = file('small.json', JSON.stringify(small));

describe('run', () => {
  test('--json prints the documented shape', async () => {
    const {scenario, page, runs, summary} = JSON.parse(
      await succeed('run', '--scenario', smallFile, '--seeds', '1-2', '--json'),
    );
    expect(scenario).toMatchObject({...small, seed: 1});
    expect(page).toEqual({hash: expect.stringMatching(/^[0-9a-f]{64}$/), leftOut: []});
    expect(runs.map((run: {seed: number}) => run.seed)).toEqual([1, 2]);
    expect(summary).toHaveLength(2);
    const [tcp, sctp] = runs[0].panes;
    expect([tcp.pipeline, sctp.pipeline]).toEqual(['tcp', 'sctp']);
    const ms = expect.any(Number);
    const percents = {25: ms, 50: ms, 75: ms, 100: ms};
    const both = {down: ms, up: ms};
    const paneKeys =
      'dclMs fcpMs finishMs holBlockedBytes holBlockedMs lcpElement lcpMs loadMs longestWaitMs lost missing objects outcome pPageMs pRenMs packets pageTimeMs pipeline reason';
    for (const pane of [tcp, sctp]) {
      expect(Object.keys(pane).sort().join(' ')).toBe(`${paneKeys} retransmitted setupMs silentMs`);
      expect(pane).toMatchObject({
        outcome: 'complete',
        setupMs: ms,
        pageTimeMs: ms,
        pPageMs: percents,
        pRenMs: percents,
        silentMs: ms,
        packets: both,
        lost: both,
        retransmitted: ms,
        holBlockedMs: ms,
      });
      const times = {stream: ms, requestMs: ms, firstByteMs: ms, completeMs: ms};
      expect(pane.objects).toMatchObject([
        {url: '/', bytes: 750, ...times},
        {url: '/o/1', bytes: 2000, ...times},
        {url: '/o/2', bytes: 2000, ...times},
      ]);
    }
  });

  test('gives a seed the same result among many seeds as alone', async () => {
    const together = JSON.parse(await succeed('run', '--scenario', smallFile, '--seeds', '1-12', '--json')).runs;
    const apart: unknown[] = [];
    for (const seed of [3, 12]) {
      const alone = await succeed('run', '--scenario', smallFile, '--set', `seed=${seed}`, '--json');
      apart.push(JSON.parse(alone).runs[0]);
    }
    expect([together[2], together[11]]).toEqual(apart);
  });

  test('--csv has a line for each seed, pane and object', async () => {
    const [header, ...lines] = (await succeed('run', '-s', smallFile, '--seeds', '1-3', '--csv')).trim().split('\n');
    expect(header).toMatch(/^seed,pane,pipeline,outcome,setupMs,pageTimeMs,p25PageMs/);
    expect(lines).toHaveLength(3 * 2 * 3);
    expect(lines.every(line => line.split(',').length === header?.split(',').length)).toBe(true);
  });

  test('--set path.loss.applies=data keeps the loss that was set before', async () => {
    const data = ['--set', 'path.loss=0.1', '--set', 'path.loss.applies=data', '--json'];
    const {scenario, runs} = JSON.parse(await succeed('run', '--scenario', smallFile, ...data));
    expect(scenario.path.loss).toEqual({rate: 0.1, applies: 'data'});
    const written = file('data.json', JSON.stringify({...small, path: scenario.path}));
    expect(JSON.parse(await succeed('run', '--scenario', written, '--json')).runs).toEqual(runs);
  });

  describe('incomplete loads', () => {
    const failing = [
      'run',
      '--scenario',
      'n07-movie',
      '--set',
      'seed=1',
      '--set',
      'panes[1].fragmentation=false',
      '--set',
      'panes[1].sendBuffer={"bytes": 4096}',
    ];
    const why = 'partial: 10 of 12 objects failed: message of 10325 B (at most 4096 B)';

    test('have no times, and the table says why', async () => {
      const output = await succeed(...failing);
      expect(output).toMatch(/^page time T +\d+ +–$/m);
      expect(output).toMatch(/^25 %Page +\d+ +–$/m);
      expect(output).toContain(`pane 2 has no page time, PPage or ratio: ${why}\n`);
      const [, sctp] = JSON.parse(await succeed(...failing, '--json')).runs[0].panes;
      expect(sctp).toMatchObject({outcome: 'partial', pageTimeMs: null, pPageMs: {25: null, 100: null}});
      expect(sctp.objects.at(-1).failure).toMatchObject({
        kind: 'too-large',
        what: 'message',
        limitBytes: 4096,
      });
    });

    test('are excluded from statistics over seeds, and the table names their seeds', async () => {
      const output = await succeed(...failing, '--seeds', '1-3');
      expect(output).toMatch(/^complete +3 of 3 +0 of 3$/m);
      expect(output).toMatch(/^page time T +\d+ ± \d+ +–$/m);
      expect(output).toMatch(/^T, first \/ this$/m);
      expect(output).toMatch(/^complete in both +0$/m);
      expect(output).toContain(`3 of 3 runs of pane 2 are not counted: ${why} (seeds 1, 2, 3)\n`);
    });

    test('have empty times in CSV, and the reason in each line', async () => {
      const [header = '', ...lines] = (await succeed(...failing, '--csv')).trim().split('\n');
      const ofSctp = lines.filter(line => line.includes(',sctp,'));
      expect(header).toMatch(/,failure,reason,longestWaitMs,fcpMs,lcpMs,dclMs,loadMs,finishMs,paneName$/);
      expect(ofSctp).toHaveLength(12);
      for (const line of ofSctp) expect(line).toMatch(/^1,2,sctp,partial,\d[\d.]*,,,,,,,,,,/);
      const reason = why.replace('partial: ', '');
      for (const line of ofSctp)
        expect(line.replace(/,\d[\d.]*(,[\d.]*){4},,SCTP classic · \d+ streams$/, '').endsWith(`,${reason}`)).toBe(
          true,
        );
    });
  });

  test('says from when each time is measured', async () => {
    for (const args of [[], ['--seeds', '1-2']]) {
      expect(await succeed('run', '--scenario', smallFile, ...args)).toContain(
        'times are measured from navigation; T and silent from the first request\n',
      );
      expect(await succeed('run', '--scenario', smallFile, '--set', 'discovery=complete', ...args)).toContain(
        'T, %Page and silent are measured from the first request; the other times from navigation\n',
      );
    }
    expect(await succeed('run', '--scenario', smallFile)).toContain(
      'time from navigation until each object is complete\n',
    );
  });

  test('compares by the whole page from navigation, or, as the papers did, by T from the first request', async () => {
    // TLS makes the set-up of the second pane longer, which T leaves out
    const panes = ['--set', 'panes=[{"pipeline": "tcp"}, {"pipeline": "tcp", "tls": true}]', '--seeds', '1-2'];
    const {clock, summary} = JSON.parse(await succeed('run', ...panes, '--json'));
    const [plain, tls] = summary;
    expect([clock, plain.finishAgainstFirst]).toEqual(['navigation', null]);
    expect(tls.finishAgainstFirst.ratio).toBeCloseTo(plain.finishMs.mean / tls.finishMs.mean, 9);
    expect(tls.finishAgainstFirst.differenceMs.mean).toBeGreaterThan(tls.againstFirst.differenceMs.mean + 100);
    expect(tls.againstFirst.ratio).toBeCloseTo(plain.pageTimeMs.mean / tls.pageTimeMs.mean, 9);
    const ratio = (table: string) => /^(?:T|finish), first \/ this +([\d.]+)$/m.exec(table)?.[1];
    const table = await succeed('run', ...panes);
    expect(table).toContain('panes are compared by finish, from navigation\n');
    expect(ratio(table)).toBe(tls.finishAgainstFirst.ratio.toFixed(2));
    const papers = ['--set', 'discovery=complete', '--set', 'panes[1].tls=false', '--set', 'panes[1].connections=2'];
    const told = await succeed('run', ...panes, ...papers);
    expect(told).toContain('panes are compared by page time T, from the first request\n');
    const {clock: theirs, summary: of} = JSON.parse(await succeed('run', ...panes, ...papers, '--json'));
    expect([theirs, ratio(told)]).toEqual(['first-request', of[1].againstFirst.ratio.toFixed(2)]);
  });

  test('a plain browser has all times since navigation, also of a page with preloads that it does not follow', async () => {
    const args = ['--set', 'page=today', '--set', 'panes=[{"pipeline": "tcp"}, {"pipeline": "h2"}]', '--json'];
    const [{panes}] = JSON.parse(await succeed('run', ...args)).runs;
    for (const {fcpMs, lcpMs, dclMs, loadMs, finishMs} of panes) {
      const order = [fcpMs, lcpMs, finishMs];
      expect(order.toSorted((a, b) => a - b)).toEqual(order);
      expect(fcpMs).toBeGreaterThan(0);
      expect(loadMs).toBeGreaterThanOrEqual(dclMs);
      expect(loadMs).toBeLessThanOrEqual(finishMs);
    }
  });

  test('loads a page that is made from a trace of a browser, and follows the recorded requests', async () => {
    const [a, b] = ['https://shop.test/', 'https://shop.test/late.json'];
    const at = (name: string, ts: number, data: object) => ({name, ph: 'I', ts, pid: 1, tid: 2, args: {data}});
    const sent = (url: string, ts: number, resourceType: string, more = {}) =>
      at('ResourceSendRequest', ts, {requestId: url, url, resourceType, priority: 'High', ...more});
    const ended = (url: string, ts: number, decodedBodyLength: number) =>
      at('ResourceFinish', ts, {requestId: url, decodedBodyLength, encodedDataLength: 1});
    const frame = {functionName: '', url: a, lineNumber: 1, columnNumber: 1};
    const script = {initiator: {type: 'script', fetchType: 'fetch'}, stackTrace: [frame]};
    const events = [
      sent(a, 0, 'Document'),
      ended(a, 9000, 4000),
      sent(b, 20_000, 'Fetch', script),
      ended(b, 50_000, 30_000),
    ];
    const page = file('browser.json', JSON.stringify({traceEvents: events}));
    const result = async (...more: readonly string[]) => {
      const {stdout, stderr} = await run('run', '--page', page, '--set', 'path.rttMs=10', '--json', ...more);
      expect(stderr).toContain('the trace has only their sizes, so the page shows placeholders');
      return JSON.parse(stdout);
    };
    const {recorded, runs} = await result('--set', 'browser=chromium');
    expect(recorded).toMatchObject({browser: 'Chromium (trace)', requests: 2, bytes: 34_000});
    expect(recorded.panes).toEqual([
      {requests: 2, bytes: expect.any(Number)},
      {requests: 2, bytes: expect.any(Number)},
    ]);
    expect(runs[0].panes[0].objects.map(({bytes}: {bytes: number}) => bytes).at(-1)).toBe(30_000);
    // a plain browser requests only what the HTML names
    expect((await result()).recorded.panes[0].requests).toBe(1);
  });

  test('says that losses are not the same if a pane drops packets of its own', async () => {
    const own = ['--set', 'panes[1].drop.down={"packets": [20], "applies": "data"}'];
    const lost = (document: string) =>
      JSON.parse(document).runs[0].panes.map(({lost: {down}}: {lost: {down: number}}) => down);
    const document = await succeed('run', ...own, '--json');
    expect(lost(document)).toEqual([0, 1]);
    expect(JSON.parse(document).scenario.panes[1].drop).toEqual({down: {packets: [20], applies: 'data'}});
    for (const seeds of [[], ['--seeds', '1-2']])
      expect(await succeed('run', ...own, ...seeds)).toContain(
        '\nnot the same losses: pane 2 also loses data packet 20\n',
      );
  });

  test('names panes as the window does, and explains differences in set-up', async () => {
    const panes = 'panes=[{"pipeline":"tcp"},{"pipeline":"tcp","connections":6},{"pipeline":"h2"},{"pipeline":"udp"}]';
    for (const [args, setUp] of [
      [[], /^set-up +\d+ +\d+ +\d+ +–$/m],
      [['--seeds', '1-2'], /^set-up +\d+ ± 0\.0 +\d+ ± 0\.0 +\d+ ± 0\.0 +–$/m],
    ] as const) {
      const told = await succeed('run', '--set', panes, ...args);
      expect(told).toMatch(/^ +1 TCP +2 TCP × 6 +3 HTTP\/2 +4 UDP$/m);
      expect(told).toMatch(setUp);
      expect(told).toContain(
        '\nset-up: TCP without TLS (pane 1 and pane 2); TCP, then TLS 1.3 (pane 3); none (pane 4)\n',
      );
      expect(told).toMatch(/\npane 4 knows the path's rate/);
    }
    const text = await succeed('help', 'scenario');
    const sectionOf = (pipeline: string) =>
      text
        .split('\n\n')
        .find(section => section.startsWith(`Settings of a pane with "pipeline": "${pipeline}"`))
        ?.replace(/\s+/g, ' ');
    expect(sectionOf('h3')).toContain('path.mtuBytes must be at least 1228.');
    expect(sectionOf('h2')).toContain('plain browser: requests objects as it finds them; the scheduler decides');
    expect(sectionOf('h2')).not.toContain('path.mtuBytes');
  });

  test('prints the model’s T beside the T of the runs, or says why the model predicts none', async () => {
    const movie = ['run', '--scenario', 'n07-movie'];
    for (const args of [[], ['--seeds', '1-2']]) {
      expect(await succeed(...movie, ...args)).toMatch(/^model T \(L06\) +\d+ +\d+$/m);
    }
    const [tcp, sctp] = JSON.parse(await succeed(...movie, '--json')).model;
    expect(tcp.pageTimeMs).toBeGreaterThan(sctp.pageTimeMs);
    const thinking = await succeed(...movie, '--set', 'serverThinkMs=5');
    expect(thinking).not.toContain('model T (L06)');
    expect(thinking).toContain('no model T: the server takes time to think\n');
    expect(await succeed(...movie, '--seeds', '1-2', '--set', 'panes[1].streams=1')).toContain(
      'pane 2 has no model T: with one stream, data waits behind losses as over TCP\n',
    );
  });

  test('prints a table, and applies --set after --scenario', async () => {
    const output = await succeed(
      'run',
      '--scenario',
      'n07-movie',
      '--set',
      'path.loss=0',
      '--set',
      'panes[1].streams=4',
    );
    expect(output).toMatch(/page time T +\d+ +\d+/);
    expect(output).toMatch(/lost down\/up +0\/0 +0\/0/);
  });
});

test('a scenario file may begin with a byte order mark', async () => {
  const marked = file('marked.json', `\ufeff${JSON.stringify(small)}`);
  expect(await succeed('run', '--scenario', marked)).toBe(await succeed('run', '--scenario', smallFile));
});

test('the table reports pictures that a gateway converts, and the HAR has their new type', async () => {
  vi.stubEnv('XDG_CACHE_HOME', folder);
  const panes = JSON.stringify([{pipeline: 'tcp'}, {pipeline: 'tcp', conversion: 'webp'}]);
  const settings = ['--set', 'page=gallery-baseline', '--set', `panes=${panes}`];
  const table = await succeed('run', ...settings);
  expect(table).toContain('1 TCP as served  2 TCP WebP');
  expect(table).toMatch(
    /^pictures WebP \(pane 2\): 11 converted, 100\.8 → [\d.]+ KB, in \d+ ms \(not part of any page time\); painted from the top as they arrive$/m,
  );
  const types: unknown[] = [];
  for (const pane of ['1', '2']) {
    const archive = join(folder, `pane-${pane}.har`);
    await succeed('har', ...settings, '--pane', pane, '--out', archive);
    const {log} = JSON.parse(readFileSync(archive, 'utf8')) as {log: {entries: HarEntry[]}};
    types.push(log.entries.find(({request}) => request.url.endsWith('/lake.jpg'))?.response.content.mimeType);
  }
  vi.unstubAllEnvs();
  expect(types).toEqual(['image/jpeg', 'image/webp']);
});

interface HarEntry {
  readonly request: {readonly url: string};
  readonly response: {readonly content: {readonly mimeType: string}};
}

describe('trace', () => {
  test('can be loaded again as a scenario, plain or compressed, and so can a link', async () => {
    const settings = ['--scenario', smallFile, '--set', 'seed=3'];
    const wanted = await succeed('run', ...settings, '--json');
    for (const name of ['again.trace', 'again.trace.gz']) {
      await succeed('trace', ...settings, '--out', join(folder, name));
      expect(await succeed('run', '--scenario', join(folder, name), '--json')).toBe(wanted);
    }
    expect(await succeed('run', '--scenario', scenarioLink({...small, seed: 3}), '--json')).toBe(wanted);
    const whole = readFileSync(join(folder, 'again.trace.gz'));
    const cut = file('cut.trace.gz', whole.subarray(0, whole.length / 2));
    expect(await run('run', '--scenario', cut)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/cut\.trace\.gz: damaged gzip file/),
    });
    const bomb = file('bomb.json.gz', gzipSync(Buffer.alloc(65 * 1024 * 1024, 32)));
    expect((await run('run', '--scenario', bomb)).stderr).toMatch(/unpacked, it has more than 67108864 bytes/);
    expect((await run('run', '--scenario', 'interleave://scenario/%%')).stderr).toMatch(
      /the link is incomplete or damaged; copy all of it/,
    );
  });

  test('saves the same bytes in every process, compressed if the name ends in .gz', () => {
    const [plain, packed] = [join(folder, 'run.trace'), join(folder, 'run.trace.gz')];
    succeedApart('trace', '--scenario', smallFile, '--out', plain);
    succeedApart('trace', '--scenario', smallFile, '--out', packed);
    const bytes = new Uint8Array(readFileSync(plain));
    expect(bytes).toEqual(encodeRun({...runDocument(small), program: program()}));
    expect(new Uint8Array(gunzipSync(readFileSync(packed)))).toEqual(bytes);
    const decoded = decodeRun(bytes);
    expect(decoded.ok && decoded.run.panes.map(pane => pane.outcome)).toEqual(['complete', 'complete']);
    // the hash is that of the page that `run` loads
    const {page} = JSON.parse(succeedApart('run', '--scenario', smallFile, '--json'));
    expect(decoded.ok && decoded.run.page).toEqual(page);
  });
});

describe('pcap', () => {
  const hasTshark = spawnSync('tshark', ['--version']).status === 0;
  test.skipIf(!hasTshark)(`opens in tshark${hasTshark ? '' : ' (skipped: there is no tshark)'}`, async () => {
    const out = join(folder, 'sctp.pcapng');
    await succeed('pcap', '--scenario', smallFile, '--pane', '2', '--out', out);
    const fields = ['-T', 'fields', '-e', 'ip.proto', '-e', 'sctp.checksum.status'];
    const {stdout} = spawnSync('tshark', ['-r', out, '-o', 'sctp.checksum:crc-32c', ...fields], {
      encoding: 'utf8',
    });
    const lines = stdout.trim().split('\n');
    expect(lines.length).toBeGreaterThan(10);
    // 132 is SCTP's protocol number, and 1 means that the CRC32c is right
    expect(new Set(lines)).toEqual(new Set(['132\t1']));
  });
});

test('presets and pages are listed, for people and for scripts', async () => {
  expect(await succeed('presets')).toContain('n07-movie');
  expect(JSON.parse(await succeed('presets', '--json')).map((one: {source: string}) => one.source)).not.toContain('');
  expect(await succeed('pages')).toContain('gallery');
  expect(JSON.parse(await succeed('pages', '--json'))).toContainEqual(
    expect.objectContaining({name: 'r02', objects: 7}),
  );
});

test('--version prints name, version and commit, and run --json names the same program', async () => {
  const {version} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const told = await succeed('--version');
  expect(told).toBe(`interleave ${programVersion()}\n`);
  expect(told).toMatch(new RegExp(`^interleave ${version}( \\([0-9a-f]{7}\\))?\n$`));
  expect(succeedApart('--version')).toBe(told);
  expect(JSON.parse(await succeed('run', '--scenario', smallFile, '--json')).program).toBe(program());
});

test('help has an overview, every command and the scenario', async () => {
  const overview = await succeed('--help');
  expect(overview).toContain('Start here:');
  for (const {name} of COMMANDS) {
    expect(overview).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(await succeed('help', name)).toMatch(
      new RegExp(`^interleave ${name}: .*^Usage: interleave ${name}\\b`, 'ms'),
    );
  }
  // an unknown topic would give the overview
  expect(await succeed('help', 'scenario')).toMatch(/^ {2}path\.rttMs /m);
  expect(await succeed('run', '--help')).toContain('--seeds');
});

describe('bad input gives exit code 2 and one line that names it:', () => {
  test.each([
    ['an unknown command', ['rum'], /no command rum; did you mean run/],
    ['an unknown option', ['run', '--sed', '1'], /--sed/],
    ['an unknown preset', ['run', '--scenario', 'n07-movi'], /n07-movi: .*did you mean n07-movie/],
    ['a scenario file that does not exist', ['run', '--scenario', '/nowhere/x.json'], /\/nowhere\/x\.json/],
    ['a scenario file that is not JSON', ['run', '--scenario', file('bad.json', '{"page":')], /bad\.json: not JSON/],
    [
      'a scenario file with control characters',
      ['run', '-s', file('esc.json', '\u001b[31m]')],
      /^interleave: .*esc\.json: not JSON: \P{Cc}*\n$/u,
    ],
    [
      'a document that is nested too deep',
      ['run', '-s', file('deep.json', `{"seed":${'['.repeat(2e5)}${']'.repeat(2e5)}}`)],
      /deep\.json: nested more than 100 deep/,
    ],
    [
      'fifty thousand unknown keys',
      ['run', '-s', file('keys.json', `{${Array.from({length: 5e4}, (_, i) => `"k${i}":0`).join(',')}}`)],
      /k0 is not a setting of a scenario; .* \(and at least 49 more\)$/m,
    ],
    ['an unknown key', ['run', '--set', 'path.lost=1'], /path\.lost.*loss/],
    ['a wrong type', ['run', '--set', 'path.rttMs=fast'], /path\.rttMs.*fast/],
    ['a value out of its limits', ['run', '--set', 'path.loss=1.5'], /path\.loss.*1\.5.*0 to 1/],
    ['too many streams', ['run', '--set', 'panes[1].streams=65'], /panes\[1\]\.streams.*65.*64/],
    ['a setting of another pipeline', ['run', '--set', 'panes[0].streams=2'], /panes\[0\]\.streams/],
    ['a pane that does not exist', ['run', '--set', 'panes[5].profile=modern'], /no item 5/],
    ['a change without a value', ['run', '--set', 'path.loss'], /KEY=VALUE/],
    ['an unknown page', ['run', '--set', 'page=galery'], /galery.*gallery/],
    ['a range of seeds whose end is before its start', ['run', '--seeds', '5-1'], /5-1/],
    ['an output in a folder that does not exist', ['trace', '--out', '/nowhere/run.trace'], /\/nowhere\/run\.trace/],
    ['a missing --out', ['trace'], /--out/],
    [
      'a word instead of an address',
      ['fetch', 'pictures', '--out', 'x'],
      /pictures: must be an http, https or sctp address/,
    ],
    ['an address without a host', ['run', '--page', 'https://'], /https:\/\//],
    [
      'a pane number that is too large for any scenario',
      ['pcap', '--pane', '7', '--out', '-'],
      /--pane is 7: must be 1 to 6/,
    ],
    ['a pane number that is too large for the scenario', ['pcap', '--pane', '3', '--out', '-'], /--pane.*3/],
    ['a movie of an unknown format', ['record', '--out', 'a.mp5'], /a\.mp5: must end in \.mp4.*did you mean \.mp4/],
    ['a movie to standard output', ['record', '--out', '-'], /--out is - \(standard output\): must be a file/],
    [
      'a size that cannot be parsed',
      ['record', '--out', 'a.mp4', '--size', 'big'],
      /--size is "big": must be WIDTHxHEIGHT/,
    ],
    ['an odd size', ['record', '--out', 'a.mp4', '--size', '1281x720'], /--size is "1281x720".*even/],
    [
      'a size that is too small',
      ['record', '--out', 'a.mp4', '--size', '320x200'],
      /--size is "320x200".*640x360 to 3840x2160/,
    ],
    ['too many frames per second', ['record', '--out', 'a.mp4', '--fps', '61'], /--fps is 61: .*24 to 60/],
    ['too few frames per second for a movie', ['record', '--out', 'a.mp4', '--fps', '5'], /--fps is 5: .*24 to 60/],
    [
      '--axis with a story',
      ['record', '--story', 'satellite', '--axis', 'scans', '--out', 'a.mp4'],
      /--story and --axis exclude each other: the story decides this/,
    ],
    ['a time that cannot be parsed', ['record', '--out', 'a.mp4', '--to', 'noon'], /--to is noon.*7s or 700ms/],
    [
      'an end that is before the start',
      ['record', '--out', 'a.mp4', '--from', '3', '--to', '2'],
      /--to is 2: must be after the start, 3/,
    ],
    ['a start that is too early', ['record', '--out', 'a.mp4', '--from', '-1e9'], /--from is -1e9/],
    ['an SVG with a scale', ['still', '--at', '1', '--out', 'a.svg', '--scale', '2'], /--scale is 2: an SVG/],
    ['a filmstrip with captions', ['filmstrip', '--at', '1', '--out', 'a.png', '--no-captions'], /no-captions/],
    ['a still at several times', ['still', '--at', '1s,2s', '--out', 'a.png'], /--at is a list.*filmstrip/],
    ['a still without a time', ['still', '--out', 'a.png'], /--at is missing/],
    ['a filmstrip as SVG', ['filmstrip', '--at', '1s', '--out', 'a.svg'], /a\.svg: must end in \.png/],
    [
      'a threshold out of its limits',
      ['still', '--at', '1', '--out', 'a.png', '--recognisable', '0'],
      /--recognisable is 0: must be above 0 and at most 1$/m,
    ],
    [
      'thresholds in the wrong order',
      ['record', '--out', 'a.mp4', '--recognisable', '0.9'],
      /--good is 0\.88: must be 0\.9 \(recognisable\) to 1$/m,
    ],
    [
      'a threshold that is not a number',
      ['filmstrip', '--at', '1s,2s', '--out', 'a.png', '--good', 'most'],
      /--good is most: must be a number$/m,
    ],
    [
      'a loss that cannot be parsed',
      ['still', '--at', '1', '--out', 'a.png', '--loss', '14'],
      /--loss is "14": must be PANE:NUMBER, both from 1, like 2:14$/m,
    ],
    [
      '--reveal with a story',
      ['record', '--story', 'satellite', '--reveal', '--out', 'a.mp4'],
      /--story and --reveal exclude each other: the story decides this/,
    ],
    [
      '--loss with a story',
      ['record', '--story', 'satellite', '--loss', '1:1', '--out', 'a.mp4'],
      /--story and --loss exclude each other: the story decides this/,
    ],
    ['a scale out of its limits', ['still', '--at', '1', '--out', 'a.png', '--scale', '9'], /--scale is 9/],
  ])('%s', async (_, args, line) => {
    const {status, stdout, stderr} = await run(...args);
    expect({status, stdout}).toEqual({status: 2, stdout: ''});
    expect(stderr).toMatch(line);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('an existing file stays unchanged', async () => {
    const kept = file('kept.trace', 'mine');
    expect((await run('trace', '--set', 'path.loss=2', '--out', kept)).status).toBe(2);
    expect(existsSync(kept) && readFileSync(kept, 'utf8')).toBe('mine');
  });
});

describe('an output that cannot be written gives one line and exit code 2, and loses nothing:', () => {
  const noDevice = existsSync('/dev/full') ? '' : ' (skipped: there is no /dev/full)';
  describe.skipIf(noDevice !== '')(`standard output is full${noDevice}`, () => {
    test.each([
      ['a table', 'run --scenario small.json'],
      ['JSON', 'run --scenario small.json --json'],
      ['a trace', 'trace --scenario small.json --out -'],
      ['a capture', 'pcap --scenario small.json --out -'],
      ['a trace, by name', 'trace --scenario small.json --out /dev/full'],
      ['help', 'help'],
    ])('%s', (_, args) => {
      const {status, stderr} = shell(`${interleave} ${args} > /dev/full`);
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/^interleave: cannot write (standard output|\/dev\/full): the disk is full\n$/),
      ]);
    });
  });

  test('it is not an error if the reader closes the pipe', () => {
    for (const args of ['trace --scenario n07-movie --out -', 'run --scenario n07-movie --seeds 1-20 --json']) {
      const {status, stdout, stderr} = shell(`{ ${interleave} ${args}; echo $? >&2; } | head -c 5`);
      expect([status, stdout.length, stderr]).toEqual([0, 5, '0\n']);
    }
  });

  test('nothing crashes if standard error is full', () => {
    expect(shell(`${interleave} rum 2> /dev/full`).status).toBe(2);
  });

  test.each(['trace', 'pcap'])('%s reports the limit for the size of a file', command => {
    const kept = file(`limited.${command}`, 'mine');
    // the limit is in blocks of 512 or 1024 bytes; Node itself writes no file
    const {status, stderr} = shell(`ulimit -f 4; ${interleave} ${command} --scenario n07-movie --out ${kept}`);
    expect([status, stderr]).toEqual([
      2,
      `interleave: cannot write ${realpathSync(kept)}: the file is too large for the file system\n`,
    ]);
    expect(readFileSync(kept, 'utf8')).toBe('mine');
    expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toEqual([]);
  });

  const tmpfs = process.platform === 'linux' && process.getuid?.() === 0;
  test.skipIf(!tmpfs)(`a full disk${tmpfs ? '' : ' (skipped: needs root to make a small one)'}`, async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk]).status).toBe(0);
    try {
      for (const name of ['old.trace', 'old.pcapng']) {
        writeFileSync(join(disk, name), 'mine');
        const command = name.endsWith('trace') ? 'trace' : 'pcap';
        const {status, stderr} = await run(command, '--scenario', 'n07-movie', '--out', join(disk, name));
        expect(status).toBe(2);
        expect(stderr).toMatch(/^interleave: cannot write .*old.*: the disk is full\n$/);
        expect(readFileSync(join(disk, name), 'utf8')).toBe('mine');
      }
      expect(readdirSync(disk).sort()).toEqual(['old.pcapng', 'old.trace']);
      // the shell opened this file, so a part of it may remain, but the message says that the disk is full
      const redirected = shell(`${interleave} run --scenario n07-movie --seeds 1-9 --json > ${disk}/out.json`);
      expect([redirected.status, redirected.stderr]).toEqual([
        2,
        'interleave: cannot write standard output: the disk is full\n',
      ]);
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a command while it computes', async signal => {
  const page = join(folder, `page ${signal}`);
  mkdirSync(page);
  const pictures = ['1.png', '2.png', '3.png', '4.png'];
  const html = ['out.png', ...pictures].map(name => `<img src=${name}>`).join('');
  writeFileSync(join(page, 'index.html'), html);
  for (const name of pictures) {
    writeFileSync(join(page, name), '');
    truncateSync(join(page, name), 20_000_000);
  }
  symlinkSync('/etc/passwd', join(page, 'out.png'));
  const panes = Array.from({length: 6}, () => ({pipeline: 'sctp'}));
  const large = file(`large ${signal}.json`, JSON.stringify({page, panes, path: {mtuBytes: 576}}));
  const program = startTrace(large);
  const ended = once(program, 'exit');
  // the program names what is left out of the page right before the computation, which takes many seconds
  await once(program.stderr, 'data');
  await sleep(500);
  program.kill(signal);
  expect(await ended).toEqual([null, signal]);
});

test('SIGINT ends a command that waits for the reader of its output', async () => {
  const page = {synthetic: {indexBytes: 5000, objects: 20, objectBytes: 50_000}};
  const large = file('unread.json', JSON.stringify({page, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]}));
  const program = startTrace(large);
  const ended = once(program, 'exit');
  // the test reads the beginning of the output, and the rest does not fit into the pipe
  await once(program.stdout, 'readable');
  await sleep(500);
  expect(program.exitCode).toBe(null);
  program.kill('SIGINT');
  const [code] = await Promise.race([ended, sleep(10_000, ['it still waits'])]);
  program.kill('SIGKILL');
  expect(code).toBe(130);
});

/** Starts a command that writes the trace of a scenario to a pipe. */
function startTrace(scenario: string) {
  return spawn(process.execPath, [script, 'trace', '-s', scenario, '--out', '-'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a shell command in the folder that contains `small.json`. */
function shell(line: string) {
  return spawnSync('sh', ['-c', line], {encoding: 'utf8', cwd: folder, maxBuffer: 1e8});
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function succeed(...args: string[]): Promise<string> {
  return printed(await run(...args));
}

/** Runs a command line in a separate process, as people do. */
function succeedApart(...args: string[]): string {
  return printed(spawnSync(process.execPath, [script, ...args], {encoding: 'utf8', cwd: folder, maxBuffer: 1e8}));
}

function printed({status, stdout, stderr}: Ended): string {
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

/** Runs a command line in this process. */
function run(...args: string[]): Promise<Ended> {
  return runHere(folder, args);
}

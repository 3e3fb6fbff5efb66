import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Ended, runHere} from './testing/runHere.ts';

// Hostile input to the command line gives exit code 2 and one line, unless it can still be loaded.

const script = fileURLToPath(new URL('interleave.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'interleave-hostile-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** The name of a scenario file, its content, and the error message. */
const FILES: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
  ['empty.json', '', /empty\.json: is empty/],
  ['binary.json', Uint8Array.from({length: 5000}, (_, i) => i * 37), /binary\.json: not JSON: not UTF-8/],
  ['control.json', '\u001b]0;x\u0007\u009b2J', /control\.json: not JSON: .*\\u\{1b\}/],
  ['latin1.json', Uint8Array.from([0x7b, 0xe9, 0x7d]), /latin1\.json: not JSON: not UTF-8/],
  ['huge.json', `{"page": "${'x'.repeat(1e8)}"}`, /huge\.json: has 100000012 bytes \(at most 67108864\)/],
  ['long.json', `{"page": "${'x'.repeat(4e6)}"}`, /page: x{60}… has a name of 4000000 characters/],
  ['deep.json', deep(200_000), /deep\.json: nested more than 100 deep/],
  ['deepSeed.json', `{"seed": ${deep(200_000)}}`, /deepSeed\.json: nested more than 100 deep/],
  ['unclosed.json', '{"a":'.repeat(200_000), /unclosed\.json: nested more than 100 deep/],
  ['quotes.json', `{"page": "${'\\"'.repeat(1e6)}`, /quotes\.json: not JSON/],
  ['nul.json', '{"page": "\\u0000"}', /page: \\u\{0\} cannot exist: a name cannot contain U\+0000/],
  ['escape.json', '{"page": "\\u001b[2J\\u009b2J\\n"}', /page: \\u\{1b\}\[2J\\u\{9b\}2J\\u\{a\} is neither/],
  ['key.json', '{"\\u001b[2J": 1}', /\\u\{1b\}\[2J is not a setting/],
  ['list.json', '[]', /list\.json: the document is \[\]/],
];

const SCENARIO_COMMANDS = [
  ['run'],
  ['trace', '--out', 'a.trace'],
  ['pcap', '--out', 'a.pcapng'],
  ['qlog', '--out', 'a.sqlog'],
  ['har', '--out', 'a.har'],
  ['record', '--out', 'a.webm'],
  ['still', '--at', '1', '--out', 'a.png'],
  ['filmstrip', '--at', '1', '--out', 'a.png'],
];

describe('a scenario file', async () => {
  beforeAll(() => {
    for (const [name, content] of FILES) writeFileSync(join(folder, name), content);
  });

  test.each(FILES)('%s', async (name, _, line) => refused(await run('run', '--scenario', name), line));

  test('with a million unknown keys', async () => {
    const keys = Array.from({length: 1e6}, (_, i) => `"k${i}":0`).join();
    writeFileSync(join(folder, 'keys.json'), `{${keys}}`);
    refused(await run('run', '--scenario', 'keys.json'), /keys\.json: has \d+ bytes \(at most 4194304\)/);
    writeFileSync(join(folder, 'some.json'), `{${keys.slice(0, 1e6).replace(/,[^,]*$/, '')}}`);
    refused(await run('run', '--scenario', 'some.json'), /some\.json: k0 is not a setting of a scenario/);
  });

  test('that is a folder, a device, or a FIFO without a writer', async () => {
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    refused(await run('run', '--scenario', 'folder'), /folder: is a folder/);
    refused(await run('run', '--scenario', '/dev/zero'), /\/dev\/zero: is a device, not a file/);
    refused(await run('run', '--scenario', '/dev/null'), /\/dev\/null: is a device, not a file/);
    refused(await run('run', '--scenario', 'fifo'), /fifo: no data arrived in 5 s/);
  });

  test('that is a pipe with too much data, or without an end, is read only up to the limit', () => {
    const zeros = `head -c 100000000 /dev/zero | ${process.execPath} ${script} run --scenario /dev/stdin`;
    refused(shell(zeros), /\/dev\/stdin: has more than 67108864 bytes/);
    const endless = `yes | ${process.execPath} ${script} run --scenario /dev/stdin`;
    refused(shell(endless), /\/dev\/stdin: has more than 67108864 bytes/);
  });

  test('that is read from a pipe, or begins with a byte order mark, is accepted', async () => {
    const small = '{"page": {"synthetic": {"objects": 1}}}';
    writeFileSync(join(folder, 'bom.json'), `\ufeff${small}`);
    expect(await run('run', '--scenario', 'bom.json')).toMatchObject({status: 0, stderr: ''});
    const late = `(sleep 0.3; echo '${small}') | ${process.execPath} ${script} run --scenario /dev/stdin`;
    expect(shell(late)).toMatchObject({status: 0, stderr: ''});
  });

  test.each(SCENARIO_COMMANDS)('that cannot be loaded is refused by interleave %s', async (...command) => {
    refused(await run(...command, '--scenario', 'deepSeed.json'), /nested more than 100 deep/);
    refused(await run(...command, '--scenario', '/dev/zero'), /is a device/);
    refused(await run(...command, '--scenario', 'nul.json'), /a name cannot contain U\+0000/);
  });
});

describe('arguments', () => {
  test.each([
    ['a command of control characters', ['\u001b[2J'], /there is no command \\u\{1b\}\[2J/],
    ['an option of control characters', ['run', '--\u001b[2J'], /\\u\{1b\}/],
    ['a very long name of a scenario', ['run', '--scenario', 'x'.repeat(1e5)], /x{200}…: neither a preset nor a file/],
    [
      'a very long name of a page',
      ['run', '--set', `page=${'x'.repeat(9000)}`],
      /page: x{60}… has a name of 9000 char/,
    ],
    [
      'a very long key of a setting',
      ['run', '--set', `${'a.'.repeat(5e4)}b=1`],
      /--set .*…: has 100003 characters \(at most 10000\)/,
    ],
    ['a setting whose value is nested too deep', ['run', '--set', `seed=${deep(4000)}`], /seed is \[/],
    ['a setting of the prototype', ['run', '--set', '__proto__.x=1'], /__proto__/],
    [
      'a very long list of seeds',
      ['run', '--seeds', '9-'.repeat(3e4)],
      /^interleave: --seeds is 9-9.*…9.*: must be like 1-50/,
    ],
    ['seeds with control characters', ['run', '--seeds', '\u009b2J'], /--seeds is \\u\{9b\}2J/],
    ['an output path with control characters', ['trace', '--out', '/nowhere/\u001b[2J'], /\/nowhere\/\\u\{1b\}\[2J/],
  ] as const)('%s', async (_, args, line) => refused(await run(...args), line));
});

describe('a page', () => {
  test('that is a FIFO or is too large is refused', async () => {
    const page = join(folder, 'pages');
    mkdirSync(page);
    execFileSync('mkfifo', [join(page, 'index.html')]);
    for (const command of [['run'], ['trace', '--out', 'a.trace'], ['pcap', '--out', 'a.pcapng']]) {
      refused(await run(...command, '--set', `page=${page}`), /pages cannot be read: index\.html: it is a FIFO/);
    }
    rmSync(join(page, 'index.html'));
    writeFileSync(join(page, 'index.html'), '<img src=a.png>');
    writeFileSync(join(page, 'a.png'), '');
    truncateSync(join(page, 'a.png'), 2 ** 30);
    refused(await run('run', '--set', `page=${page}`), /is too large: \/a\.png has 1073741824 bytes/);
  });

  test('that is loaded only in part is reported, on standard error and in the result', async () => {
    const page = join(folder, 'most');
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), `<img src=out.png>${'<div>'.repeat(600)}`);
    symlinkSync('/etc/passwd', join(page, 'out.png'));
    const leftOut = [
      'index.html: it is cut at byte 2577 of 3017: its tags are nested more than 512 deep',
      '/out.png: it is a link that leads out of the folder',
    ];
    const {status, stdout, stderr} = await run('run', '--set', `page=${page}`, '--json');
    expect(stderr.split('\n')).toEqual([
      ...leftOut.map(line => `interleave: not all of the page is loaded: ${line}`),
      '',
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).page).toEqual({hash: expect.stringMatching(/^[0-9a-f]{64}$/), leftOut});
  });

  test('whose name has control characters is printed with escapes', async () => {
    const page = join(folder, 'a\u009b2Jb');
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), 'text');
    const {status, stdout} = await run('run', '--set', `page=${page}`, '--json');
    expect(status).toBe(0);
    expect(stdout).not.toContain('\u009b');
    expect(JSON.parse(stdout).scenario.page).toBe(page);
  });
});

function refused({status, stdout, stderr}: Ended, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr.length).toBeLessThan(1100);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters of terminals
  expect(stderr.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect({status, stdout}).toEqual({status: 2, stdout: ''});
}

/** Runs a command line in this process. */
function run(...args: string[]): Promise<Ended> {
  return runHere(folder, args);
}

function shell(line: string): Ended {
  return spawnSync('/bin/sh', ['-c', line], {encoding: 'utf8', cwd: folder, maxBuffer: 1e8});
}

import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {afterAll, expect, test} from 'vitest';
import {archiveProblems, readArchive} from '../../../../app/export/testing/harShape.ts';
import {logProblems, readLog} from '../../../../app/export/testing/qlogShape.ts';
import {decodeRun, encodeRun, MOST_FILE_BYTES, type Run} from '../../../../app/run/trace/runFile.ts';
import {program, programVersion} from '../../../files/program.ts';
import {readArguments} from '../../command.ts';
import {COMMANDS} from '../list.ts';
import {traceFile} from './trace.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'interleave-save-'));
afterAll(() => rmSync(folder, {recursive: true}));

/** Returns the file that the command writes for a load of n07-movie. */
async function written(name: string, file: string, ...args: readonly string[]): Promise<Uint8Array> {
  const command = COMMANDS.find(each => each.name === name);
  if (command === undefined) throw new Error(name);
  const out = join(folder, file);
  const context = {root, fixtures: join(root, 'fixtures/pages'), buildRenderer: async () => {}, write: async () => {}};
  const settings = readArguments(command, [...args, '--scenario', 'n07-movie', '--out', out]);
  expect(await command.run(settings, context)).toBe(0);
  return new Uint8Array(readFileSync(out));
}

async function text(name: string, file: string, ...args: readonly string[]): Promise<string> {
  return new TextDecoder().decode(await written(name, file, ...args));
}

test('qlog has the chosen pane and end, and by default the first pane and the server', async () => {
  const client = await text('qlog', 'a.sqlog', '--pane', '2', '--vantage', 'client');
  expect(logProblems(client, 'sctp')).toEqual([]);
  expect(readLog(client).header).toMatchObject({
    title: expect.stringMatching(/^gallery, SCTP classic, .*streams, seed \d+$/),
    trace: {vantage_point: {name: program(), type: 'client'}},
  });
  const usual = readLog(await text('qlog', 'usual.sqlog'));
  expect(usual.header).toMatchObject({
    title: expect.stringMatching(/^gallery, TCP classic, seed \d+$/),
    trace: {vantage_point: {type: 'server'}},
  });
  expect(usual.events[0]?.data).toMatchObject({details: {seed: expect.any(Number)}});
});

test('har has the chosen pane, and content only with --content', async () => {
  const archive = await text('har', 'a.har', '--pane', '2');
  expect(archiveProblems(archive)).toEqual([]);
  expect(readArchive(archive).log).toMatchObject({
    creator: {version: programVersion()},
    pages: [{title: expect.stringContaining('SCTP')}],
  });
  expect(archive).not.toContain('"text"');
  expect(await text('har', 'a.har', '--content')).toContain('"text"');
});

test('a file is compressed if its name ends in .gz', async () => {
  const packed = await written('har', 'a.har.gz');
  expect(new TextDecoder().decode(gunzipSync(packed))).toBe(await text('har', 'a.har'));
});

test('an unknown vantage or pane is refused, and the error names the known ones', async () => {
  await expect(written('qlog', 'a.sqlog', '--vantage', 'path')).rejects.toThrow(
    '--vantage is path: must be client or server',
  );
  await expect(written('har', 'a.har', '--pane', '3')).rejects.toThrow('--pane is 3: the scenario has 2');
  await expect(written('har', 'a.har', '--pane', 'x')).rejects.toThrow('--pane is x: must be 1 to 6');
});

test('a trace that is too large to be opened again is not written', () => {
  const runOf = (bytes: number) =>
    ({scenario: {}, panes: [], sources: [new Uint8Array(bytes)], program: program()}) as unknown as Run;
  const most = MOST_FILE_BYTES - encodeRun(runOf(0)).length - 16;
  expect(traceFile(runOf(most)).length).toBeLessThanOrEqual(MOST_FILE_BYTES);
  expect(() => traceFile(runOf(MOST_FILE_BYTES))).toThrow(
    /^the trace has 6710[89]\d{3} bytes, but only files of at most 67108864 bytes can be opened again: /,
  );
});

test('a trace and a capture name the program that wrote them', async () => {
  expect(decodeRun(await written('trace', 'a.trace'))).toMatchObject({run: {program: program()}});
  const capture = new TextDecoder('latin1').decode((await written('pcap', 'a.pcapng')).subarray(0, 200));
  expect(capture).toContain(program());
});

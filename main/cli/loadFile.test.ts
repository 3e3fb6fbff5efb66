import {fileURLToPath} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {archiveProblems, readArchive} from '../../app/export/testing/harShape.ts';
import {logProblems, readLog} from '../../app/export/testing/qlogShape.ts';
import {decodeRun, encodeRun, MOST_FILE_BYTES, type Run} from '../../app/run/trace/runFile.ts';
import {program, programVersion} from '../files/program.ts';
import {parseCommand} from './command.ts';
import {loadAsFile, pageOfFile, traceFile} from './loadFile.ts';
import {chosenScenario} from './scenarioFile.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the command writes to its `--out`. */
async function written(...args: readonly string[]): Promise<Uint8Array> {
  const command = parseCommand([...args, '--scenario', 'n07-movie']);
  const isKnown =
    command.name === 'qlog' || command.name === 'har' || command.name === 'trace' || command.name === 'pcap';
  if (!isKnown) throw new Error(`${command.name} writes no such file`);
  const scenario = chosenScenario(command);
  const page = await pageOfFile(command, scenario, `${root}fixtures/pages`);
  return loadAsFile(command, page, scenario);
}

async function text(...args: readonly string[]): Promise<string> {
  return new TextDecoder().decode(await written(...args));
}

test('qlog is of the pane and the end that are asked for, and of the first pane’s server', async () => {
  const client = await text('qlog', '--pane', '2', '--vantage', 'client', '--out', 'a.sqlog');
  expect(logProblems(client, 'sctp')).toEqual([]);
  expect(readLog(client).header).toMatchObject({
    title: expect.stringMatching(/^gallery, SCTP classic, .*streams, seed \d+$/),
    trace: {vantage_point: {name: program(), type: 'client'}},
  });
  const usual = readLog(await text('qlog', '--out', '-'));
  expect(usual.header).toMatchObject({trace: {vantage_point: {type: 'server'}}});
  expect(usual.events[0]?.data).toMatchObject({details: {seed: expect.any(Number)}});
});

test('har is of the pane that is asked for, with content if it is', async () => {
  const archive = await text('har', '--pane', '2', '--out', 'a.har');
  expect(archiveProblems(archive)).toEqual([]);
  expect(readArchive(archive).log).toMatchObject({
    creator: {version: programVersion()},
    pages: [{title: expect.stringContaining('SCTP')}],
  });
  expect(archive).not.toContain('"text"');
  expect(await text('har', '--content', '--out', 'a.har')).toContain('"text"');
});

test('either is packed where its file’s name says so', async () => {
  const packed = await written('har', '--out', 'a.har.gz');
  expect(new TextDecoder().decode(gunzipSync(packed))).toBe(await text('har', '--out', 'a.har'));
});

test('a vantage or a pane that there is not is an error that names it and what there is', async () => {
  await expect(written('qlog', '--vantage', 'path', '--out', '-')).rejects.toThrow(
    '--vantage is path: must be client or server',
  );
  await expect(written('har', '--pane', '3', '--out', '-')).rejects.toThrow('--pane is 3: the scenario has 2');
  await expect(written('har', '--pane', 'x', '--out', '-')).rejects.toThrow('--pane is x: must be 1 to 6');
});

test('no trace is written that would not be opened again', () => {
  const runOf = (bytes: number) =>
    ({scenario: {}, panes: [], sources: [new Uint8Array(bytes)], program: program()}) as unknown as Run;
  const most = MOST_FILE_BYTES - encodeRun(runOf(0)).length - 16;
  expect(traceFile(runOf(most)).length).toBeLessThanOrEqual(MOST_FILE_BYTES);
  expect(() => traceFile(runOf(MOST_FILE_BYTES))).toThrow(
    /^the trace has 6710[89]\d{3} bytes, and no file of more than 67108864 is opened again: /,
  );
});

test('a trace and a capture name the program that wrote them', async () => {
  expect(decodeRun(await written('trace', '--out', 'a.trace'))).toMatchObject({run: {program: program()}});
  const capture = new TextDecoder('latin1').decode((await written('pcap', '--out', 'a.pcapng')).subarray(0, 200));
  expect(capture).toContain(program());
});

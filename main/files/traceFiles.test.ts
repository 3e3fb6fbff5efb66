import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {afterAll, describe, expect, test} from 'vitest';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {traceOf} from '../../app/run/scenario/traceSettings.ts';
import {withTraceFiles} from './traceFiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-traces-'));
afterAll(() => rmSync(folder, {recursive: true}));

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(folder, name), content);
}

write('rates.csv', '0,1000000\n1,2000000\n');
write('mahimahi', gzipSync('1\n5\n'));
write('binary', Uint8Array.of(0xff, 0xfe, 0));
write('long', '1\n'.repeat(8_000_001));

describe('trace files', () => {
  test('are read from the folder of the document, wherever the document names them', () => {
    const document = withTraceFiles(
      {path: {down: {trace: {file: 'rates.csv', startMs: 500}}, up: {trace: {file: './mahimahi'}}}},
      folder,
    );
    const parsed = parseScenario(document);
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    const {down, up} = parsed.scenario.path;
    expect(down?.trace).toMatchObject({name: 'rates.csv', startMs: 500});
    expect(up?.trace?.name).toBe('mahimahi');
    if (!down?.trace || !up?.trace) return;
    expect(traceOf(down.trace, 'capacity', 'down')).toEqual({kind: 'steps', rows: [[0, 1e6], [1000, 2e6]], periodMs: 2000}); // biome-ignore format: two rows
    expect(traceOf(up.trace, 'capacity', 'up')).toEqual({kind: 'opportunities', timesMs: Uint32Array.of(1, 5)});
  });

  test('are read in axes of grids and in changes', () => {
    const grid = withTraceFiles({axes: {'path.down.trace': ['starlink', {file: 'rates.csv'}]}}, folder);
    expect(grid).toMatchObject({
      axes: {'path.down.trace': ['starlink', {name: 'rates.csv', packed: expect.any(String)}]},
    });
    const scenario = withTraceFiles({changes: [{atMs: 1, path: {up: {delayTrace: {file: 'rates.csv'}}}}]}, folder);
    expect(() => withTraceFiles(scenario, '/nowhere')).not.toThrow();
    expect(JSON.stringify(scenario)).toContain('packed');
  });

  test('leave all other keys alone', () => {
    const document = {file: 'rates.csv', page: {file: 'rates.csv'}, path: {down: {trace: 'starlink'}}};
    expect(withTraceFiles(document, folder)).toEqual(document);
  });

  test('that cannot be read are named with the reason', () => {
    const refusal = (file: unknown): string => {
      try {
        withTraceFiles({trace: {file}} as never, folder);
        return 'accepted';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refusal('missing')).toContain('missing: the trace file cannot be read (ENOENT)');
    expect(refusal('.')).toContain('is a folder');
    expect(refusal('/dev/zero')).toContain('is a device');
    expect(refusal('binary')).toContain('is no text (UTF-8)');
    expect(refusal('long')).toContain('has 16000002 bytes (at most 16000000)');
    expect(refusal(5)).toContain('must be a name');
    write('wrong', '1\nx\n');
    expect(refusal('wrong')).toContain('wrong: line 2 is "x"');
  });

  test('of one document are limited in number', () => {
    write('one', '1\n');
    const traces = Array.from({length: 101}, (_, at) => ({trace: {file: `${'./'.repeat(at)}one`}}));
    expect(() => withTraceFiles(traces, folder)).toThrow('more than 100');
    expect(() =>
      withTraceFiles(
        traces.map(() => ({trace: {file: 'one'}})),
        folder,
      ),
    ).not.toThrow();
  });
});

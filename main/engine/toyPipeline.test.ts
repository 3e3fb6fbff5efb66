import {describe, expect, test, vi} from 'vitest';
import {har} from '../../app/export/har.ts';
import {qlog} from '../../app/export/qlog.ts';
import {archiveProblems, readArchive} from '../../app/export/testing/harShape.ts';
import {logProblems, readLog} from '../../app/export/testing/qlogShape.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {pipelines} from '../../app/pipelines/index.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION, FATE} from '../../app/run/trace/columns.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {resultDocument, table} from '../cli/commands/run/result.ts';
import {scenarioHelp} from '../cli/scenarioHelp.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {runDocument} from '../workers/testing/runs.ts';

// These tests show that a new pipeline needs only its record and a line in the list. The part in the window is tested
// in renderer/run/panes/toyPipeline.test.tsx.

vi.mock(import('../../app/pipelines/list.ts'), async original => {
  const [{PIPELINES}, {toy}] = [await original(), await import('../../app/pipelines/testing/toyPipeline.ts')];
  return {PIPELINES: [...PIPELINES, toy] as never};
});

const SYNTHETIC = {indexBytes: 3000, headerBytes: 250, requestBytes: 200};
const RATE_BPS = 1_000_000;
const document = {
  page: {synthetic: {objects: 7, objectBytes: 9000}},
  path: {rateBps: RATE_BPS, rttMs: 100, loss: {down: {packets: [9, 14, 15, 22]}, up: 0}},
  panes: [{pipeline: 'toy', bufferBytes: 4096}, {pipeline: 'tcp'}],
};
const run = runDocument(document);
const [data, alone] = run.panes as [(typeof run.panes)[number], (typeof run.panes)[number]];
const trace = new Trace(data);

describe('a pipeline that is added to the list', () => {
  test('has its settings parsed, and the document of the scenario gives the same scenario again', () => {
    const parsed = parseScenario(document);
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    expect(parsed.scenario.panes[0]).toEqual({
      pipeline: 'toy',
      connections: 2,
      bufferBytes: 4096,
      pace: 'quick',
      eager: false,
    });
    expect(parseScenario(scenarioDocument(parsed.scenario))).toEqual(parsed);
    const wrong = (pane: object) => {
      const answer = parseScenario({panes: [pane]});
      return answer.ok ? [] : answer.problems.map(({message}) => message);
    };
    expect(wrong({pipeline: 'toy', connections: 7})).toEqual([
      'panes[0].connections is 7: must be a whole number from 1 to 6',
    ]);
    expect(wrong({pipeline: 'toy', pace: 'brisk', eager: 1})).toEqual([
      'panes[0].pace is "brisk": must be "quick" or "slow"',
      'panes[0].eager is 1: must be true or false',
    ]);
    expect(wrong({pipeline: 'toy', stream: 1})[0]).toMatch(/not a setting of a toy pane; known keys: pipeline, c/);
    const known = pipelines().map(({name}) => `"${name}"`);
    expect(known).toContain('"toy"');
    expect(wrong({pipeline: 'toi'})).toEqual([
      `panes[0].pipeline is "toi": must be ${known.join(' or ')}; did you mean "toy"?`,
    ]);
  });

  test('is loaded over all of its connections, round-robin', () => {
    expect(data).toMatchObject({pipeline: 'toy', outcome: 'complete', streams: 2});
    const {connections, objects} = data;
    expect(connections.map(({streams}) => streams)).toEqual([1, 1]);
    expect(new Set(connections.flatMap(({client, server}) => [client, server])).size).toBe(4);
    expect(objects.map(({connection}) => connection)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    expect(objects.every(({stream}) => stream === 0)).toBe(true);
    expect(new Set(data.packets.endpoint).size).toBe(4);
  });

  test('has its namespace and groups in a log, and its HTTP version in an archive', () => {
    const log = qlog(trace, {vantage: 'server', title: 'toy', scenario: document, program: 'p'});
    expect(logProblems(log, 'toy')).toEqual([]);
    const groups = readLog(log).events.map(event => event.group_id);
    expect(new Set(groups)).toEqual(new Set(['connection 1', 'connection 2']));
    const page = takeSnapshot(syntheticPage({...SYNTHETIC, ...document.page.synthetic}), []);
    const parsed = parseScenario(document);
    const pane = parsed.ok ? parsed.scenario.panes[0] : undefined;
    if (pane === undefined) throw new Error('no pane');
    const archive = har(trace, {page, pane, isLive: false, title: 'toy', version: '1', hasContent: false});
    expect(archiveProblems(archive)).toEqual([]);
    const versions = readArchive(archive).log.entries.flatMap(({request, response}) => [
      request.httpVersion,
      response.httpVersion,
    ]);
    expect(new Set(versions)).toEqual(new Set(['TOY/1']));
  });

  test('has one path for all of its connections', () => {
    const {packets} = data;
    const arrived = Array.from(packets.fate.keys())
      .filter(row => packets.direction[row] === DIRECTION.down && packets.fate[row] === FATE.delivered)
      .sort((a, b) => (packets.fateNs[a] ?? 0) - (packets.fateNs[b] ?? 0));
    for (const [i, row] of arrived.slice(1).entries()) {
      const sinceNs = (packets.fateNs[row] ?? 0) - (packets.fateNs[arrived[i] ?? 0] ?? 0);
      expect(sinceNs).toBeGreaterThanOrEqual(Math.floor(((packets.bytes[row] ?? 0) * 8e9) / RATE_BPS));
    }
    expect(trace.droppedPackets()).toHaveLength(4);
  });

  test('records each packet’s objects, and no connection waits for a lost packet of another', () => {
    const server = new Map(data.connections.map(({server}, connection) => [server, connection]));
    const received = data.objects.map(() => 0);
    for (const [packet, endpoint] of data.packets.endpoint.entries()) {
      if (data.packets.direction[packet] !== DIRECTION.down || trace.isRetransmission(packet)) continue;
      for (const {object, bytes} of trace.objectsOf(packet)) {
        expect(data.objects[object]?.connection).toBe(server.get(endpoint));
        received[object] = (received[object] ?? 0) + bytes;
      }
    }
    // These sizes include the headers of responses.
    expect(received).toEqual([3000, ...Array.from({length: 7}, () => 9250)]);
    for (const lost of trace.droppedPackets()) {
      const repaired = data.packets.fateNs.indexOf(trace.blockingOf(lost)?.repairedNs ?? Number.NaN);
      expect(trace.isRetransmission(repaired)).toBe(true);
      expect(data.packets.endpoint[repaired]).toBe(data.packets.endpoint[lost]);
    }
    const holds = trace.droppedPackets().map(packet => [packet, trace.blockingOf(packet)?.held ?? []] as const);
    expect(holds.some(([, held]) => held.length > 0)).toBe(true);
    for (const [packet, held] of holds) {
      const connection = server.get(data.packets.endpoint[packet] ?? -1);
      expect(held.filter(({object}) => data.objects[object]?.connection !== connection)).toEqual([]);
    }
  });

  test('is measured, sampled and saved', () => {
    const metrics = measure(data);
    expect(metrics.pipeline).toBe('toy');
    expect(metrics.pageTimeMs).toBeGreaterThan(0);
    expect(metrics.pageTimeMs).not.toBe(measure(alone).pageTimeMs);
    for (const connection of [0, 1]) expect(trace.samplesOf('server', connection).length).toBeGreaterThan(9);
    expect(trace.samplesOf('server', 1)).not.toEqual(trace.samplesOf('server', 0));
    expect(decodeRun(encodeRun(run))).toEqual({ok: true, run});
  });

  test('appears in help and tables', () => {
    expect(scenarioHelp()).toContain(`Settings of a pane with "pipeline": "toy":
  (what it is)          objects over several TCP connections (a stack of
                        bricks).
  connections           2, or 1 to 6: how many are opened.
  bufferBytes           null, or 2048 to 9000: of each server.
  pace                  quick, or slow: how fast it goes.
  eager                 false: is it.
`);
    const parsed = parseScenario(document);
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    const runs = [{seed: 1, panes: run.panes.map(data => measure(data))}];
    const result = resultDocument(parsed.scenario, {hash: '', leftOut: []}, runs, []);
    expect(result.summary.map(({pipeline}) => pipeline)).toEqual(['toy', 'tcp']);
    expect(table(result, parsed.scenario)).toContain('1 Toy');
  });
});

import {expect, test} from 'vitest';
import {readLog} from '../../../app/export/testing/qlogShape.ts';
import type {CaptureAnswer} from '../../../app/host/contract.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {ShownRun} from '../../session/loads.ts';
import {paneLog} from './paneLog.ts';

// e2e/controls.test.ts compares the packets in a log of HTTP/3 with those that the command line writes.

function runOf(pipeline: 'h3' | 'tcp', path: object = {}): ShownRun {
  const parsed = parseScenario({panes: [{pipeline}], path});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const page = {name: 'page', objects: [], headerBytes: 0, requestBytes: 0, hash: 'h', leftOut: []};
  const trace = new Trace({...smallTrace(), pipeline});
  return {scenario: parsed.scenario, page, traces: [trace], metrics: []};
}

async function logOf(run: ShownRun, answer?: CaptureAnswer) {
  let asked = 0;
  const captureOf = async () => {
    asked += 1;
    if (answer === undefined) throw new Error('not asked');
    return answer;
  };
  const log = await paneLog(run, 0, {vantage: 'server', program: 'p', captureOf});
  return {log, asked, names: log.ok ? readLog(log.text).events.map(({name}) => name) : []};
}

test('packets are requested only for computed HTTP/3 panes', async () => {
  const live = runOf('h3', {live: '127.0.0.1:9899', fingerprint: 'a'.repeat(64)});
  expect((await logOf(runOf('tcp'))).names).toContain('tcp:packet_sent');
  expect((await logOf(live)).names).toContain('h3:packet_sent');
  expect((await logOf(runOf('h3'), {ok: true, capture: captureOf(runOf('h3'))})).asked).toBe(1);
});

test('packets that do not belong to the trace are left out', async () => {
  const run = runOf('h3');
  const capture = captureOf(run);
  expect((await logOf(run, {ok: true, capture})).names).not.toContain('h3:packet_sent');
  const [first] = run.traces[0]?.data.packets.bytes ?? [];
  for (const other of [capture.subarray(blockBytes(first ?? 0)), captureOf(run, 4)])
    expect((await logOf(run, {ok: true, capture: other})).names).toContain('h3:packet_sent');
});

test('the log reports that the host cannot give the packets', async () => {
  const refusal = {ok: false, problems: [], message: 'gone'} as const;
  expect((await logOf(runOf('h3'), refusal)).log).toEqual(refusal);
});

/** A capture of empty packets with the lengths in the trace; the first packet is `more` bytes longer. */
function captureOf({traces}: ShownRun, more = 0): Uint8Array {
  const sizes = [...(traces[0]?.data.packets.bytes ?? [])].map((size, row) => (row === 0 ? size + more : size));
  const file = new Uint8Array(sizes.reduce((sum, size) => sum + blockBytes(size), 0));
  const view = new DataView(file.buffer);
  let at = 0;
  for (const size of sizes) {
    view.setUint32(at, 6, true);
    view.setUint32(at + 4, blockBytes(size), true);
    view.setUint32(at + 20, size, true);
    at += blockBytes(size);
  }
  return file;
}

/** The size of an enhanced packet block, bytes. */
function blockBytes(size: number): number {
  return 32 + Math.ceil(size / 4) * 4;
}

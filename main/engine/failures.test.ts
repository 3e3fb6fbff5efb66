import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../app/base/bytes.ts';
import {assemblePage} from '../../app/page/assemble.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {summarise} from '../../app/run/metrics/paneSummary.ts';
import {findPreset} from '../../app/run/scenario/presets.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {runDocument} from '../workers/testing/runs.ts';
import {load} from './load.ts';

// These tests load objects that are too large to send. Each failure has its kind, the limits for addresses are the same
// in all panes, and nothing throws.

const PANES = [
  {pipeline: 'tcp'},
  {pipeline: 'sctp', streams: 4},
  {pipeline: 'sctp', streams: 4, fragmentation: false},
  {pipeline: 'sctp', streams: 4, server: 'interleaving'},
];

describe('an address', () => {
  const path = {rateBps: 10_000_000, rttMs: 20, loss: 0};

  test.each([16_000, 33_000, 100_000, 900_000])('of %i bytes gives the same failure in all panes', bytes => {
    const long = `/${'x'.repeat(bytes - 1)}`;
    const html = `<img src=1.jpg><img src="${long}"><img src=2.jpg>`;
    const page = assemblePage('p', bytesOf(html), url => (url === long ? undefined : new Uint8Array(5000)));
    const {panes} = load(takeSnapshot(page, []), scenario({path, panes: PANES}), 1);
    // An address of 16,000 bytes is requested, but does not exist.
    const isAsked = bytes === 16_000;
    for (const trace of panes) {
      expect(trace.objects.map(({failure}) => failure?.kind ?? null)).toEqual([
        null,
        null,
        isAsked ? 'status' : 'too-large',
        null,
      ]);
      expect(trace).toMatchObject({outcome: 'complete', reason: null});
      expect(trace.objects[2]?.requestNs === null).toBe(!isAsked);
      expect(measure(trace)).toMatchObject({missing: 1, pageTimeMs: expect.any(Number)});
    }
    expect(new Set(panes.map(trace => JSON.stringify(trace.objects[2]?.failure))).size).toBe(1);
  });

  test('that is too long to request is a failure even if its object exists', () => {
    const page = assemblePage('p', bytesOf(`<img src="1.jpg?${'x'.repeat(40_000)}">`), () => new Uint8Array(5000));
    for (const trace of load(takeSnapshot(page, []), scenario({path, panes: PANES}), 1).panes) {
      expect(trace.objects[1]).toMatchObject({bytes: 0, failure: {kind: 'too-large', what: 'request'}});
    }
  });
});

describe('an object', () => {
  test('in one message that is larger than the send buffer is a failure', () => {
    const movie = findPreset('n07-movie')?.scenario as {panes: readonly object[]};
    const [tcp, sctp] = movie.panes;
    const panes = [tcp, {...sctp, fragmentation: false, sendBuffer: {bytes: 4096}}];
    const runs = [1, 2].map(seed => {
      const {panes: traces} = runDocument({...movie, panes, seed} as never);
      return {seed, traces, panes: traces.map(data => measure(data))};
    });
    for (const {traces, panes} of runs) {
      const failures = (traces[1] as TraceData).objects.flatMap(({failure}) => failure ?? []);
      expect(failures.length).toBeGreaterThan(8);
      for (const failure of failures) {
        expect(failure).toMatchObject({kind: 'too-large', what: 'message', limitBytes: 4096});
      }
      const nothing = {25: null, 50: null, 75: null, 100: null};
      expect(panes[1]).toMatchObject({
        outcome: 'partial',
        pageTimeMs: null,
        silentMs: null,
        pPageMs: nothing,
      });
      expect(panes[1]?.reason).toMatch(/^\d+ of 12 objects failed: message of \d+ B \(at most 4096 B\)$/);
      expect(panes[0]).toMatchObject({outcome: 'complete', pageTimeMs: expect.any(Number)});
    }
    const [, summary] = summarise(runs);
    expect(summary).toMatchObject({complete: 0, pageTimeMs: {n: 0}, againstFirst: {runs: 0, ratio: null}});
    expect(summary?.leftOut.flatMap(({seeds}) => seeds)).toEqual([1, 2]);
  });

  test('larger than SCTP’s limit for one message fails if it is one message, and arrives in the other panes', () => {
    const page = {synthetic: {objects: 2, objectBytes: 2 ** 21 + 1}};
    const [tcp, fragmented, whole] = runDocument({
      page,
      path: {rateBps: 1e9, rttMs: 10},
      panes: PANES.slice(0, 3),
    }).panes;
    expect([tcp, fragmented].map(trace => trace?.outcome)).toEqual(['complete', 'complete']);
    expect(whole?.outcome).toBe('partial');
    expect(whole?.objects[1]?.failure).toMatchObject({kind: 'too-large', limitBytes: 2 ** 21});
  });

  test('in messages larger than the send buffer fails, and its page has the outcome partial', () => {
    const [tcp, sctp] = runDocument({
      page: {synthetic: {objects: 2}},
      panes: [
        {pipeline: 'tcp', sendBuffer: {bytes: 1024}},
        {pipeline: 'sctp', sendBuffer: {bytes: 1024}},
      ],
    }).panes;
    expect(tcp?.outcome).toBe('complete');
    expect(sctp).toMatchObject({
      outcome: 'partial',
      reason: expect.stringMatching(/^1 of 3 .* \(at most 1024 B\)$/),
    });
  });

  test('without bytes, and an object exactly at the limit, arrive in all panes', () => {
    const path = {rateBps: 1e9, rttMs: 10};
    const largest = {synthetic: {objects: 2, objectBytes: 2 ** 21 - 250}};
    for (const page of [{synthetic: {objects: 3, objectBytes: 0}}, largest]) {
      const {panes} = runDocument({page, path, panes: PANES});
      expect(panes.map(({outcome}) => outcome)).toEqual(['complete', 'complete', 'complete', 'complete']);
    }
  });

  test('with the largest GET and the largest header arrives through the smallest buffers', () => {
    const page = {
      synthetic: {indexBytes: 12_000, objects: 3, objectBytes: 100, headerBytes: 8192, requestBytes: 8192},
    };
    const sendBuffer = {bytes: 1024};
    const panes = [
      {pipeline: 'tcp', sendBuffer},
      {pipeline: 'sctp', streams: 2, sendBuffer, messageBytes: 1000},
    ];
    const {panes: traces} = runDocument({page, path: {rateBps: 1e7, rttMs: 10}, panes});
    expect(traces.map(({outcome}) => outcome)).toEqual(['complete', 'complete']);
  });
});

describe('a connection that ends while HTTP still has something to write', () => {
  test.each([
    ['HTTP/2', {panes: [{pipeline: 'h2', sendBuffer: {bytes: 1024}}], path: {loss: 0.3}, seed: 68}],
    [
      'HTTP/1.1 and TLS',
      {
        panes: [{pipeline: 'tcp', tls: true, sendBuffer: {objects: 1}}],
        path: {loss: 0.5},
        seed: 42,
        serverThinkMs: 3000,
        timeLimitMs: 600_000,
      },
    ],
  ])('gives an outcome: %s', (_, document) => {
    const [trace] = runDocument(document).panes;
    expect(['aborted', 'time-limit']).toContain(trace?.outcome);
  });
});

function scenario(document: object): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

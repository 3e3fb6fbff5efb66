import {describe, expect, test} from 'vitest';
import {type LinkTrace, MOST_OPPORTUNITIES, meanValue, periodMs} from './linkTrace.ts';
import {gapsText, packedTrace, unpackedTrace} from './packedTrace.ts';
import {SHIPPED_TRACES, shippedNames, shippedTrace} from './shippedTraces.ts';
import {readTraceText, type TraceOf} from './traceFile.ts';

function read(text: string, of: TraceOf = 'capacity'): LinkTrace {
  const answer = readTraceText(text, of);
  if (!answer.ok) throw new Error(answer.message);
  return answer.trace;
}

function refusal(text: string, of: TraceOf = 'capacity'): string {
  const answer = readTraceText(text, of);
  return answer.ok ? 'accepted' : answer.message;
}

describe('a file in the format of Mahimahi', () => {
  test('has the time of a delivery opportunity in each line', () => {
    expect(read('0\n3\n3\r\n17\n')).toEqual({kind: 'opportunities', timesMs: Uint32Array.of(0, 3, 3, 17)});
  });

  test('is refused, and the message names the line and the limit', () => {
    expect(refusal('')).toBe('is empty');
    expect(refusal('1\n\n2')).toBe('line 2 is "": must be a time in whole ms, at most 86400000');
    expect(refusal('1\n2.5')).toBe('line 2 is "2.5": must be a time in whole ms, at most 86400000');
    expect(refusal('1\n86400001')).toContain('line 2');
    expect(refusal('5\n4')).toBe('line 2 is "4": must be at least 5, the time of the line before it');
    expect(refusal('0\n0')).toBe('ends at 0 ms: the last time must be later');
    expect(refusal('1\n'.repeat(MOST_OPPORTUNITIES + 1))).toBe('has 2000001 lines (at most 2000000)');
    expect(refusal('1\n2', 'delay')).toBe('line 1 has no comma: must be TIME,DELAY');
  });
});

describe('a CSV file', () => {
  test('has times in seconds and values in bits per second, and the trace begins at the first time', () => {
    expect(read('10, 1e6\n10.5,2000000\n12,0')).toEqual({
      kind: 'steps',
      rows: [
        [0, 1e6],
        [500, 2e6],
        [2000, 0],
      ],
      periodMs: 3500,
    });
  });

  test('has times in ms if its heading says so', () => {
    expect(read('time_ms;bps\n0;5\n20;6')).toEqual({kind: 'steps', rows: [[0, 5], [20, 6]], periodMs: 40}); // biome-ignore format: two rows
    expect(read('time,bps\n0,5')).toEqual({kind: 'steps', rows: [[0, 5]], periodMs: 1000});
  });

  test('times are rounded to whole µs, so that decimal fractions have exact differences', () => {
    const trace = read('0.1,1\n0.2,2\n0.3,3\n0.4,4');
    expect(trace).toMatchObject({rows: [[0, 1], [100, 2], [200, 3], [300, 4]], periodMs: 400}); // biome-ignore format: four rows
  });

  test('is refused, and the message names the line or the time, and the limit', () => {
    expect(refusal('0,1\n1,2,3')).toBe('line 2 is "1,2,3": must be TIME,BITS-PER-SECOND');
    expect(refusal('0,1\n1,', 'delay')).toBe('line 2 is "1,": must be TIME,DELAY-IN-MS');
    expect(refusal('0,1\n1,0x10')).toContain('line 2');
    expect(refusal('0,1\n1,2\n1,3')).toBe('the time 1000 ms follows 1000 ms: times must increase');
    expect(refusal('0,1\n1,-2')).toBe('the value at 1000 ms is -2: must be 0 to 1000000000000');
    expect(refusal('0,1\n1,1e13')).toContain('must be 0 to 1000000000000');
    expect(refusal('0,4e6', 'delay')).toContain('must be 0 to 3600000');
    expect(refusal('0,0\n1,0')).toBe('all its values are 0');
    expect(refusal('time,bps')).toBe('there are no values');
    expect(refusal('0,1\n86400,2')).toContain('must be at most 86400000 ms');
    expect(refusal(Array.from({length: 100_001}, (_, row) => `${row / 1000},5`).join('\n'))).toContain(
      'at most 100000',
    );
  });
});

describe('a packed trace', () => {
  test('gives the same trace back, with gaps of any length', () => {
    const opportunities = read('0\n0\n56\n113\n1000\n');
    expect(gapsText(Uint32Array.of(0, 0, 56, 113, 1000))).toBe('##[]#]]]]]]]]]]]]]]]C');
    for (const trace of [opportunities, read('0,1\n0.25,3')]) {
      expect(unpackedTrace(packedTrace(trace), 'capacity')).toEqual({ok: true, trace});
    }
    expect(unpackedTrace(packedTrace(opportunities), 'delay').ok).toBe(false);
  });

  test('that is damaged, inconsistent or too large is refused', () => {
    const packed = (value: unknown): string => packedTrace({...(value as object), kind: 'steps'} as LinkTrace);
    for (const [text, message] of [
      ['', 'is not a packed trace'],
      ['%', 'is not a packed trace'],
      [packedTrace(read('0,1')).slice(0, -6), 'is not a packed trace'],
      [packed({rows: 5, periodMs: 1}), 'is not a packed trace'],
      [packed({rows: [[0, '1']], periodMs: 1}), 'is not a packed trace'],
      [packed({rows: [[0, 1]], periodMs: null}), 'is not a packed trace'],
      [packed({rows: [[1, 1]], periodMs: 2}), 'the first time is 1 ms: must be 0'],
      [packed({rows: [[0, 1]], periodMs: 0}), 'it lasts 0 ms: must be more than 0 ms, the time of its last value'],
      [packed({rows: [[0, 1]], periodMs: 1, filler: 'x'.repeat(5e6)}), 'contains more than'],
      ['A'.repeat(1_000_001), 'has 1000001 characters'],
    ] as const) {
      expect(unpackedTrace(text, 'capacity')).toMatchObject({ok: false, message: expect.stringContaining(message)});
    }
  });
});

describe('the shipped traces', () => {
  test('have a capacity in both directions, and last a minute', () => {
    for (const {name} of SHIPPED_TRACES) {
      for (const direction of ['down', 'up'] as const) {
        const trace = shippedTrace(name, 'capacity', direction);
        expect(trace, name).toBeDefined();
        if (trace === undefined) continue;
        expect(periodMs(trace)).toBe(60_000);
        expect(meanValue(trace), name).toBeGreaterThan(100_000);
      }
    }
    expect(SHIPPED_TRACES.length).toBeGreaterThanOrEqual(6);
  });

  test('the capacity of starlink drops to 0 every 15 s, and the delay changes there', () => {
    expect(shippedNames('delay')).toEqual(['starlink']);
    const of = (atMs: number, what: TraceOf): number => {
      const trace = shippedTrace('starlink', what, 'down');
      return trace?.kind === 'steps' ? (trace.rows.findLast(([time]) => time <= atMs)?.[1] ?? -1) : -1;
    };
    expect([15_000, 30_000, 45_000].map(atMs => of(atMs, 'capacity'))).toEqual([0, 0, 0]);
    const means = [5000, 20_000, 35_000, 50_000].map(atMs => Math.round(of(atMs, 'delay')));
    expect(new Set(means).size).toBeGreaterThan(2);
  });
});

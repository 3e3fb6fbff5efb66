import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Failure, failureText} from './failure.ts';
import {decodeRun, encodeRun, type Run} from './runFile.ts';
import {smallTrace} from './smallTrace.ts';

const run = {scenario: {page: 'gallery', title: 'Größe ≥ 1'}, panes: [smallTrace(), smallTrace()]};

describe('a trace file', () => {
  test('comes back equal, columns and all, from anywhere in memory', () => {
    const file = encodeRun(run);
    expect(decodeRun(file)).toEqual({ok: true, run});
    const shifted = new Uint8Array(file.length + 3);
    shifted.set(file, 3);
    expect(decodeRun(shifted.subarray(3))).toEqual({ok: true, run});
  });

  test('of another version is refused by name', () => {
    const file = encodeRun(run);
    file[8] = 9;
    expect(decodeRun(file)).toEqual({
      ok: false,
      message: 'trace file of version 9 (this program reads version 2; interleave trace makes one)',
    });
  });

  test('has failures as they are, and no others', () => {
    const failures: readonly Failure[] = [
      {kind: 'status', status: 404},
      {kind: 'too-large', what: 'header', bytes: null, limitBytes: 16_384},
      {kind: 'malformed', what: 'Content-Length'},
      {kind: 'surplus', bytes: 3},
      {kind: 'aborted', reason: 'data-timeout', bytes: 4, ofBytes: 9},
      {kind: 'time-limit', limitMs: 1000, bytes: 0, ofBytes: null},
    ];
    const failed = (failure: unknown): Run => {
      const trace = smallTrace();
      const objects = trace.objects.map(object => ({...object, failure: failure as Failure | null}));
      return {...run, panes: [{...trace, objects}]};
    };
    for (const each of failures) {
      expect(decodeRun(encodeRun(failed(each)))).toEqual({ok: true, run: failed(each)});
      expect(failureText(each)).not.toBe('');
    }
    const unknown = {ok: false, message: 'damaged trace file: an unknown failure'};
    for (const each of [
      'status 404',
      7,
      {},
      {kind: 'status'},
      {kind: 'toString'},
      {kind: 'malformed', what: 'x'},
    ]) {
      expect(decodeRun(encodeRun(failed(each)))).toEqual(unknown);
    }
  });

  test('that is none, or is cut anywhere, is refused', () => {
    const file = encodeRun(run);
    expect(decodeRun(new TextEncoder().encode('{"page": "gallery"}'))).toMatchObject({ok: false});
    fc.assert(
      // the last column has its padding behind it
      fc.property(fc.nat(file.length - 8), bytes => {
        expect(decodeRun(file.subarray(0, bytes)).ok).toBe(false);
      }),
    );
  });

  test('that is damaged anywhere is read or refused, and never crashes', () => {
    const file = encodeRun(run);
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(255), (at, byte) => {
        expect(decodeRun(file.with(at, byte))).toHaveProperty('ok');
      }),
    );
  });
});

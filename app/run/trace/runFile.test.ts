import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {crc32} from '../../base/bytes.ts';
import type {Json} from '../../base/json.ts';
import {type Failure, failureText} from '../../page/failure.ts';
import {pipelines} from '../../pipelines/index.ts';
import {decodeRun, encodeRun, type Run} from './runFile.ts';
import {smallTrace} from './testing/smallTrace.ts';
import type {TraceData} from './traceData.ts';

const run = {scenario: {page: 'gallery', title: 'Größe ≥ 1'}, panes: [smallTrace(), smallTrace()]};

describe('a trace file', () => {
  test('is decoded into an equal run, from any offset in memory', () => {
    const file = encodeRun(run);
    expect(decodeRun(file)).toEqual({ok: true, run});
    const shifted = new Uint8Array(file.length + 3);
    shifted.set(file, 3);
    expect(decodeRun(shifted.subarray(3))).toEqual({ok: true, run});
    expect(decodeRun(new ReadByNode(file))).toEqual({ok: true, run});
  });

  test('of another version is refused, and the message names the version', () => {
    const file = encodeRun(run);
    file[8] = 9;
    expect(decodeRun(file)).toEqual({
      ok: false,
      message:
        'trace file of version 9, but this program reads versions 4 and 5; the command interleave trace makes a new file',
    });
  });

  test('may contain known failures, but no others', () => {
    const failures: readonly Failure[] = [
      {kind: 'status', status: 404},
      {kind: 'too-large', what: 'header', bytes: null, limitBytes: 16_384},
      {kind: 'malformed', what: 'Content-Length'},
      {kind: 'surplus', bytes: 3},
      {kind: 'aborted', reason: 'data-timeout', bytes: 4, ofBytes: 9},
      {kind: 'time-limit', limitMs: 1000, bytes: 0, ofBytes: null},
      {kind: 'work-limit', what: 'packets', limit: 9, bytes: 0, ofBytes: null},
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
    const unknown = {ok: false, message: 'damaged trace file: an object has an unknown failure'};
    for (const each of [
      undefined,
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

  test('of an unknown pipeline is refused, and the message names the pipeline', () => {
    const known = pipelines().map(({name}) => name);
    const pane = {...smallTrace(), pipeline: 'catp\u001b' as TraceData['pipeline']};
    expect(decodeRun(encodeRun({...run, panes: [smallTrace(), pane]}))).toEqual({
      ok: false,
      message: `trace file of pipeline "catp\\u001b" (this program has ${known.join(', ')})`,
    });
  });

  test('with an unknown conversion is refused, and the message names the conversion', () => {
    const as = (conversion: string) => ({...smallTrace(), conversion: conversion as 'webp'});
    expect(decodeRun(encodeRun({...run, panes: [as('webp')]}))).toMatchObject({ok: true});
    expect(decodeRun(encodeRun({...run, panes: [smallTrace(), as('gif')]}))).toEqual({
      ok: false,
      message: 'trace file with pictures converted to "gif" (known: progressive, webp, avif)',
    });
  });

  test('is refused if it does not begin like a trace file', () => {
    for (const bytes of [[], [...'{"page": "gallery"}'], [...'ILTRACE\n']]) {
      const file = new TextEncoder().encode(bytes.join(''));
      expect(decodeRun(file)).toEqual({ok: false, message: 'not a trace file'});
    }
  });

  test('with one damaged byte anywhere is refused', () => {
    const file = encodeRun(run);
    for (let at = 0; at < file.length; at++) {
      for (const bits of [1 << (at % 8), 0xff]) {
        const damaged = decodeRun(file.with(at, (file[at] ?? 0) ^ bits));
        expect(damaged, `byte ${at}`).toEqual({
          ok: false,
          message: expect.stringMatching(/^(damaged |not a )?trace file/),
        });
      }
    }
    expect(decodeRun(file.with(30, 0))).toEqual({
      ok: false,
      message: expect.stringMatching(/^damaged trace file: its checksum is [0-9a-f]{8} instead of [0-9a-f]{8}$/),
    });
  });

  test('that is truncated anywhere or too long is refused', () => {
    const file = encodeRun(run);
    for (let bytes = 0; bytes < file.length; bytes++) {
      expect(decodeRun(file.subarray(0, bytes)).ok, `${bytes} bytes`).toBe(false);
    }
    const longer = new Uint8Array(file.length + 1);
    longer.set(file);
    expect(decodeRun(longer)).toEqual({
      ok: false,
      message: `damaged trace file: it has ${file.length + 1} bytes instead of ${file.length}`,
    });
  });

  test('whose columns overlap, or that has no scenario, is refused', () => {
    const copies = Array.from({length: 1000}, () => ({$column: ['u8', 0, 8]}));
    expect(decodeRun(encodeRun({...run, scenario: copies as unknown as Json}))).toEqual({
      ok: false,
      message: 'damaged trace file: its columns overlap',
    });
    expect(decodeRun(encodeRun({panes: run.panes} as unknown as Run))).toEqual({
      ok: false,
      message: 'damaged trace file: no scenario',
    });
  });

  test('with invalid content and a valid checksum causes no exception', () => {
    const file = encodeRun(run);
    fc.assert(
      fc.property(fc.integer({min: 24, max: file.length - 1}), fc.nat(255), (at, byte) => {
        const forged = file.with(at, byte);
        const checksum = crc32(forged.subarray(0, 20), forged.subarray(24));
        new DataView(forged.buffer).setUint32(20, checksum, true);
        expect(decodeRun(forged)).toHaveProperty('ok');
      }),
    );
  });
});

/** Like Node's Buffer, whose `slice` does not copy. */
class ReadByNode extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end) as Uint8Array<ArrayBuffer>;
  }
}

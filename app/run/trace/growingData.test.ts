import {afterEach, describe, expect, test, vi} from 'vitest';
import {GrowingTable} from './growingData.ts';

afterEach(() => vi.restoreAllMocks());

describe('a table that grows', () => {
  test('contains all rows, and does not change the given arrays', () => {
    const given = {a: Uint8Array.of(1, 2), b: Float64Array.of(0.5, 1.5)};
    const table = new GrowingTable(given);
    expect(table.columns).toBe(given);
    table.set('a', 1, 9);
    expect(table.columns.a).toEqual(Uint8Array.of(1, 9));
    table.append({a: Uint8Array.of(3), b: Float64Array.of(2.5)});
    table.set('b', 0, 7);
    expect(table.columns).toEqual({a: Uint8Array.of(1, 9, 3), b: Float64Array.of(7, 1.5, 2.5)});
    expect(given).toEqual({a: Uint8Array.of(1, 2), b: Float64Array.of(0.5, 1.5)});
  });

  test('copies fewer than four values per row in total, even if rows are appended one by one', () => {
    const table = new GrowingTable({a: new Uint32Array(0)});
    const set = vi.spyOn(Object.getPrototypeOf(Uint32Array.prototype), 'set');
    const rows = 5000;
    for (let row = 0; row < rows; row++) table.append({a: Uint32Array.of(row)});
    const copied = set.mock.calls.reduce((sum, [source]) => sum + (source as Uint32Array).length, 0);
    expect(copied).toBeLessThan(4 * rows);
    expect(table.columns.a).toEqual(Uint32Array.from({length: rows}, (_, row) => row));
  });

  test('rejects columns of different lengths, and columns of another type', () => {
    const table = new GrowingTable<{a: Uint8Array | Uint16Array; b: Uint8Array}>({
      a: new Uint8Array(1),
      b: new Uint8Array(1),
    });
    expect(() => table.append({a: new Uint8Array(2), b: new Uint8Array(3)})).toThrow(
      new RangeError('invalid columns: one has 2 rows, another has 3'),
    );
    expect(() => table.append({a: new Uint16Array(1), b: new Uint8Array(1)})).toThrow(
      new TypeError('invalid column a: Uint16Array (must be Uint8Array)'),
    );
    expect(table.columns.b).toHaveLength(1);
  });
});

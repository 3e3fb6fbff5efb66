import {describe, expect, test} from 'vitest';
import {PAPERS} from './list.ts';
import {toyGrid, toyResults} from './testing/toyResults.ts';

describe.each(PAPERS.map(paper => [paper.name, paper] as const))('%s', (_, paper) => {
  test('has valid grids with distinct names', () => {
    expect(new Set(paper.grids.map(({name}) => name)).size).toBe(paper.grids.length);
    for (const grid of paper.grids) {
      expect(grid.name).toMatch(/^[a-z0-9-]+$/);
      expect(() => toyGrid(grid)).not.toThrow();
    }
  });

  test('finds all cells of its claims and tables in its grids, and its reasons end with a full stop', () => {
    const results = toyResults(paper, () => ({mean: 1000, half: 10}));
    for (const {rows, why} of paper.claims) {
      expect(rows(results).length).toBeGreaterThan(0);
      for (const sentence of why(results)) expect(sentence.endsWith('.')).toBe(true);
    }
    for (const {columns, rows} of paper.tables(results)) {
      expect(rows.every(row => row.length === columns.length)).toBe(true);
    }
  });
});

import {describe, expect, test} from 'vitest';
import {c03} from './c03.ts';
import {NOTHING, rowsOf, type ToyMeans, toyResults, verdictsOf} from './toyResults.ts';

describe('C03', () => {
  const silence = (low: number, high: number): ToyMeans => {
    return (grid, axes, pane) => {
      if (grid !== 'silence' || pane !== 1) return NOTHING;
      return {mean: {0.01: low, 0.1: high}[Number(axes['path.loss'])] ?? 0, half: 1};
    };
  };

  test('TCP’s silence at 10 % is longer than at 1 %, by both measures and of both pages', () => {
    expect(verdictsOf(rowsOf(c03, 'TCP’s silent time grows', silence(100, 1000)))).toEqual(
      Array.from({length: 4}, () => 'agrees'),
    );
    expect(verdictsOf(rowsOf(c03, 'TCP’s silent time grows', silence(1000, 100)))).toEqual(
      Array.from({length: 4}, () => 'differs'),
    );
  });

  test('what is said of CATP, of UDP and of other pages is open', () => {
    const results = toyResults(c03, () => NOTHING);
    const others = c03.claims.slice(1).flatMap(({rows}) => rows(results));
    expect(others).toHaveLength(6);
    expect(new Set(verdictsOf(others))).toEqual(new Set(['open']));
  });

  test('expected silent times stand as printed and corrected beside ours', () => {
    const [table] = c03.tables(toyResults(c03, silence(100, 1000)));
    const row = table?.rows.find(each => each[1] === '10 %');
    // (3 + 0.1) / 0.9² · 35, 0.1 · 1000 / 0.9, 35 / 0.9
    expect(row?.slice(2, 7)).toEqual(['134', '111', '39', '1000 ± 1.00', '1000 ± 1.00']);
  });
});

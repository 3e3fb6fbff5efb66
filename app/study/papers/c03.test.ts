import {describe, expect, test} from 'vitest';
import {c03} from './c03.ts';
import {NOTHING, rowsOf, type ToyMeans, toyResults, verdictsOf} from './testing/toyResults.ts';

describe('C03', () => {
  const silence = (low: number, high: number): ToyMeans => {
    return (grid, axes, pane) => {
      if (grid !== 'silence' || pane !== 1) return NOTHING;
      return {mean: {0.01: low, 0.1: high}[Number(axes['path.loss'])] ?? 0, half: 1};
    };
  };

  test('TCP’s silent time at 10 % must be more than twice that at 1 %, by both measures and for both pages', () => {
    expect(verdictsOf(rowsOf(c03, 'TCP’s silent time grows', silence(100, 1000)))).toEqual(
      Array.from({length: 4}, () => 'agrees'),
    );
    expect(verdictsOf(rowsOf(c03, 'TCP’s silent time grows', silence(600, 1000)))).toEqual(
      Array.from({length: 4}, () => 'differs'),
    );
  });

  /** The means of each pane, from pane 1, at 1 and at 10 % loss. */
  const datagrams = (...means: readonly (readonly [low: number, high: number])[]): ToyMeans => {
    return (grid, axes, pane) => {
      if (grid !== 'datagrams' && grid !== 'arrivals') return NOTHING;
      const [low = 0, high = 0] = means[grid === 'arrivals' ? 2 : pane - 1] ?? [];
      return {mean: Number(axes['path.loss']) < 0.05 ? low : high, half: 1};
    };
  };

  test('CATP’s silent time is nearly flat if it grows by less than half of TCP’s growth', () => {
    const flat = 'CATP’s silent time stays';
    const verdicts = (tcp: number, catp: number) =>
      new Set(verdictsOf(rowsOf(c03, flat, datagrams([100, tcp], [0, 0], [100, catp]))));
    expect(verdicts(1100, 500)).toEqual(new Set(['agrees']));
    expect(verdicts(1100, 700)).toEqual(new Set(['differs']));
  });

  test('UDP lies between TCP and CATP if, at 10 % loss, TCP’s silent time is longer and CATP’s is shorter', () => {
    const between = (udp: number) =>
      verdictsOf(rowsOf(c03, 'In-order UDP lies', datagrams([0, 900], [0, udp], [0, 300])));
    const rows = (tcp: string, catp: string) => Array.from({length: 4}, () => [tcp, catp]).flat();
    expect(between(600)).toEqual(rows('agrees', 'agrees'));
    expect(between(1000)).toEqual(rows('differs', 'agrees'));
    expect(between(200)).toEqual(rows('agrees', 'differs'));
  });

  test('TCP is ahead if CATP is later without loss', () => {
    const ahead = (catp: number) =>
      new Set(verdictsOf(rowsOf(c03, 'TCP is slightly', datagrams([100, 0], [0, 0], [catp, 0]))));
    expect(ahead(150)).toEqual(new Set(['agrees']));
    expect(ahead(50)).toEqual(new Set(['differs']));
  });

  test('without loss the order is open if TCP leads by less than 1 %', () => {
    const taking = (catp: number): ToyMeans => {
      return (grid, _, pane) => {
        const isCatp = grid === 'arrivals' || (grid === 'datagrams' && pane === 3);
        return {mean: isCatp ? catp : 1000, half: 0};
      };
    };
    const verdicts = (catp: number) => verdictsOf(rowsOf(c03, 'TCP is slightly ahead', taking(catp)));
    expect(verdicts(1005)).toEqual(Array(6).fill('open'));
    expect(verdicts(1020)).toEqual(Array(6).fill('agrees'));
  });

  test('long and short tag distances are compared over UDP at 10 % loss', () => {
    const byPage = (short: number, long: number): ToyMeans => {
      return (grid, axes, pane) => {
        if (grid !== 'datagrams' || pane !== 2) return NOTHING;
        return {mean: axes['page'] === 'text-10k' ? short : long, half: 1};
      };
    };
    const verdicts = (means: ToyMeans) => new Set(verdictsOf(rowsOf(c03, 'A long tag distance', means)));
    expect(verdicts(byPage(100, 900))).toEqual(new Set(['agrees']));
    expect(verdicts(byPage(900, 100))).toEqual(new Set(['differs']));
  });

  test('C03’s measure of CATP is the time between arrivals, not the time until the first change', () => {
    const onlyArrivals: ToyMeans = (grid, axes) => {
      return grid === 'arrivals' && Number(axes['path.loss']) > 0.05 ? {mean: 900, half: 1} : NOTHING;
    };
    expect(verdictsOf(rowsOf(c03, 'In-order UDP lies', onlyArrivals))).toEqual([
      'open',
      'differs',
      'open',
      'open',
      'open',
      'differs',
      'open',
      'open',
    ]);
  });

  test('claims about other pages and about the Internet are open', () => {
    const results = toyResults(c03, () => NOTHING);
    const others = c03.claims.slice(-2).flatMap(({rows}) => rows(results));
    expect(others).toHaveLength(2);
    expect(new Set(verdictsOf(others))).toEqual(new Set(['open']));
  });

  test('TCP’s expected silent time is compared with CATP’s time between arrivals at each loss rate', () => {
    const verdicts = (tcp: number) =>
      verdictsOf(rowsOf(c03, 'The expected silent time', datagrams([tcp, tcp], [0, 0], [100, 100])));
    expect(verdicts(200)).toEqual(Array(18).fill('agrees'));
    expect(verdicts(50)).toEqual(Array(18).fill('differs'));
  });

  test('the table shows the expected silent times as printed and as corrected, and ours', () => {
    const [table] = c03.tables(toyResults(c03, silence(100, 1000)));
    const row = table?.rows.find(each => each[1] === '10 %');
    // (3 + 0.1) / 0.9² · 35, 0.1 · 1000 / 0.9, 35 / 0.9
    expect(row?.slice(2, 7)).toEqual(['134', '111', '39', '1000 ± 1.00', '1000 ± 1.00']);
  });
});

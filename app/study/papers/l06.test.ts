import {describe, expect, test} from 'vitest';
import {l06} from './l06.ts';
import {L06_TABLES} from './l06Tables.ts';
import {claimOf, NOTHING, rowsOf, type ToyMeans, toyResults, verdictsOf} from './testing/toyResults.ts';

describe('L06', () => {
  const TABLES: {readonly [grid: string]: (typeof L06_TABLES)[number] | undefined} = Object.fromEntries(
    L06_TABLES.map(table => [`${table.grid}-responses`, table]),
  );
  const printed = (kind: 'Experiment' | 'Model', factor = 1): ToyMeans => {
    return (grid, axes, pane, metric) => {
      const table = TABLES[grid];
      if (table === undefined || metric !== 'wholePageS') return NOTHING;
      const i = table.values.indexOf(Number(axes[table.key]));
      const values = pane === 1 ? table[`tcp${kind}`] : table[`sctp${kind}`];
      // the other panes have a time that agrees with no table
      return {mean: pane > 2 ? 1 : (values[i] ?? 0) * factor, half: 0};
    };
  };

  test('has its tables as printed', () => {
    // the rows of tables II to IV as L06 prints them: TCP's model and experiment, then SCTP's
    const printed = [
      ['21.27 21.33 21.77 25.84', '18.7 18.73 19 21.77', '20.76 20.81 21.26 24.86', '18.62 18.64 18.85 19.56'],
      ['14.89 14.94 18.73 21.56', '13.82 14.63 21.84 28.17', '14.83 14.92 18.64 19.4', '13.71 14.71 21.33 26.17'],
      ['18.73 5.42 4.2 2.59', '21.84 5.6 4.5 4.4', '18.64 4.92 3.79 2.59', '21.33 5.09 3.99 3.89'],
    ];
    const rows = L06_TABLES.map(({tcpModel, tcpExperiment, sctpModel, sctpExperiment}) =>
      [tcpModel, tcpExperiment, sctpModel, sctpExperiment].map(row => row.join(' ')),
    );
    expect(rows).toEqual(printed);
  });

  test('table IV’s experiments are 0.51 s apart at every rate', () => {
    const [, , table] = L06_TABLES;
    const apart = table?.tcpExperiment.map((tcp, i) => (tcp - (table.sctpExperiment[i] ?? 0)).toFixed(2));
    expect(apart).toEqual(['0.51', '0.51', '0.51', '0.51']);
    expect(l06.notes.some(note => note.includes('0.51 s apart in all four columns'))).toBe(true);
  });

  test('TCP’s HOL blocking in table IV is compared between each rate and the next', () => {
    const falling = (ofTcp: (rate: number) => number): ToyMeans => {
      return (grid, axes, pane, metric) => {
        const isThere = grid === 'table-4' && metric === 'holBlockedMs' && pane === 1;
        return isThere ? {mean: ofTcp(Number(axes['path.rateBps'])), half: 0} : NOTHING;
      };
    };
    const verdicts = (ofTcp: (rate: number) => number) => verdictsOf(rowsOf(l06, 'Head-of-line', falling(ofTcp)));
    expect(verdicts(rate => 1e9 / rate)).toEqual(['agrees', 'agrees', 'agrees']);
    expect(verdicts(rate => (rate === 40_000 ? 0 : 1e9 / rate))).toEqual(['differs', 'agrees', 'agrees']);
  });

  test('two requests at a time are compared with all at once, and one at a time is compared with two', () => {
    const taking = (...timesS: readonly number[]): ToyMeans => {
      return (grid, _, pane) => (grid === 'depth' ? {mean: 1000 * (timesS[pane - 1] ?? 0), half: 0} : NOTHING);
    };
    const verdicts = (...timesS: readonly number[]) => verdictsOf(rowsOf(l06, 'A pipeline', taking(...timesS)));
    expect(verdicts(1, 2, 3)).toEqual(Array(4).fill('agrees'));
    expect(verdicts(2, 1, 3)).toEqual(['differs', 'agrees', 'differs', 'agrees']);
  });

  test.each(['II', 'III', 'IV'])(
    'table %s agrees with its own numbers, and differs from numbers half as large',
    number => {
      const claim = `Table ${number}: mean response times`;
      const rows = (factor: number) => verdictsOf(rowsOf(l06, claim, printed('Experiment', factor)));
      expect(rows(1)).toEqual(Array.from({length: 8}, () => 'agrees'));
      expect(rows(0.5)).toEqual(Array.from({length: 8}, () => 'differs'));
    },
  );

  test.each(['III', 'IV'])('table %s is also compared with its rows exchanged', number => {
    const rows = rowsOf(l06, `Table ${number} with`, printed('Model'));
    expect(verdictsOf(rows)).toEqual(Array.from({length: 8}, () => 'agrees'));
  });

  test('the claim of 20 % is compared with the mean over ten settings, each of which counts once', () => {
    const means = (gainOfBase: number): ToyMeans => {
      return (grid, axes, pane) => {
        const {key = 'path.loss'} = TABLES[grid] ?? {};
        const isBase = axes[key] === {'path.loss': 0.01, 'path.rttMs': 256, 'path.rateBps': 40_000}[key];
        return {mean: pane === 2 ? 100 - (isBase ? gainOfBase : 20) : 100, half: 0};
      };
    };
    const [row] = rowsOf(l06, 'SCTP’s mean response time', means(50));
    // (9 · 20 + 50) / 10
    expect(row).toMatchObject({ours: '23.0 %', verdict: 'agrees'});
    expect(claimOf(l06, 'SCTP’s mean').why(toyResults(l06, means(20)))[0]).toBe(
      'The experiments in L06’s own tables give 4.7 %.',
    );
  });

  test('variation that TCP and SCTP have in common does not widen the interval of their ratio', () => {
    // the covariance is (8² + 8² − 8²) / 2, which gives √(8² + (0.8 · 8)² − 2 · 0.8 · 32) / 100; without it, 10.2 %
    const means: ToyMeans = (_, __, pane) => ({mean: pane === 2 ? 80 : 100, half: 8});
    expect(rowsOf(l06, 'SCTP’s mean response time', means)[0]?.ours).toBe('20.0 ± 7.33 %');
  });
});

test('L06’s response times include the set-up, and the order of TCP and SCTP is judged in each setting', () => {
  /** With the set-up, TCP takes 12 s and SCTP `sctpS` + 3 s. Without it, TCP takes 10 s and SCTP `sctpS`. */
  const taking = (sctpS: number): ToyMeans => {
    return (_, __, pane, metric) => {
      if (metric === 'wholePageS') return {mean: pane === 2 ? 3 + sctpS : 12, half: 0};
      return {mean: pane === 2 ? 1000 * sctpS : 10_000, half: 0};
    };
  };
  const [tcp, sctp] = rowsOf(l06, 'Table II: mean', taking(10));
  expect([tcp?.ours, sctp?.ours]).toEqual(['12.0 s', '13.0 s']);
  const orders = rowsOf(l06, 'Tables II to IV: in the experiment', taking(8));
  // table IV's setting with 40 kbit/s is the same as table III's with 256 ms, and has the same numbers
  expect(orders).toHaveLength(11);
  expect(orders.some(({where}) => where === 'table IV, 40 kbit/s')).toBe(false);
  // times that L06 prints within 1 % of each other are judged as equal, and our difference of 2 s in 12 s is not
  const equal = orders.filter(({theirs}) => theirs === 'equal');
  expect(equal.map(({where, verdict}) => [where, verdict])).toEqual(
    ['II, 0.4 %', 'II, 1 %', 'II, 2 %', 'III, 55 ms', 'III, 80 ms'].map(at => [`table ${at}`, 'differs']),
  );
  expect(verdictsOf(orders.filter(({theirs}) => theirs === 'SCTP sooner'))).toEqual(Array(6).fill('agrees'));
  // with the set-up, TCP and SCTP take 12 s each
  const same = rowsOf(l06, 'Tables II to IV: in the experiment', taking(9));
  expect(same.map(({theirs, verdict}) => verdict === (theirs === 'equal' ? 'agrees' : 'open'))).toEqual(
    Array(11).fill(true),
  );
  // (3 + 7) / (2 + 10)
  expect(rowsOf(l06, 'SCTP’s mean response', taking(7))[0]?.ours).toBe('16.7 %');
});

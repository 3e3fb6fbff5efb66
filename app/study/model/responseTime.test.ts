import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ASSUMPTIONS} from './prediction.ts';
import {type ModelPage, type ModelPath, responseTimes} from './responseTime.ts';

/** A path on which a packet takes s = 100 ms. */
const path: ModelPath = {rateBps: 80_000, rttMs: 300, lossRate: 0, mssBytes: 1000};
const page: ModelPage = {htmlBytes: 1000, objects: 2, objectBytes: 6000};

describe('table I', () => {
  test('TCP with all requests at once takes I_T + RTT + O_T', () => {
    const times = responseTimes(path, page);
    expect([times.htmlMs, times.initialMs, times.all.totalMs]).toEqual([400, 700, 1100]);
    expect(times.tcpMs).toBe(700 + 300 + 1100);
  });

  test('TCP with PI requests at once takes I_T + M / PI · (RTT + O_T of a batch)', () => {
    const times = responseTimes(path, page, {pipelineIndex: 1});
    // 3 packets have K = 2 windows, with 300 ms of waiting
    expect([times.batches, times.batch.totalMs]).toEqual([2, 600]);
    expect(times.tcpMs).toBe(700 + 2 * (300 + 600));
    expect(times.sctpMs).toBe(700 + 300 + 1100);
  });

  test('TCP with a larger PI than the page has objects takes as long as with all requests at once', () => {
    expect(responseTimes(path, page, {pipelineIndex: 9}).tcpMs).toBe(2100);
  });

  test('more loss can take less time: on L06’s path, 2 % takes less than 1 %, as the assumptions say', () => {
    const l06 = {rateBps: 40_000, rttMs: 256, mssBytes: 536};
    const times = [0.01, 0.02].map(lossRate =>
      responseTimes({...l06, lossRate}, {htmlBytes: 1000, objects: 5, objectBytes: 5 * 13_500}),
    );
    expect(times.map(({tcpMs}) => (tcpMs / 1000).toFixed(2))).toEqual(['23.40', '21.41']);
    for (const text of ['23.40 s at 1 %', '21.41 s at 2 %']) expect(ASSUMPTIONS).toContain(text);
  });

  test('SCTP takes less than TCP by the time of head-of-line blocking', () => {
    const times = responseTimes({...path, lossRate: 0.1}, page);
    expect(times.all.headOfLineMs).toBeGreaterThan(0);
    expect(times.tcpMs - times.sctpMs).toBeCloseTo(times.all.headOfLineMs, 9);
  });

  test('the HTML has its own slow start', () => {
    // 4 packets have K = 3 windows, with 300 + 200 ms of waiting
    expect(responseTimes(path, {...page, htmlBytes: 3001}).htmlMs).toBe(300 + 400 + 500);
  });

  test('a page without objects takes I_T', () => {
    const {tcpMs, sctpMs} = responseTimes(path, {...page, objects: 0, objectBytes: 0});
    expect([tcpMs, sctpMs]).toEqual([700, 700]);
  });

  test('a lower initial threshold adds a round trip for each packet beyond it', () => {
    // A_th = 3, so that 3 packets are beyond the threshold, and slow start takes 200 ms less
    expect(responseTimes(path, page, {initialThreshold: 2}).tcpMs).toBe(2100 + 3 * 300 - 200);
  });
});

test('an impossible value is refused, and the message has its name, the value and the limit', () => {
  expect(() => responseTimes({...path, lossRate: 1}, page)).toThrow(/^invalid lossRate: 1 \(must be from 0 to 0\.9/);
  expect(() => responseTimes({...path, rateBps: 0}, page)).toThrow(/^invalid rateBps: 0 \(must be from 1 /);
  expect(() => responseTimes({...path, rttMs: Number.NaN}, page)).toThrow(/^invalid rttMs: NaN/);
  expect(() => responseTimes(path, page, {initialThreshold: 0})).toThrow(/^invalid initialThreshold: 0/);
  for (const pipelineIndex of [0, 0.5, -1])
    expect(() => responseTimes(path, page, {pipelineIndex})).toThrow(/^invalid pipelineIndex: /);
  expect(responseTimes(path, {...page, objects: 0, objectBytes: 0}).batches).toBe(0);
});

const paths = fc.record({
  rateBps: fc.integer({min: 1000, max: 1e9}),
  rttMs: fc.double({min: 0, max: 2000, noNaN: true}),
  lossRate: fc.double({min: 0, max: 0.5, noNaN: true}),
  mssBytes: fc.integer({min: 200, max: 9000}),
});
const pages = fc.record({
  htmlBytes: fc.integer({min: 0, max: 50_000}),
  objects: fc.integer({min: 0, max: 30}),
  objectBytes: fc.integer({min: 0, max: 300_000}),
});

describe('on any path', () => {
  test('SCTP takes at most as long as TCP', () => {
    fc.assert(
      fc.property(paths, pages, fc.integer({min: 1, max: 100}), (anyPath, anyPage, initialThreshold) => {
        const {tcpMs, sctpMs} = responseTimes(anyPath, anyPage, {initialThreshold});
        expect(sctpMs).toBeLessThanOrEqual(tcpMs);
      }),
    );
  });

  test('without loss, SCTP takes as long as TCP; at a huge rate, it takes almost as long', () => {
    fc.assert(
      fc.property(paths, pages, (anyPath, anyPage) => {
        const calm = responseTimes({...anyPath, lossRate: 0}, anyPage);
        expect(calm.sctpMs).toBe(calm.tcpMs);
        const fast = responseTimes({...anyPath, rateBps: 1e18}, anyPage);
        expect(fast.tcpMs - fast.sctpMs).toBeLessThan(1e-3);
      }),
    );
  });
});

describe('tables II–IV, with 13.5 KB for the HTML as well', () => {
  const usual = {rateBps: 40_000, rttMs: 256, lossRate: 0.01};

  test('our times can be compared with the paper’s model and experiment, but need not equal them', () => {
    expect(`\n${TABLES.map(tableText).join('\n\n')}\n`).toMatchInlineSnapshot(`
      "
      II, loss rate       0.004     0.01     0.02     0.05
      TCP here            21.29    26.13    24.13    31.57
      TCP model           21.27    21.33    21.77    25.84
      TCP experiment      18.70    18.73    19.00    21.77
      SCTP here           18.47    19.07    19.67    23.60
      SCTP model          20.76    20.81    21.26    24.86
      SCTP experiment     18.62    18.64    18.85    19.56

      III, RTT in ms         55       80      256     1000
      TCP here            24.22    24.42    26.13    35.42
      TCP model           14.89    14.94    18.73    21.56
      TCP experiment      13.82    14.63    21.84    28.17
      SCTP here           17.16    17.36    19.07    28.36
      SCTP model          14.83    14.92    18.64    19.40
      SCTP experiment     13.71    14.71    21.33    26.17

      IV, bit/s           40000   400000  3000000 10000000
      TCP here            26.13     5.82     4.32     4.16
      TCP model           18.73     5.42     4.20     2.59
      TCP experiment      21.84     5.60     4.50     4.40
      SCTP here           19.07     5.12     4.22     4.13
      SCTP model          18.64     4.92     3.79     2.59
      SCTP experiment     21.33     5.09     3.99     3.89
      "
    `);
  });

  test('SCTP is ahead of TCP in every cell', () => {
    for (const {cells} of TABLES) for (const cell of cells) expect(ours(cell).sctp).toBeLessThan(ours(cell).tcp);
  });

  test('both take longer at a longer RTT, and less at a higher rate', () => {
    const [, byRtt = [], byRate = []] = TABLES.map(({cells}) => cells.map(ours));
    for (const side of ['tcp', 'sctp'] as const) {
      const [rtts, rates] = [byRtt, byRate].map(each => each.map(times => times[side]));
      expect(rtts).toEqual(rtts?.toSorted((a, b) => a - b));
      expect(rates).toEqual(rates?.toSorted((a, b) => b - a));
    }
  });

  function ours(cell: Partial<ModelPath>) {
    const {tcpMs, sctpMs} = responseTimes(
      {...usual, ...cell, mssBytes: 536},
      {htmlBytes: 13_500, objects: 5, objectBytes: 5 * 13_500},
    );
    return {tcp: tcpMs / 1000, sctp: sctpMs / 1000};
  }

  function tableText({title, cells, printed}: (typeof TABLES)[number]): string {
    const times = cells.map(ours);
    const rows: [string, readonly number[]][] = [
      ['TCP here', times.map(({tcp}) => tcp)],
      ...printed.slice(0, 2),
      ['SCTP here', times.map(({sctp}) => sctp)],
      ...printed.slice(2),
    ];
    const heads = cells.map(cell => Object.values(cell).map(String).join().padStart(9)).join('');
    const lines = rows.map(([name, row]) => {
      return name.padEnd(16) + row.map(value => value.toFixed(2).padStart(9)).join('');
    });
    return [title.padEnd(16) + heads, ...lines].join('\n');
  }
});

/** L06's tables II to IV as printed, in seconds. Tables III and IV seem to have their rows exchanged. */
const TABLES: readonly {
  readonly title: string;
  readonly cells: readonly Partial<ModelPath>[];
  readonly printed: [string, readonly number[]][];
}[] = [
  {
    title: 'II, loss rate',
    cells: [0.004, 0.01, 0.02, 0.05].map(lossRate => ({lossRate})),
    printed: [
      ['TCP model', [21.27, 21.33, 21.77, 25.84]],
      ['TCP experiment', [18.7, 18.73, 19.0, 21.77]],
      ['SCTP model', [20.76, 20.81, 21.26, 24.86]],
      ['SCTP experiment', [18.62, 18.64, 18.85, 19.56]],
    ],
  },
  {
    title: 'III, RTT in ms',
    cells: [55, 80, 256, 1000].map(rttMs => ({rttMs})),
    printed: [
      ['TCP model', [14.89, 14.94, 18.73, 21.56]],
      ['TCP experiment', [13.82, 14.63, 21.84, 28.17]],
      ['SCTP model', [14.83, 14.92, 18.64, 19.4]],
      ['SCTP experiment', [13.71, 14.71, 21.33, 26.17]],
    ],
  },
  {
    title: 'IV, bit/s',
    cells: [40_000, 400_000, 3_000_000, 10_000_000].map(rateBps => ({rateBps})),
    printed: [
      ['TCP model', [18.73, 5.42, 4.2, 2.59]],
      ['TCP experiment', [21.84, 5.6, 4.5, 4.4]],
      ['SCTP model', [18.64, 4.92, 3.79, 2.59]],
      ['SCTP experiment', [21.33, 5.09, 3.99, 3.89]],
    ],
  },
];

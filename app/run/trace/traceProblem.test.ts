import {describe, expect, test} from 'vitest';
import {smallTrace} from './testing/smallTrace.ts';
import type {TraceData} from './traceData.ts';
import {traceProblem} from './traceProblem.ts';

const {NaN: NONE, POSITIVE_INFINITY: INFINITE} = Number;

/** The small trace with one number of a column replaced. */
function withNumber(table: string, column: string, row: number, number: number): TraceData {
  const trace = smallTrace() as unknown as {readonly [table: string]: {readonly [column: string]: number[]}};
  const numbers = trace[table]?.[column];
  if (numbers?.[row] === undefined) throw new Error(`there is no row ${row} in ${table}.${column}`);
  numbers[row] = number;
  return trace as unknown as TraceData;
}

test('a valid trace has no problem', () => {
  expect(traceProblem(smallTrace())).toBeUndefined();
});

describe('a number of a column', () => {
  test.each([
    ['deliveries', 'object', 2, 2, 'refers to row 2 of objects, which has 2 rows'],
    ['deliveries', 'atNs', 2, NONE, 'has NaN'],
    ['deliveries', 'atNs', 2, 2 ** 53, 'has 9007199254740992'],
    ['deliveries', 'atNs', 2, 1e6, 'has 1000000 after 30000000'],
    ['deliveries', 'bytes', 2, NONE, 'has NaN'],
    ['deliveries', 'first', 0, -1, 'has -1'],
    ['packets', 'direction', 0, 2, 'has 2'],
    ['packets', 'fate', 0, 7, 'has 7'],
    ['packets', 'ecn', 0, 4, 'has 4'],
    ['packets', 'marked', 0, 2, 'has 2'],
    ['packets', 'copyNs', 0, INFINITE, 'has Infinity'],
    ['packets', 'kind', 0, 6, 'has 6'],
    ['packets', 'sentNs', 5, NONE, 'has NaN'],
    ['packets', 'leftNs', 5, -1, 'has -1'],
    ['packets', 'fateNs', 5, INFINITE, 'has Infinity'],
    ['packets', 'cumulativeAck', 1, -1, 'has -1'],
    ['chunks', 'packet', 4, 6, 'refers to row 6 of packets, which has 6 rows'],
    ['chunks', 'packet', 4, 0, 'has 0 after 4'],
    ['chunks', 'first', 4, NONE, 'has NaN'],
    ['chunks', 'retransmission', 4, 2, 'has 2'],
    ['chunkPieces', 'row', 4, 5, 'refers to row 5 of chunks, which has 5 rows'],
    ['chunkPieces', 'row', 4, 1, 'has 1 after 3'],
    ['chunkPieces', 'object', 4, 7, 'refers to row 7 of objects, which has 2 rows'],
    ['samples', 'atNs', 2, NONE, 'has NaN'],
    ['samples', 'cwndBytes', 2, INFINITE, 'has Infinity'],
    ['samples', 'ssthreshBytes', 2, NONE, 'has NaN'],
    ['samples', 'flightBytes', 2, -1, 'has -1'],
    ['samples', 'srttNs', 2, NONE, 'has NaN'],
    ['samples', 'rtoNs', 2, NONE, 'has NaN'],
    ['samples', 'state', 2, 6, 'has 6'],
    ['blocked', 'first', 0, NONE, 'has NaN'],
    ['blocked', 'startNs', 0, NONE, 'has NaN'],
    ['blocked', 'endNs', 0, -1, 'has -1'],
    ['blockedPieces', 'row', 0, 1, 'refers to row 1 of blocked, which has 1 rows'],
    ['blockedPieces', 'object', 0, 2, 'refers to row 2 of objects, which has 2 rows'],
  ])('%s.%s[%i] = %d is refused', (table, column, row, number, problem) => {
    expect(traceProblem(withNumber(table, column, row, number))).toBe(
      `${problem} in column ${column} of its table ${table}`,
    );
  });

  test.each([
    ['packets', 'leftNs', 5, NONE],
    ['packets', 'fateNs', 5, NONE],
    ['packets', 'cumulativeAck', 1, NONE],
    ['samples', 'ssthreshBytes', 2, INFINITE],
    ['blocked', 'endNs', 0, NONE],
    ['deliveries', 'atNs', 2, 2 ** 53 - 1],
  ])('%s.%s[%i] = %d is accepted', (table, column, row, number) => {
    expect(traceProblem(withNumber(table, column, row, number))).toBeUndefined();
  });

  test('of the gap reports that only captured loads have is checked, too', () => {
    const withReports = (packet: number, end: number) => ({
      ...smallTrace(),
      gapReports: {packet: Uint32Array.of(packet), end: Float64Array.of(end)},
    });
    expect(traceProblem(withReports(5, 100))).toBeUndefined();
    expect(traceProblem(withReports(6, 100))).toMatch(
      /^refers to row 6 of packets, .* column packet of its table gapR/,
    );
    expect(traceProblem(withReports(5, NONE))).toBe('has NaN in column end of its table gapReports');
    expect(traceProblem({...smallTrace(), gapReports: 7 as never})).toBe('has no gapReports');
  });

  test('the delivered bytes of an object must not decrease', () => {
    expect(traceProblem(withNumber('deliveries', 'bytes', 2, 99))).toBe('has 99 bytes of object 1 after 100');
  });
});

describe('a table', () => {
  test.each([
    ['that is missing', undefined, 'has no blocked'],
    ['that is a number', 7, 'has no blocked'],
    ['that lacks a column', {endpoint: Uint32Array.of(1)}, 'lacks a column in its table blocked'],
    [
      'whose columns differ in length',
      {...smallTrace().blocked, endNs: new Float64Array(2)},
      'has columns of different lengths in its table blocked',
    ],
    [
      'whose column is of another type',
      {...smallTrace().blocked, stream: Float64Array.of(0)},
      'does not have the type Uint32Array in column stream of its table blocked',
    ],
    ['whose column is an array', {...smallTrace().blocked, stream: [0]}, 'lacks a column in its table blocked'],
    ['whose column is inherited', Object.create(smallTrace().blocked), 'lacks a column in its table blocked'],
  ])('%s is refused', (_, blocked, problem) => {
    expect(traceProblem({...smallTrace(), blocked: blocked as TraceData['blocked']})).toBe(problem);
  });
});

describe('a field', () => {
  const wrong = (fields: object): string | undefined =>
    traceProblem({...smallTrace(), ...fields} as unknown as TraceData);

  test.each([
    [{outcome: 'error'}, 'is a trace without a valid outcome'],
    [{outcome: 7}, 'is a trace without a valid outcome'],
    [{reason: 7}, 'is a trace without a valid reason'],
    [{streams: -1}, 'is a trace without a valid streams'],
    [{setupNs: 'soon'}, 'is a trace without a valid setupNs'],
    [{endNs: NONE}, 'is a trace without a valid endNs'],
    [{endNs: null}, 'is a trace without a valid endNs'],
    [{connections: {}}, 'has no connections'],
    [{connections: [null]}, 'has a connection 0 without fields'],
    [{connections: [{client: 0, server: 1}]}, 'has a connection 0 without a valid streams'],
    [{connections: []}, 'has an object on connection 0, but the number of connections is 0'],
    [{objects: 'none'}, 'has no objects'],
    [{objects: [7]}, 'has an object 0 without fields'],
  ])('%j is refused', (fields, problem) => {
    expect(wrong(fields)).toBe(problem);
  });

  test.each([
    ['url', null],
    ['bytes', 0.5],
    ['bytes', 2 ** 53],
    ['connection', -1],
    ['stream', 'a'],
    ['discoveredNs', -1],
    ['requestNs', 'soon'],
    ['firstByteNs', undefined],
    ['completeNs', 1e300],
    ['failedNs', []],
    ['failure', {kind: 'unknown'}],
  ])('%s of an object: %j is refused', (field, value) => {
    const [first, second] = smallTrace().objects;
    expect(wrong({objects: [first, {...second, [field]: value}]})).toBe(`has an object 1 without a valid ${field}`);
  });

  test.each([
    ['connection', null],
    ['stream', null],
    ['completeNs', null],
  ])('%s of an object may be null', (field, value) => {
    const [first, second] = smallTrace().objects;
    expect(wrong({objects: [first, {...second, [field]: value}]})).toBeUndefined();
  });

  test('the reason and setupNs may be null', () => {
    expect(wrong({reason: null, setupNs: null, outcome: 'loading'})).toBeUndefined();
  });
});

describe('other traffic', () => {
  const packets = {
    flow: Uint32Array.of(0, 1),
    direction: Uint8Array.of(0, 1),
    bytes: Uint32Array.of(1500, 1500),
    sentNs: Float64Array.of(-5, 3),
    leftNs: Float64Array.of(-4, NONE),
    fate: Uint8Array.of(1, 0),
    fateNs: Float64Array.of(-1, NONE),
  };
  const flows = [
    {kind: 'tcp', direction: 'up', congestion: 'cubic'},
    {kind: 'page', pane: 1, pipeline: 'h3'},
  ];
  const problemOf = (traffic: unknown) => traceProblem({...smallTrace(), traffic} as TraceData);

  test('may have been sent before the run', () => {
    expect(problemOf({flows, packets})).toBeUndefined();
  });

  test.each([
    ['null', null, 'has no traffic'],
    ['without flows', {packets}, 'has no flows of traffic'],
    ['with a flow of another kind', {flows: [{kind: 'x'}], packets}, 'has an invalid flow 0 of traffic'],
    ['of a pipeline that is unknown', {flows: [{...flows[1], pipeline: 'x'}]}, 'has an invalid flow 0 of traffic'],
    ['without a direction', {flows: [{kind: 'cbr', rateBps: 1}]}, 'has an invalid flow 0 of traffic'],
    ['without a rate', {flows: [{kind: 'cbr', direction: 'up'}]}, 'has an invalid flow 0 of traffic'],
    ['without packets', {flows}, 'has no traffic'],
    [
      'of a flow that is not listed',
      {flows: flows.slice(1), packets},
      'refers to row 1 of flows, which has 1 rows in column flow of its table traffic',
    ],
    [
      'with an infinite time',
      {flows, packets: {...packets, sentNs: Float64Array.of(0, INFINITE)}},
      'has Infinity in column sentNs of its table traffic',
    ],
    [
      'with an unknown fate',
      {flows, packets: {...packets, fate: Uint8Array.of(1, 7)}},
      'has 7 in column fate of its table traffic',
    ],
  ])('%s is refused', (_, traffic, problem) => {
    expect(problemOf(traffic)).toBe(problem);
  });
});

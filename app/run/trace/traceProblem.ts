import {isFailureOrNull} from '../../page/failure.ts';
import {findPipeline} from '../../pipelines/index.ts';
import {FATE} from './columns.ts';
import type {Outcome, TraceData} from './traceData.ts';

/**
 * Returns the first error in a trace from a file, or undefined if there is none. The text continues a sentence: `its
 * pane 1 …`. The types of fields and columns, the ranges of numbers, and the references to rows of other tables are
 * checked before the trace is used. `decodeRun` has already checked the checksum, the pipeline, the conversion, the
 * browser and the server. The checksum only proves that the file is unchanged, not that its author wrote a valid trace.
 */
export function traceProblem(data: TraceData): string | undefined {
  const fields = fieldsProblem(data) ?? connectionsProblem(data.connections);
  if (fields !== undefined) return fields;
  if (!Array.isArray(data.objects)) return 'has no objects';
  for (const [i, object] of (data.objects as readonly unknown[]).entries()) {
    const problem = fieldProblem(object, OBJECT_FIELDS);
    if (problem !== undefined) return `has an object ${i} ${problem}`;
  }
  const lengths = new Map([
    ['objects', data.objects.length],
    ['connections', data.connections.length],
  ]);
  for (const [table, columns] of Object.entries(TABLES)) {
    const value = fieldOf(data, table);
    if (table === 'gapReports' && value === undefined) continue;
    const problem = tableProblem(table, value, columns, lengths);
    if (problem !== undefined) return problem;
  }
  return connectionNumbers(data) ?? deliveriesProblem(data) ?? trafficProblem(data.traffic);
}

/** Checks the other traffic, which most traces do not have. */
function trafficProblem(traffic: unknown): string | undefined {
  if (traffic === undefined) return undefined;
  if (typeof traffic !== 'object' || traffic === null) return 'has no traffic';
  const flows = fieldOf(traffic, 'flows');
  if (!Array.isArray(flows)) return 'has no flows of traffic';
  const wrong = flows.findIndex(flow => !isFlow(flow));
  if (wrong >= 0) return `has an invalid flow ${wrong} of traffic`;
  const lengths = new Map([['flows', flows.length]]);
  return tableProblem('traffic', fieldOf(traffic, 'packets'), TRAFFIC, lengths);
}

function isFlow(flow: unknown): boolean {
  if (typeof flow !== 'object' || flow === null) return false;
  const kind = fieldOf(flow, 'kind');
  if (kind === 'page') return isCount(fieldOf(flow, 'pane')) && findPipeline(fieldOf(flow, 'pipeline')) !== undefined;
  if (!['down', 'up'].includes(fieldOf(flow, 'direction') as string)) return false;
  if (kind === 'tcp') return isText(fieldOf(flow, 'congestion'));
  return kind === 'cbr' && isAmount(fieldOf(flow, 'rateBps'));
}

function fieldsProblem(data: TraceData): string | undefined {
  const problem = fieldProblem(data, TRACE_FIELDS);
  return problem === undefined ? undefined : `is a trace ${problem}`;
}

function areMilestones(value: unknown): boolean {
  return fieldProblem(value, MILESTONES) === undefined;
}

function connectionsProblem(connections: unknown): string | undefined {
  if (!Array.isArray(connections)) return 'has no connections';
  for (const [i, connection] of connections.entries()) {
    const problem = fieldProblem(connection, CONNECTION_FIELDS);
    if (problem !== undefined) return `has a connection ${i} ${problem}`;
  }
  return undefined;
}

function fieldProblem(value: unknown, fields: Fields): string | undefined {
  if (typeof value !== 'object' || value === null) return 'without fields';
  const wrong = Object.entries(fields).find(([name, isValid]) => !isValid(fieldOf(value, name)));
  return wrong === undefined ? undefined : `without a valid ${wrong[0]}`;
}

/** Checks one table. `lengths` holds the lengths of the tables before it; this function adds the table's own length. */
function tableProblem(
  table: string,
  value: unknown,
  columns: Columns,
  lengths: Map<string, number>,
): string | undefined {
  if (typeof value !== 'object' || value === null) return `has no ${table}`;
  const numbers = Object.keys(columns).map(name => fieldOf(value, name));
  if (!numbers.every(isColumn)) return `lacks a column in its table ${table}`;
  const rows = numbers[0]?.length ?? 0;
  if (!numbers.every(({length}) => length === rows)) return `has columns of different lengths in its table ${table}`;
  lengths.set(table, rows);
  for (const [i, [name, column]] of Object.entries(columns).entries()) {
    const problem = columnProblem(numbers[i] ?? [], column, lengths);
    if (problem !== undefined) return `${problem} in column ${name} of its table ${table}`;
  }
  return undefined;
}

function isColumn(value: unknown): value is ArrayLike<number> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function columnProblem(
  numbers: ArrayLike<number>,
  {type, isValid, to, ascends}: Column,
  lengths: ReadonlyMap<string, number>,
): string | undefined {
  if (!(numbers instanceof type)) return `does not have the type ${type.name}`;
  const end = lengths.get(to ?? '') ?? 0;
  let before = 0;
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] ?? Number.NaN;
    if (to !== undefined && number >= end) return `refers to row ${number} of ${to}, which has ${end} rows`;
    if (isValid !== undefined && !isValid(number)) return `has ${number}`;
    if (ascends) {
      if (number < before) return `has ${number} after ${before}`;
      before = number;
    }
  }
  return undefined;
}

/** Checks that objects refer to existing connections. */
function connectionNumbers({objects, connections}: TraceData): string | undefined {
  const wrong = objects.find(({connection}) => connection !== null && connection >= connections.length);
  if (wrong === undefined) return undefined;
  return `has an object on connection ${wrong.connection}, but the number of connections is ${connections.length}`;
}

/** Checks that the delivered bytes of an object never decrease. */
function deliveriesProblem({deliveries: {object, bytes}, objects}: TraceData): string | undefined {
  const had = new Float64Array(objects.length);
  for (let row = 0; row < object.length; row++) {
    const [each = 0, now = 0] = [object[row], bytes[row]];
    const before = had[each] ?? 0;
    if (now < before) return `has ${now} bytes of object ${each} after ${before}`;
    had[each] = now;
  }
  return undefined;
}

function fieldOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as {readonly [name: string]: unknown})[name] : undefined;
}

type Fields = {readonly [name: string]: (value: unknown) => boolean};

interface Column {
  readonly type: Uint8ArrayConstructor | Uint32ArrayConstructor | Float64ArrayConstructor;
  readonly isValid?: (number: number) => boolean;
  /** The table that the values refer to. */
  readonly to?: string;
  /** Whether each value must be at least as large as the one before it. Such columns are searched by binary search. */
  readonly ascends?: boolean;
}

type Columns = {readonly [column: string]: Column};

/** Whether a value is a number of ns or bytes from 0 to 2^53 − 1, up to which a double represents integers exactly. */
const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && isAmount(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const orAbsent =
  (isValid: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || isValid(value);

const orNull =
  (isValid: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || isValid(value);
const isAmountOrNaN = (value: number): boolean => Number.isNaN(value) || isAmount(value);
const isUpTo =
  (most: number) =>
  (value: number): boolean =>
    value <= most;

/** All outcomes except `error`, which has no trace. */
const OUTCOMES: readonly Outcome[] = ['complete', 'partial', 'aborted', 'time-limit', 'work-limit', 'loading'];

const TRACE_FIELDS: Fields = {
  outcome: value => OUTCOMES.includes(value as Outcome),
  reason: orNull(isText),
  streams: isCount,
  setupNs: orNull(isAmount),
  endNs: isAmount,
  milestones: orAbsent(areMilestones),
};

const MILESTONES: Fields = {
  fcpNs: orNull(isAmount),
  lcpNs: orNull(isAmount),
  lcpObject: orNull(isCount),
  dclNs: orNull(isAmount),
  loadNs: orNull(isAmount),
  insertedNs: orAbsent(value => Array.isArray(value) && value.every(orNull(isAmount))),
};

const CONNECTION_FIELDS: Fields = {
  client: isCount,
  server: isCount,
  streams: isCount,
  origin: orAbsent(isText),
  isAnonymous: orAbsent(value => value === true),
};

const TIME = orNull(isAmount);
const OBJECT_FIELDS: Fields = {
  url: isText,
  bytes: isCount,
  connection: orNull(isCount),
  stream: orNull(isCount),
  discoveredNs: TIME,
  requestNs: TIME,
  firstByteNs: TIME,
  completeNs: TIME,
  failedNs: TIME,
  failure: isFailureOrNull,
};

const [U8, U32, F64] = [{type: Uint8Array}, {type: Uint32Array}, {type: Float64Array}] as const;
const AMOUNT = {...F64, isValid: isAmount};
const AMOUNT_OR_NAN = {...F64, isValid: isAmountOrNaN};
const OBJECT = {...U32, to: 'objects'};

const SIGNED = {...F64, isValid: (value: number) => Math.abs(value) <= Number.MAX_SAFE_INTEGER};
const SIGNED_OR_NAN = {...F64, isValid: (value: number) => Number.isNaN(value) || SIGNED.isValid(value)};

/** Packets of other traffic may have been sent before the start of the run. */
const TRAFFIC: Columns = {
  flow: {...U32, to: 'flows'},
  direction: {...U8, isValid: isUpTo(1)},
  bytes: U32,
  sentNs: SIGNED,
  leftNs: SIGNED_OR_NAN,
  fate: {...U8, isValid: isUpTo(FATE.handedOver)},
  fateNs: SIGNED_OR_NAN,
};

const piecesOf = (table: string): Columns => ({
  row: {...U32, to: table, ascends: true},
  object: OBJECT,
  bytes: U32,
});

/** Each table refers only to tables before it. */
const TABLES: {readonly [table in keyof TraceData]?: Columns} = {
  deliveries: {object: OBJECT, atNs: {...AMOUNT, ascends: true}, bytes: AMOUNT, first: AMOUNT},
  packets: {
    endpoint: U32,
    direction: {...U8, isValid: isUpTo(1)},
    bytes: U32,
    sentNs: AMOUNT,
    leftNs: AMOUNT_OR_NAN,
    fate: {...U8, isValid: isUpTo(FATE.handedOver)},
    fateNs: AMOUNT_OR_NAN,
    copyNs: AMOUNT_OR_NAN,
    ecn: {...U8, isValid: isUpTo(3)},
    marked: {...U8, isValid: isUpTo(1)},
    kind: {...U8, isValid: isUpTo(5)},
    cumulativeAck: AMOUNT_OR_NAN,
  },
  chunks: {
    packet: {...U32, to: 'packets', ascends: true},
    first: AMOUNT,
    bytes: U32,
    stream: U32,
    message: U32,
    retransmission: {...U8, isValid: isUpTo(1)},
  },
  chunkPieces: piecesOf('chunks'),
  samples: {
    atNs: AMOUNT,
    endpoint: U32,
    cwndBytes: AMOUNT,
    // ssthresh is infinite until the sender sets it for the first time
    ssthreshBytes: {...F64, isValid: value => value === Number.POSITIVE_INFINITY || isAmount(value)},
    flightBytes: AMOUNT,
    srttNs: AMOUNT,
    rtoNs: AMOUNT,
    state: {...U8, isValid: isUpTo(5)},
    timeouts: U32,
    probes: U32,
  },
  blocked: {endpoint: U32, stream: U32, first: AMOUNT, bytes: U32, startNs: AMOUNT, endNs: AMOUNT_OR_NAN},
  blockedPieces: piecesOf('blocked'),
  // only captured loads have this table
  gapReports: {packet: {...U32, to: 'packets', ascends: true}, end: AMOUNT},
};

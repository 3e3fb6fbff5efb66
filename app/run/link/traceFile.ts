import {showValue} from '../../base/text.ts';
import {
  type LinkTrace,
  LONGEST_MS,
  MOST_BPS,
  MOST_DELAY_MS,
  MOST_OPPORTUNITIES,
  type Step,
  stepsProblem,
} from './linkTrace.ts';

/** What a trace says: the capacity of a link, or its one-way delay. */
export type TraceOf = 'capacity' | 'delay';

export type ReadTrace =
  | {readonly ok: true; readonly trace: LinkTrace}
  /** `message` says what is wrong. If a line cannot be read, it also gives the number of the line. */
  | {readonly ok: false; readonly message: string};

/**
 * Reads the text of a trace file. Two formats are known.
 * - CSV: each line has a time and a value, which holds from then on. Times are in seconds, or in ms if the first line
 *   is a heading whose first column ends with `ms`. The first time becomes 0. Values are bits per second for a capacity
 *   and ms for a delay. The last value lasts as long as the one before it, and a single value lasts 1 s.
 * - Mahimahi (for a capacity): each line has the time of a delivery opportunity in whole ms.
 */
export function readTraceText(text: string, of: TraceOf): ReadTrace {
  const lines = text.split('\n').map(line => line.trim());
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) return {ok: false, message: 'is empty'};
  const isCsv = lines.slice(0, 2).some(line => /[,;\t]/.test(line));
  if (isCsv) return readCsv(lines, of);
  return of === 'capacity' ? readMahimahi(lines) : {ok: false, message: 'line 1 has no comma: must be TIME,DELAY'};
}

function readMahimahi(lines: readonly string[]): ReadTrace {
  if (lines.length > MOST_OPPORTUNITIES)
    return {ok: false, message: `has ${lines.length} lines (at most ${MOST_OPPORTUNITIES})`};
  const timesMs = new Uint32Array(lines.length);
  let before = 0;
  for (const [row, line] of lines.entries()) {
    const time = /^\d{1,10}$/.test(line) ? Number(line) : Number.NaN;
    if (!(time <= LONGEST_MS)) return refused(row, line, `a time in whole ms, at most ${LONGEST_MS}`);
    if (time < before) return refused(row, line, `at least ${before}, the time of the line before it`);
    before = time;
    timesMs[row] = time;
  }
  if (before === 0) return {ok: false, message: 'ends at 0 ms: the last time must be later'};
  return {ok: true, trace: {kind: 'opportunities', timesMs}};
}

function readCsv(lines: readonly string[], of: TraceOf): ReadTrace {
  const [first = ''] = lines;
  const hasHeading = !/^[-+.\d]/.test(first);
  const unitMs = hasHeading && /ms$/i.test(cellsOf(first)[0] ?? '') ? 1 : 1000;
  const rows: Step[] = [];
  let startMs = 0;
  for (const [row, line] of lines.entries()) {
    if (row === 0 && hasHeading) continue;
    const cells = cellsOf(line);
    const [time, value] = cells.map(cell => (/^[-+]?[.\d]+(e[-+]?\d+)?$/i.test(cell) ? Number(cell) : Number.NaN));
    if (cells.length !== 2 || !Number.isFinite(time) || !Number.isFinite(value))
      return refused(row, line, of === 'capacity' ? 'TIME,BITS-PER-SECOND' : 'TIME,DELAY-IN-MS');
    if (rows.length === 0) startMs = (time ?? 0) * unitMs;
    rows.push([toMicroseconds((time ?? 0) * unitMs - startMs), value ?? 0]);
  }
  const lastMs = rows.at(-1)?.[0] ?? 0;
  const before = rows.at(-2)?.[0];
  const periodMs = toMicroseconds(lastMs + (before === undefined ? 1000 : lastMs - before));
  const most = of === 'capacity' ? MOST_BPS : MOST_DELAY_MS;
  const problem = stepsProblem(rows, periodMs, most);
  return problem === undefined ? {ok: true, trace: {kind: 'steps', rows, periodMs}} : {ok: false, message: problem};
}

function cellsOf(line: string): readonly string[] {
  return line.split(/[,;\t]/).map(cell => cell.trim());
}

/** Rounds ms to whole µs. Without this, decimal fractions would give times such as 299.99999999999994 ms. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function refused(row: number, line: string, limit: string): ReadTrace {
  return {ok: false, message: `line ${row + 1} is ${showValue(line)}: must be ${limit}`};
}

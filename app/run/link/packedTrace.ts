import {deflateSync} from 'fflate';
import {base64, bytesOf} from '../../base/bytes.ts';
import {inflated} from '../../base/inflate.ts';
import {readJson} from '../../base/json.ts';
import {isObject} from '../../base/schema.ts';
import {
  type LinkTrace,
  LONGEST_MS,
  MOST_BPS,
  MOST_DELAY_MS,
  MOST_OPPORTUNITIES,
  type Step,
  stepsProblem,
} from './linkTrace.ts';
import type {ReadTrace, TraceOf} from './traceFile.ts';

/**
 * Packs a trace into a text for a scenario document: JSON, compressed (RFC 1951) and in base64. {@link unpackedTrace}
 * gives the trace back.
 */
export function packedTrace(trace: LinkTrace): string {
  const json = trace.kind === 'steps' ? trace : {kind: trace.kind, gaps: gapsText(trace.timesMs)};
  return base64(deflateSync(new TextEncoder().encode(JSON.stringify(json)), {level: 9}));
}

/**
 * Reads what {@link packedTrace} has packed. It never throws. Recent results are kept, because the same traces are read
 * often.
 */
export function unpackedTrace(packed: string, of: TraceOf): ReadTrace {
  const key = `${of} ${packed}`;
  const known = recent.get(key);
  if (known !== undefined) return known;
  const read = unpack(packed, of);
  if (recent.size >= MOST_RECENT) recent.clear();
  recent.set(key, read);
  return read;
}

const recent = new Map<string, ReadTrace>();
const MOST_RECENT = 16;

function unpack(packed: string, of: TraceOf): ReadTrace {
  if (packed.length > MOST_PACKED)
    return {ok: false, message: `has ${packed.length} characters (at most ${MOST_PACKED})`};
  const bytes = bytesOfBase64(packed);
  const text = bytes && inflated(bytes, MOST_BYTES);
  if (text === undefined) return DAMAGED;
  if (text === 'too large') return {ok: false, message: `contains more than ${MOST_BYTES} bytes`};
  const json = readJson(new TextDecoder().decode(text));
  if (!json.ok || !isObject(json.value)) return DAMAGED;
  const {kind, gaps, rows, periodMs} = json.value as Readonly<Record<string, unknown>>;
  if (kind === 'opportunities' && typeof gaps === 'string' && of === 'capacity') return opportunitiesOf(gaps);
  if (kind !== 'steps' || !isRows(rows) || typeof periodMs !== 'number') return DAMAGED;
  const message = stepsProblem(rows, periodMs, of === 'capacity' ? MOST_BPS : MOST_DELAY_MS);
  return message === undefined ? {ok: true, trace: {kind, rows, periodMs}} : {ok: false, message};
}

function isRows(value: unknown): value is readonly Step[] {
  const isNumber = (each: unknown): boolean => typeof each === 'number';
  return Array.isArray(value) && value.every(row => Array.isArray(row) && row.length === 2 && row.every(isNumber));
}

/**
 * Writes the gaps between opportunities as text. The first gap begins at 0. A gap of 0 to 56 ms is one of the
 * characters from `#` to `[`. Each `]` before this character adds 57 ms to the gap. The network core reads the same
 * text.
 */
export function gapsText(timesMs: Uint32Array): string {
  let text = '';
  let before = 0;
  for (const time of timesMs) {
    const gap = time - before;
    before = time;
    text += LONG_GAP.repeat(Math.floor(gap / LONG_GAP_MS)) + String.fromCharCode(FIRST_GAP + (gap % LONG_GAP_MS));
  }
  return text;
}

function opportunitiesOf(gaps: string): ReadTrace {
  const timesMs: number[] = [];
  let time = 0;
  let isComplete = true;
  for (let at = 0; at < gaps.length; at++) {
    const gap = gaps.charCodeAt(at) - FIRST_GAP;
    isComplete = gap !== LONG_GAP_CODE - FIRST_GAP;
    if (isComplete && !(gap >= 0 && gap < LONG_GAP_MS)) return DAMAGED;
    time += isComplete ? gap : LONG_GAP_MS;
    if (isComplete) timesMs.push(time);
  }
  if (!isComplete || time === 0 || time > LONGEST_MS || timesMs.length > MOST_OPPORTUNITIES) return DAMAGED;
  return {ok: true, trace: {kind: 'opportunities', timesMs: Uint32Array.from(timesMs)}};
}

/** Returns the bytes of a base64 text. Undefined if the text is not base64. */
function bytesOfBase64(text: string): Uint8Array | undefined {
  try {
    return bytesOf(atob(text));
  } catch {
    return undefined;
  }
}

const LONG_GAP = ']';
const LONG_GAP_CODE = 93;
const LONG_GAP_MS = 57;
const FIRST_GAP = 35;

const DAMAGED: ReadTrace = {ok: false, message: 'is not a packed trace; name the trace file again'};

/** The largest number of characters in a packed trace. A scenario file may have four times as many bytes. */
const MOST_PACKED = 1_000_000;
/** The largest size of a trace before it is compressed, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

// Browsers and Node have these (HTML and WHATWG Encoding), but app/ is compiled without the types of either.
declare const atob: (base64: string) => string;
declare const TextEncoder: new () => {encode(text: string): Uint8Array};
declare const TextDecoder: new () => {decode(bytes: Uint8Array): string};

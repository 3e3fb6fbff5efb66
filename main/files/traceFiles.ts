import {basename, resolve} from 'node:path';
import {DEEPEST, type Json} from '../../app/base/json.ts';
import {isObject} from '../../app/base/schema.ts';
import {showName, showValue} from '../../app/base/text.ts';
import {packedTrace} from '../../app/run/link/packedTrace.ts';
import {readTraceText, type TraceOf} from '../../app/run/link/traceFile.ts';
import {TRACE_KEYS} from '../../app/run/scenario/traceSettings.ts';
import {InputError, readInput} from './inputFile.ts';

/**
 * Reads the link traces that a document names with `{"file": "NAME"}`, and returns the document with their contents. A
 * link trace is the capacity or the delay of a link over time (not the trace of a run). The document may be a scenario,
 * a grid or a story, and need not be valid. `folder` is the document's folder, and the names of files are relative to
 * it.
 * @throws InputError with one line that names the file
 */
export function withTraceFiles(document: Json, folder: string): Json {
  const filesRead = new Map<string, string>();
  const read = (file: string, of: TraceOf): string => {
    const key = `${of} ${file}`;
    const known = filesRead.get(key);
    if (known !== undefined) return known;
    if (filesRead.size >= MOST_FILES)
      throw new InputError(`${showName(file)}: there are more than ${MOST_FILES} trace files`);
    const packed = packedFile(resolve(folder, file), of);
    filesRead.set(key, packed);
    return packed;
  };
  const replaced = (value: Json, of: TraceOf | undefined, depth: number): Json => {
    // A value of `--set` may be nested so deeply that the recursion would overflow the stack. It is refused later.
    if (depth > DEEPEST) return value;
    if (Array.isArray(value)) return value.map(each => replaced(each as Json, of, depth + 1));
    if (!isObject(value)) return value;
    if (of !== undefined && Object.hasOwn(value, 'file')) {
      const {file = null, ...others} = value as {readonly [key: string]: Json};
      if (typeof file !== 'string' || file === '')
        throw new InputError(`a trace’s file is ${showValue(file)}: must be a name`);
      return {name: basename(file), packed: read(file, of), ...others};
    }
    return Object.fromEntries(
      Object.entries(value as {[key: string]: Json}).map(([key, each]) => [
        key,
        replaced(each, traceOfKey(key), depth + 1),
      ]),
    );
  };
  return replaced(document, undefined, 0);
}

/**
 * Returns what a link trace at this key of a document describes: the capacity or the delay. If the key is the path of
 * an axis, such as `path.down.trace`, only its last part counts. Returns undefined for keys that have no link trace.
 */
function traceOfKey(key: string): TraceOf | undefined {
  const last = key.slice(key.lastIndexOf('.') + 1);
  return Object.hasOwn(TRACE_KEYS, last) ? TRACE_KEYS[last as keyof typeof TRACE_KEYS] : undefined;
}

function packedFile(path: string, of: TraceOf): string {
  const name = showName(path, 200);
  const bytes = bytesOf(path, name);
  if (bytes.length > LARGEST_BYTES)
    throw new InputError(`${name}: has ${bytes.length} bytes (at most ${LARGEST_BYTES})`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    throw new InputError(`${name}: is no text (UTF-8)`);
  }
  const read = readTraceText(text, of);
  if (!read.ok) throw new InputError(`${name}: ${read.message}`);
  return packedTrace(read.trace);
}

function bytesOf(path: string, name: string): Uint8Array {
  try {
    return readInput(path);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const {code} = error as NodeJS.ErrnoException;
    throw new InputError(`${name}: the trace file cannot be read${code === undefined ? '' : ` (${code})`}`);
  }
}

/** Largest size of a file with a link trace, in bytes. 2,000,000 lines of 8 bytes fit. */
const LARGEST_BYTES = 16_000_000;
const MOST_FILES = 100;

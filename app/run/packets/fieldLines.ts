import type {Field as FieldLine} from '../../http/hpack/field.ts';
import {HpackError} from '../../http/hpack/primitives.ts';
import {fileName} from '../trace/traceTexts.ts';
import type {Field} from './part.ts';

/** A field section, or the reason why it cannot be read. */
export interface FieldSection {
  readonly lines: readonly FieldLine[];
  readonly fault?: string;
}

/** Decodes a field section. The bytes may be invalid. */
export function sectionOf(decode: () => readonly FieldLine[]): FieldSection {
  try {
    return {lines: decode()};
  } catch (error) {
    if (!(error instanceof HpackError)) throw error;
    return {lines: [], fault: `the fields cannot be read: ${error.message}`};
  }
}

/** Returns the lines for display, such as `:status 200`. For padding and other long values, only the size is shown. */
export function lineFields({lines}: FieldSection): readonly Field[] {
  return lines.map(([name, value]) => {
    return {name: printable(name), text: value.length > MOST_SHOWN ? `${value.length} B` : printable(value)};
  });
}

/** Returns the file name in a request's path. Undefined if the section is not a request. */
export function requestName({lines}: FieldSection): string | undefined {
  const path = lines.find(([name]) => name === ':path')?.[1];
  return path === undefined ? undefined : printable(fileName(path));
}

/** Returns a stream's name for people: `stream 5 (river.jpg)`. */
export function streamText(stream: number, names: StreamNames): string {
  const name = names.get(stream);
  return name === undefined ? `stream ${stream}` : `stream ${stream} (${name})`;
}

/** The name of the object requested on each stream. */
export type StreamNames = ReadonlyMap<number, string>;

/** Shows one character per byte, with a dot for each unprintable one. */
function printable(text: string): string {
  return text.replace(/[^ -~]/g, '·');
}

const MOST_SHOWN = 60;

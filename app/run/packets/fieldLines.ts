import {HpackError} from '../../http/hpack/blockReader.ts';
import type {Field as FieldLine} from '../../http/hpack/field.ts';
import {fileName} from '../trace/words.ts';
import type {Field} from './part.ts';

/** What a field section says, or why it cannot be read. */
export interface FieldSection {
  readonly lines: readonly FieldLine[];
  readonly fault?: string;
}

/** What `decode` gives of a section that may be any bytes. */
export function sectionOf(decode: () => readonly FieldLine[]): FieldSection {
  try {
    return {lines: decode()};
  } catch (error) {
    if (!(error instanceof HpackError)) throw error;
    return {lines: [], fault: `the fields cannot be read: ${error.message}`};
  }
}

/** As they are shown: `:status 200`; a filler, or what else is long, by its size. */
export function lineFields({lines}: FieldSection): readonly Field[] {
  return lines.map(([name, value]) => {
    return {name: printable(name), text: value.length > MOST_SHOWN ? `${value.length} B` : printable(value)};
  });
}

/** What a request's page calls its object; undefined for a section of no request. */
export function requestName({lines}: FieldSection): string | undefined {
  const path = lines.find(([name]) => name === ':path')?.[1];
  return path === undefined ? undefined : printable(fileName(path));
}

/** A stream as people know it: `stream 5 (river.jpg)`. */
export function streamText(stream: number, names: StreamNames): string {
  const name = names.get(stream);
  return name === undefined ? `stream ${stream}` : `stream ${stream} (${name})`;
}

/** What each stream's request asks for. */
export type StreamNames = ReadonlyMap<number, string>;

/** One character per byte: those that are no letters are dots. */
function printable(text: string): string {
  return text.replace(/[^ -~]/g, '·');
}

const MOST_SHOWN = 60;

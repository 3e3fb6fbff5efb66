import type {Field, Part} from './part.ts';

/** Some of the bytes that an end has sent on a stream: those in a packet. */
export interface Slice {
  /** From the stream's first byte, as far as all of it was sent in the run. */
  readonly stream: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** What a stream is cut in: a record, a frame, a message. Its end may lie behind all that was sent. */
export interface Unit {
  readonly from: number;
  readonly to: number;
}

/** Those that have bytes in the slice. */
export function unitsIn<U extends Unit>(units: readonly U[], {from, to}: Slice): readonly U[] {
  return units.filter(unit => unit.from < to && unit.to > from);
}

/** A unit's part is told with its header in the packet that it begins in, and in others as what goes on. */
export function isContinued(unit: Unit, slice: Slice): boolean {
  return unit.from < slice.from;
}

/** Which of a unit's bytes are here; nothing where all are. */
export function shareFields(unit: Unit, slice: Slice): readonly Field[] {
  const [from, to] = [Math.max(unit.from, slice.from) - unit.from, Math.min(unit.to, slice.to) - unit.from];
  const bytes = unit.to - unit.from;
  return to - from === bytes ? [] : [{name: 'here', text: `bytes ${from + 1} – ${to} of ${bytes}`}];
}

/** The slice of a stream that is inside of this one: `from` there is `at` here. */
export function innerSlice(outer: Slice, unit: Unit, stream: Uint8Array, at: number): Slice {
  const moved = (place: number): number => Math.max(Math.min(place, unit.to), unit.from) - unit.from + at;
  return {stream, from: moved(outer.from), to: moved(outer.to)};
}

/** What is behind the last unit that can be told: too little of a header, or none. */
export function remainder(slice: Slice, from: number, name: string, fault?: string): readonly Part[] {
  if (slice.to <= from) return [];
  const bytes = slice.to - Math.max(slice.from, from);
  const part = {name, fields: [{name: 'data', text: `${bytes} B`}], parts: []};
  return [fault === undefined ? part : {...part, fault}];
}

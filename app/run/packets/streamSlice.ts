import type {Field, Part} from './part.ts';

/** The range of a stream's bytes that one packet carries. */
export interface Slice {
  /** The stream from its first byte to the first gap in what was sent during the run. */
  readonly stream: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** A unit of a stream: a record, a frame or a message. Its end may be beyond everything that was sent. */
export interface Unit {
  readonly from: number;
  readonly to: number;
}

/** Returns the units that overlap the slice. */
export function unitsIn<U extends Unit>(units: readonly U[], {from, to}: Slice): readonly U[] {
  return units.filter(unit => unit.from < to && unit.to > from);
}

/** Whether the unit began in an earlier packet. Only that packet shows the unit's header. */
export function isContinued(unit: Unit, slice: Slice): boolean {
  return unit.from < slice.from;
}

/** Returns a field with the range of a unit's bytes that is in the slice. Empty if the slice holds the whole unit. */
export function shareFields(unit: Unit, slice: Slice): readonly Field[] {
  const [from, to] = [Math.max(unit.from, slice.from) - unit.from, Math.min(unit.to, slice.to) - unit.from];
  const bytes = unit.to - unit.from;
  return to - from === bytes ? [] : [{name: 'here', text: `bytes ${from + 1} – ${to} of ${bytes}`}];
}

/** Maps a slice to an inner stream, in which the unit's content begins at offset `at`. */
export function innerSlice(outer: Slice, unit: Unit, stream: Uint8Array, at: number): Slice {
  const moved = (place: number): number => Math.max(Math.min(place, unit.to), unit.from) - unit.from + at;
  return {stream, from: moved(outer.from), to: moved(outer.to)};
}

/**
 * Returns a part for the bytes of the slice after the last unit, which ends at `from`. They are an incomplete header,
 * or data that are not a unit. Returns no parts if there are no such bytes.
 */
export function remainder(slice: Slice, from: number, name: string, fault?: string): readonly Part[] {
  if (slice.to <= from) return [];
  const bytes = slice.to - Math.max(slice.from, from);
  const part = {name, fields: [{name: 'data', text: `${bytes} B`}], parts: []};
  return [fault === undefined ? part : {...part, fault}];
}

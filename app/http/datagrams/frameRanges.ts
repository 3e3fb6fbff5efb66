import {MOST_FRAMES} from './datagramFrame.ts';

/** A range of frames from `first` to `last`, both included. */
export interface FrameRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the value of a Range field, such as `frames=3-5,8`. RFC 9110 §14.1 allows units other than bytes. */
export function rangeField(ranges: readonly FrameRange[]): string {
  const texts = ranges.map(({first, last}) => (first === last ? `${first}` : `${first}-${last}`));
  return `${UNIT}=${texts.join(',')}`;
}

/** Parses the value of a Range field. Returns undefined if it is invalid. */
export function readRangeField(value: string): readonly FrameRange[] | undefined {
  if (!/^frames=\d{1,7}(-\d{1,7})?(,\d{1,7}(-\d{1,7})?)*$/.test(value)) return undefined;
  const ranges = value
    .slice(UNIT.length + 1)
    .split(',')
    .map(text => {
      const [first = 0, last = first] = text.split('-').map(Number);
      return {first, last};
    });
  const areValid = ranges.every(({first, last}) => first <= last && last < MOST_FRAMES);
  return areValid && ranges.length <= MOST_RANGES ? ranges : undefined;
}

/** Joins ascending numbers into ranges. */
export function rangesOf(numbers: readonly number[]): readonly FrameRange[] {
  const ranges: {first: number; last: number}[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({first: number, last: number});
  }
  return ranges;
}

const UNIT = 'frames';
/** The largest number of ranges in one request. The next request asks for the rest. */
export const MOST_RANGES = 16;
/** Length of the longest range in a field, `1048575-1048575,`. */
export const RANGE_BYTES = 16;

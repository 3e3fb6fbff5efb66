import {readTyped} from '../../kit/typedNumber.ts';

/**
 * Reads the seconds of a story's step as people type them. Null, the run's end, for an empty text; undefined if it is
 * not a time.
 */
export function readTime(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const seconds = readTyped(text);
  return seconds !== undefined && seconds >= 0 && seconds <= LONGEST_S ? seconds : undefined;
}

/** The longest time that the story format allows, seconds. */
const LONGEST_S = 86_400;

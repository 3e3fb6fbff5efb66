import {readTyped} from '../../kit/typedNumber.ts';

/** Seconds of a story's step as people type them; null, the run's end, for none; undefined if it is no such time. */
export function readTime(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const seconds = readTyped(text);
  return seconds !== undefined && seconds >= 0 && seconds <= LONGEST_S ? seconds : undefined;
}

/** The format's. */
const LONGEST_S = 86_400;

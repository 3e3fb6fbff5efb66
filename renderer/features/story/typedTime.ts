import {readTyped} from '../../kit/typedNumber.ts';

/**
 * Reads a typed number of seconds for a story's step. An empty text gives null, which means the run's end. Returns
 * undefined if the text is not a time.
 */
export function readTime(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const seconds = readTyped(text);
  return seconds !== undefined && seconds >= 0 && seconds <= LONGEST_S ? seconds : undefined;
}

/** The longest time that the story format allows, seconds. */
const LONGEST_S = 86_400;

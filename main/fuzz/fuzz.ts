import {readFileSync} from 'node:fs';
import type {Parameters} from 'fast-check';

// Fuzzers give random input to what reads input from outside. Each has a corpus of inputs that once did harm, which are
// tried first. In tests the cases are always the same and take some seconds. As for the network core, the environment
// variable INTERLEAVE_FUZZ_CASES sets how many new cases are tried, and INTERLEAVE_FUZZ_SEED repeats those of a seed. A
// failure prints the seed and the smallest case, which is then added to the corpus.

const [chosenCases, chosenSeed] = [numberOf('INTERLEAVE_FUZZ_CASES'), numberOf('INTERLEAVE_FUZZ_SEED')];

/** Options for a property that is tried with so many cases in tests. */
export function cases<T>(usual: number): Parameters<T> {
  const seed = chosenSeed ?? (chosenCases === undefined ? 1 : undefined);
  return {numRuns: chosenCases ?? usual, ...(seed === undefined ? {} : {seed})};
}

function numberOf(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new RangeError(`${name} is ${text}: must be a whole number above 0`);
}

/** Inputs that once did harm, each with a name that says what it did. */
export function corpusOf<T>(name: string): readonly (readonly [what: string, input: T])[] {
  const path = new URL(`./corpus/${name}.json`, import.meta.url);
  return Object.entries(JSON.parse(readFileSync(path, 'utf8')) as {readonly [what: string]: T});
}

/** Most ms for a fuzzer's test: as long as the requested cases need. */
export const LONGEST_MS = chosenCases === undefined ? 180_000 : 86_400_000;

import {readFileSync} from 'node:fs';
import type {Parameters} from 'fast-check';

// Fuzzers give random input to code that reads input from outside. Each fuzzer first tries its corpus, which contains
// inputs that once caused failures. In tests the cases are always the same and take some seconds. The environment
// variable INTERLEAVE_FUZZ_CASES sets how many new cases are tried, and INTERLEAVE_FUZZ_SEED repeats the cases of a
// seed. Both variables also apply to the fuzzers of the network core. A failure prints the seed and the smallest
// failing case. Add that case to the corpus.

const [chosenCases, chosenSeed] = [numberOf('INTERLEAVE_FUZZ_CASES'), numberOf('INTERLEAVE_FUZZ_SEED')];

/** Options for a property. Tests try it with `usual` cases. */
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

/** Inputs that once caused failures. The name of an input says what it caused. */
export function corpusOf<T>(name: string): readonly (readonly [what: string, input: T])[] {
  const path = new URL(`./corpus/${name}.json`, import.meta.url);
  return Object.entries(JSON.parse(readFileSync(path, 'utf8')) as {readonly [what: string]: T});
}

/** Most ms for a fuzzer's test. This is long enough for the requested number of cases. */
export const LONGEST_MS = chosenCases === undefined ? 180_000 : 86_400_000;

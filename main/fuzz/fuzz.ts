import {readFileSync} from 'node:fs';
import type {Parameters} from 'fast-check';

// Fuzzers give random input to code that reads input from outside. Each fuzzer first tries its corpus, which contains
// inputs that once caused failures. Then it tries new cases. By default, they are the same in every run and take some
// seconds. The environment variable INTERLEAVE_FUZZ_CASES sets how many new cases are tried, and makes them different
// in each run. INTERLEAVE_FUZZ_SEED repeats the cases of a seed. Both variables also apply to the fuzzers of the
// network core. A failure prints the seed and the smallest failing case. Add that case to the corpus.

const [chosenCases, chosenSeed] = [numberOf('INTERLEAVE_FUZZ_CASES'), numberOf('INTERLEAVE_FUZZ_SEED')];

/** Options for a property of fast-check. If INTERLEAVE_FUZZ_CASES is not set, `usual` cases are tried. */
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

/** Inputs that once caused failures. The name of an input describes the input or the failure. */
export function corpusOf<T>(name: string): readonly (readonly [what: string, input: T])[] {
  const path = new URL(`./corpus/${name}.json`, import.meta.url);
  return Object.entries(JSON.parse(readFileSync(path, 'utf8')) as {readonly [what: string]: T});
}

/** Time limit of a fuzzer's test in ms: three minutes, or a day if INTERLEAVE_FUZZ_CASES is set. */
export const LONGEST_MS = chosenCases === undefined ? 180_000 : 86_400_000;

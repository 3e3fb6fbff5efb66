import {readFileSync} from 'node:fs';
import type {Parameters} from 'fast-check';

// Fuzzers: what reads input from elsewhere is given input at random. Each has a corpus of inputs that once did harm, which
// are always tried first. In tests the cases are the same each time and take some seconds. As those of the network core,
// INTERLEAVE_FUZZ_CASES has so many of each, others each time, or those of INTERLEAVE_FUZZ_SEED. A failure prints the seed
// and the smallest case: add that to the corpus.

const [chosenCases, chosenSeed] = [numberOf('INTERLEAVE_FUZZ_CASES'), numberOf('INTERLEAVE_FUZZ_SEED')];

/** For a property of which so many cases are tried in tests. */
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

/** Inputs that once did harm, each with what it did. */
export function corpusOf<T>(name: string): readonly (readonly [what: string, input: T])[] {
  const path = new URL(`./corpus/${name}.json`, import.meta.url);
  return Object.entries(JSON.parse(readFileSync(path, 'utf8')) as {readonly [what: string]: T});
}

/** How long a fuzzer's test may take, ms: as long as was asked for. */
export const LONGEST_MS = chosenCases === undefined ? 180_000 : 86_400_000;

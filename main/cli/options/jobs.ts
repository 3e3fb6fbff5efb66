import {availableParallelism} from 'node:os';
import type {Option} from './option.ts';
import {UsageError} from './usageError.ts';

export const JOBS = {
  type: 'string',
  value: 'N',
  help: 'The number of threads. The default is the number of cores.',
} as const satisfies Option;

/** @throws UsageError */
export function jobsOf(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  const jobs = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (jobs < 1 || jobs > MOST_JOBS) throw new UsageError(`--jobs is ${text || 'empty'}: must be 1 to ${MOST_JOBS}`);
  return jobs;
}

const MOST_JOBS = 256;

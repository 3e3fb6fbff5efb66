import {readSeeds} from '../../../app/run/scenario/seeds.ts';
import {UsageError} from './usageError.ts';

/** @throws UsageError */
export function parseSeeds(text: string): readonly number[] {
  const read = readSeeds(text);
  if (!read.ok) throw new UsageError(`--seeds is ${text || 'empty'}: ${read.limit}`);
  return read.seeds;
}

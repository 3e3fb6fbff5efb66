import {describedBy, fail, type Parser} from '../../base/schema.ts';

/**
 * How long scripts, style and layout take on a recorded page: as long as in the recording (`recorded`), or no time
 * (`none`). A number multiplies the times of the recording.
 */
export type Cpu = 'recorded' | 'none' | number;

/** Returns the factor by which the recorded times of scripts, style and layout are multiplied. */
export function cpuFactor(cpu: Cpu): number {
  if (cpu === 'recorded') return 1;
  return cpu === 'none' ? 0 : cpu;
}

export const cpuSetting: Parser<Cpu> = describedBy(
  () => ({anyOf: [{enum: WORDS}, {type: 'number', minimum: LEAST, maximum: MOST}]}),
  (value, path, problems) => {
    const word = WORDS.find(each => each === value);
    if (word !== undefined) return word;
    if (typeof value === 'number' && value >= LEAST && value <= MOST) return value;
    return fail(problems, path, value, `"recorded", "none" or a number from ${LEAST} to ${MOST}`);
  },
);

const WORDS = ['recorded', 'none'] as const;
const LEAST = 0.1;
const MOST = 100;

import {checkThresholds, DEFAULT_THRESHOLDS, type Thresholds} from '../../../app/run/quality/states.ts';
import type {Option, Options, Values} from './option.ts';
import {asUsage, UsageError} from './usageError.ts';

/** Options for the thresholds: the SSIM to the complete picture at which a picture counts as recognisable or good. */
export const THRESHOLD_OPTIONS = {
  recognisable: {
    type: 'string',
    value: `${DEFAULT_THRESHOLDS.recognisable}`,
    help:
      'A picture counts as recognisable when its likeness (SSIM) to the complete picture reaches this value: above ' +
      '0, at most 1.',
  },
  good: {
    type: 'string',
    value: `${DEFAULT_THRESHOLDS.good}`,
    help: 'A picture counts as good when its likeness reaches this value: at least --recognisable, at most 1.',
  },
} as const satisfies Options;

export const VISUAL = {
  type: 'boolean',
  help:
    'Also measures what a reader sees: when pictures are recognisable and good, visual progress, and Speed Index. ' +
    'This needs Chromium or Chrome, and takes a few seconds the first time.',
} as const satisfies Option;

export const VISUAL_OPTIONS = {
  visual: VISUAL,
  recognisable: THRESHOLD_OPTIONS.recognisable,
  good: THRESHOLD_OPTIONS.good,
} as const satisfies Options;

/** Returns the thresholds for visual metrics. Undefined without `--visual`. @throws UsageError */
export function visualOf(values: Values<typeof VISUAL_OPTIONS>): Thresholds | undefined {
  const [needless] = (['recognisable', 'good'] as const).filter(name => values[name] !== undefined);
  if (!values.visual) {
    if (needless !== undefined) throw new UsageError(`--${needless} is for visual metrics: --visual is missing`);
    return undefined;
  }
  const threshold = (name: 'recognisable' | 'good'): number => {
    const text = values[name];
    if (text === undefined) return DEFAULT_THRESHOLDS[name];
    // an empty text is not a number, although Number('') is 0
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isNaN(value)) throw new UsageError(`--${name} is ${text.trim() || 'empty'}: must be a number`);
    return value;
  };
  const thresholds = {recognisable: threshold('recognisable'), good: threshold('good')};
  return asUsage(() => checkThresholds(thresholds));
}

import {checkThresholds, DEFAULT_THRESHOLDS, type Thresholds} from '../../../app/run/quality/states.ts';
import type {Option, Options, Values} from './option.ts';
import {asUsage, UsageError} from './usageError.ts';

/** Options for the likeness from which a picture counts as recognisable, and as good. */
export const THRESHOLD_OPTIONS = {
  recognisable: {
    type: 'string',
    value: `${DEFAULT_THRESHOLDS.recognisable}`,
    help: 'The likeness (SSIM) from which on a picture is recognisable: above 0, at most 1.',
  },
  good: {
    type: 'string',
    value: `${DEFAULT_THRESHOLDS.good}`,
    help: 'The likeness from which on a picture is good: from --recognisable to 1.',
  },
} as const satisfies Options;

export const VISUAL = {
  type: 'boolean',
  help:
    'Measures what is to be seen, too: recognisable and good pictures, visual progress and Speed Index. It needs ' +
    'Chromium or Chrome, and takes a few seconds the first time.',
} as const satisfies Option;

export const VISUAL_OPTIONS = {
  visual: VISUAL,
  recognisable: THRESHOLD_OPTIONS.recognisable,
  good: THRESHOLD_OPTIONS.good,
} as const satisfies Options;

/** The thresholds for visual metrics. Undefined if `--visual` was not given. @throws UsageError */
export function visualOf(values: Values<typeof VISUAL_OPTIONS>): Thresholds | undefined {
  const [needless] = (['recognisable', 'good'] as const).filter(name => values[name] !== undefined);
  if (!values.visual) {
    if (needless !== undefined) throw new UsageError(`--${needless} counts with --visual only`);
    return undefined;
  }
  const threshold = (name: 'recognisable' | 'good'): number => {
    const text = values[name];
    if (text === undefined) return DEFAULT_THRESHOLDS[name];
    // an empty text is no number, although Number('') is 0
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isNaN(value)) throw new UsageError(`--${name} is ${text}: must be a number`);
    return value;
  };
  const thresholds = {recognisable: threshold('recognisable'), good: threshold('good')};
  return asUsage(() => checkThresholds(thresholds));
}

import type {ParseArgsConfig} from 'node:util';
import {checkThresholds, DEFAULT_THRESHOLDS, type Thresholds} from '../../app/run/quality/states.ts';
import {UsageError} from './usageError.ts';

export const VISUAL_OPTIONS = {
  visual: {type: 'boolean'},
  recognisable: {type: 'string'},
  good: {type: 'string'},
} as const satisfies ParseArgsConfig['options'];

/** Undefined without `--visual`. @throws UsageError */
export function visualOf(values: {
  readonly visual?: boolean | undefined;
  readonly recognisable?: string | undefined;
  readonly good?: string | undefined;
}): Thresholds | undefined {
  const [needless] = (['recognisable', 'good'] as const).filter(name => values[name] !== undefined);
  if (!values.visual) {
    if (needless !== undefined) throw new UsageError(`--${needless} counts with --visual only`);
    return undefined;
  }
  const of = (name: 'recognisable' | 'good'): number => {
    const text = values[name];
    if (text === undefined) return DEFAULT_THRESHOLDS[name];
    // an empty text would be 0
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isNaN(value)) throw new UsageError(`--${name} is ${text}: must be a number`);
    return value;
  };
  try {
    return checkThresholds({recognisable: of('recognisable'), good: of('good')});
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}

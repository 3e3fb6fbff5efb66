import {ALL_METRICS, METRICS, type Metric} from '../../../app/study/experiment/metricList.ts';

/** What a figure can show, that which is asked for most first; what the eye gets where that is measured. */
export function metricOptions(isSeen: boolean): readonly Metric[] {
  const all = isSeen ? ALL_METRICS : METRICS;
  // 100 %Page is T
  const others = all.filter(({name}) => !FIRST.includes(name) && name !== 'p100PageMs');
  return [...FIRST.flatMap(name => all.find(metric => metric.name === name) ?? []), ...others];
}

const FIRST: readonly string[] = [
  'pageTimeMs',
  'p25PageMs',
  'p50PageMs',
  'p75PageMs',
  'silentMs',
  'recognisableMs',
  'speedIndexMs',
  'goodMs',
  'visuallyComplete85Ms',
  'visuallyComplete100Ms',
];

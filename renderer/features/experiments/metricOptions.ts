import {ALL_METRICS, METRICS, type Metric} from '../../../app/study/experiment/metricList.ts';

/** The metrics that a figure can show, the most common first. Visual metrics are included if `isSeen`. */
export function metricOptions(isSeen: boolean): readonly Metric[] {
  const all = isSeen ? ALL_METRICS : METRICS;
  // `p100PageMs` is the same time as `pageTimeMs` (the page time T), which is in the list already
  const others = all.filter(({name}) => !FIRST.includes(name) && name !== 'p100PageMs');
  return [...FIRST.flatMap(name => all.find(metric => metric.name === name) ?? []), ...others];
}

const FIRST: readonly string[] = [
  'finishMs',
  'fcpMs',
  'lcpMs',
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

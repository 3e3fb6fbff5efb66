import {PERCENTS} from '../../../app/run/metrics/metrics.ts';
import {secondsText} from '../../../app/run/trace/traceTexts.ts';

/**
 * Names a milestone. A number is a percentage: every object has at least this share of its bytes (paper N07, §5). A
 * text says how much can be seen of the page.
 */
export type MilestoneKey = (typeof PERCENTS)[number] | 'recognisable' | 'good' | '85 % visual' | '100 % visual';

interface MilestoneTime {
  readonly key: MilestoneKey;
  readonly seconds: number;
}

/** Writes milestones that share a label, in full or as short as possible. */
interface MilestoneWriter {
  readonly inFull: (group: readonly MilestoneTime[]) => string;
  readonly inShort: (group: readonly MilestoneTime[]) => string;
}

/** The texts for the milestones of one pane. They are either all percentages of bytes or all visual. */
export function milestoneWriter(all: readonly MilestoneTime[]): MilestoneWriter {
  return all.every(({key}) => isPercent(key)) ? OF_BYTES : VISUAL;
}

const OF_BYTES: MilestoneWriter = {
  inFull: group => `${group.every(({key}) => key === 100) ? '' : 'all '}${numbers(group)}`,
  inShort: numbers,
};

/** For example `25, 50 %` or `75 %, page 20.2 s`. */
function numbers(group: readonly MilestoneTime[]): string {
  const percents = group.flatMap(({key}) => (key === 100 ? [] : key)).join(', ');
  const page = group.find(({key}) => key === 100);
  return [
    ...(percents === '' ? [] : [`${percents} %`]),
    ...(page === undefined ? [] : [`page ${secondsText(page.seconds * 1e9)}`]),
  ].join(', ');
}

const VISUAL: MilestoneWriter = {
  inFull: group => group.map(milestone => FULL[milestone.key]?.(timeText(milestone.seconds)) ?? '').join(', '),
  inShort: group => group.map(milestone => SHORT[milestone.key]?.(timeText(milestone.seconds)) ?? '').join(', '),
};

type Texts = {readonly [K in MilestoneKey]?: (time: string) => string};

const FULL: Texts = {
  recognisable: time => `all recognisable ${time}`,
  good: time => `all good ${time}`,
  '85 % visual': () => 'visually 85 %',
  '100 % visual': time => `complete ${time}`,
};

const SHORT: Texts = {
  recognisable: () => 'recognisable',
  good: () => 'good',
  '85 % visual': () => 'visually 85 %',
  '100 % visual': time => `complete ${time}`,
};

/** For example `11.7 s` or `30 ms`. */
export function timeText(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

function isPercent(key: MilestoneKey): boolean {
  return PERCENTS.some(percent => percent === key);
}

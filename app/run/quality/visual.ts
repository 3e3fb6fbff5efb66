import {cachedByTrace} from '../trace/cachedByTrace.ts';
import type {Trace} from '../trace/trace.ts';
import {qualityAt} from './curve.ts';
import {type PageQuality, paintedFromNs, picturesOf, seenIn, seenObjects} from './pageQuality.ts';
import type {Thresholds} from './states.ts';

/**
 * Visual metrics of one load, in ms since navigation, which is the start of the run. A metric is null if the load never
 * reached the state that it measures.
 */
export type Visual = VisualOf<number | null>;

/** A {@link Visual} with values of another type. */
export interface VisualOf<T> {
  /**
   * The time from which every picture that a viewer counts (`picturesOf`) is at least recognisable. Null if there are
   * no such pictures.
   */
  readonly recognisableMs: T;
  /** The time from which each of these pictures is at least good. */
  readonly goodMs: T;
  /**
   * Speed Index: ∫ (1 − visual progress) dt up to the last change, as WebPageTest defines it (P. Meenan, 2012: 'the
   * area above the curve'). Null if the first screen never completes, or shows nothing. Time counts from navigation, as
   * in WebPageTest. Unlike there, progress is measured by SSIM, as in the Perceptual Speed Index (Gao, Dey and Ahammad,
   * Internet-QoE 2017). WebPageTest compares histograms, for which a picture that is upside down is complete.
   */
  readonly speedIndexMs: T;
  /** The times when progress first reaches 85 % and 100 %. */
  readonly visuallyCompleteMs: {readonly 85: T; readonly 100: T};
}

/**
 * For each metric: the column name in tables for scripts, the label for people, and a function that reads the value.
 */
export const VISUAL_TIMES: readonly {
  readonly column: string;
  readonly label: string;
  readonly of: <T>(visual: VisualOf<T>) => T;
}[] = [
  {column: 'recognisableMs', label: 'all recognisable', of: visual => visual.recognisableMs},
  {column: 'goodMs', label: 'all good', of: visual => visual.goodMs},
  {column: 'speedIndexMs', label: 'Speed Index', of: visual => visual.speedIndexMs},
  {column: 'visuallyComplete85Ms', label: '85 % visible', of: visual => visual.visuallyCompleteMs[85]},
  {column: 'visuallyComplete100Ms', label: '100 % visible', of: visual => visual.visuallyCompleteMs[100]},
];

/** A quality that holds from `atNs` until the next step. */
export interface QualityStep {
  readonly atNs: number;
  /** 0–1. */
  readonly quality: number;
}

export interface ProgressStep {
  readonly atNs: number;
  /** 0–1. */
  readonly progress: number;
}

/**
 * Returns the steps in which an object's quality rises. The quality is 0 before the first step. Empty for an object
 * that cannot be seen, and if painting never starts.
 */
export function qualitySteps(trace: Trace, quality: PageQuality, object: number): readonly QualityStep[] {
  const curve = seenIn(trace, quality)[object]?.curve ?? [];
  const {atNs, bytes} = trace.deliveriesOf(object);
  const fromNs = paintedFromNs(trace, quality);
  const steps: QualityStep[] = [];
  if (fromNs === Number.POSITIVE_INFINITY) return steps;
  let last = 0;
  for (let row = 0; row < atNs.length; row++) {
    const reached = qualityAt(curve, bytes[row] ?? 0);
    if (reached <= last) continue;
    last = reached;
    const seenNs = Math.max(atNs[row] ?? 0, fromNs);
    // If there are several values at one time, the last one counts.
    if (steps.at(-1)?.atNs === seenNs) steps.pop();
    steps.push({atNs: seenNs, quality: reached});
  }
  return steps;
}

/**
 * Returns the page's visual progress as steps. It is 0 before the first step, and then the mean quality of all objects,
 * weighted by the area of the first screen that they cover. Empty if no object covers any of it.
 */
export const progressSteps = cachedByTrace((trace, quality: PageQuality): readonly ProgressStep[] => {
  const seen = seenObjects(trace, quality).filter(([, {area}]) => area > 0);
  const wholeArea = seen.reduce((sum, [, {area}]) => sum + area, 0);
  const rises = seen
    .flatMap(([object, {area}]) => {
      let before = 0;
      return qualitySteps(trace, quality, object).map(step => {
        const rise = {atNs: step.atNs, area: area * (step.quality - before), ends: step.quality >= 1};
        before = step.quality;
        return rise;
      });
    })
    .sort((a, b) => a.atNs - b.atNs);
  const steps: ProgressStep[] = [];
  let [seenArea, awaited] = [0, seen.length];
  for (const [i, {atNs, area, ends}] of rises.entries()) {
    seenArea += area;
    if (ends) awaited -= 1;
    // If there are several values at one time, the last one counts.
    if (rises[i + 1]?.atNs === atNs) continue;
    // A sum of rounded fractions may differ from 1 although all objects are complete.
    steps.push({atNs, progress: awaited === 0 ? 1 : Math.min(seenArea / wholeArea, ALMOST)});
  }
  return steps;
});

/** The largest number below 1. Progress is 1 only if all objects are complete. */
const ALMOST = 1 - Number.EPSILON / 2;

export const measureVisual = cachedByTrace((trace, quality: PageQuality, thresholds: Thresholds): Visual => {
  const steps = progressSteps(trace, quality);
  const completeNs = firstNs(steps, 1);
  return {
    recognisableMs: toMs(allPicturesNs(trace, quality, thresholds.recognisable)),
    goodMs: toMs(allPicturesNs(trace, quality, thresholds.good)),
    speedIndexMs: completeNs === null ? null : areaAboveNs(steps) / 1e6,
    visuallyCompleteMs: {85: toMs(firstNs(steps, 0.85)), 100: toMs(completeNs)},
  };
});

function firstNs(steps: readonly ProgressStep[], progress: number): number | null {
  return steps.find(step => step.progress >= progress)?.atNs ?? null;
}

/** Returns ∫ (1 − progress) dt from 0 to the last step. */
function areaAboveNs(steps: readonly ProgressStep[]): number {
  let [area, lastNs, progress] = [0, 0, 0];
  for (const step of steps) {
    area += (1 - progress) * (step.atNs - lastNs);
    lastNs = step.atNs;
    progress = step.progress;
  }
  return area;
}

/**
 * Returns the time when the last picture reached a quality. Null if some picture never did, or if there are no
 * pictures.
 */
function allPicturesNs(trace: Trace, quality: PageQuality, least: number): number | null {
  let latest: number | null = null;
  for (const [object] of picturesOf(trace, quality)) {
    const reached = qualitySteps(trace, quality, object).find(step => step.quality >= least);
    if (reached === undefined) return null;
    latest = Math.max(latest ?? 0, reached.atNs);
  }
  return latest;
}

function toMs(ns: number | null): number | null {
  return ns === null ? null : ns / 1e6;
}

import {firstAbove} from '../../base/order.ts';
import {qualityAt} from '../quality/curve.ts';
import {paintedFromNs, picturesOf} from '../quality/pageQuality.ts';
import type {Eye} from '../quality/states.ts';
import type {Trace} from '../trace/trace.ts';
import {isLeftOut} from '../trace/traceData.ts';
import {isScript} from '../trace/traceTexts.ts';
import {completeTarget, type PathTarget, type WhyOptions} from './criticalPath.ts';

/** The moment of a load that is explained. `url` is the address of an object, as the page writes it. */
export type WhyMetric =
  | {readonly kind: 'finish'}
  | {readonly kind: 'recognisable'; readonly eye: Eye}
  | {readonly kind: 'lcp'}
  | {readonly kind: 'object'; readonly url: string};

/** The object whose bytes determined the moment, or the reason why the load has no such moment. */
export type FoundTarget = {readonly ok: true; readonly target: PathTarget} | {readonly ok: false; readonly why: string};

/** What is known of the paints of a load. */
type SeenPaints = Pick<WhyOptions, 'isPaintSeen'>;

/** Finds the object whose bytes determined the moment of a metric. */
export function targetOf(trace: Trace, metric: WhyMetric, seen: SeenPaints): FoundTarget {
  switch (metric.kind) {
    case 'finish':
      return finishTarget(trace);
    case 'recognisable':
      return recognisableTarget(trace, metric.eye);
    case 'lcp':
      return lcpTarget(trace, seen);
    case 'object': {
      const object = trace.objects.findIndex(({url}) => url === metric.url);
      if (object < 0) return absent(`the page has no object ${metric.url}`);
      return found(completeTarget(trace, object), `${metric.url} was never complete`);
    }
  }
}

/** Returns the time of a metric's moment. Null if the load has no such moment. */
export function momentNs(trace: Trace, metric: WhyMetric, seen: SeenPaints): number | null {
  const found = targetOf(trace, metric, seen);
  return found.ok ? (found.target.shownNs ?? found.target.atNs) : null;
}

/** Returns the object that was complete last. */
function finishTarget(trace: Trace): FoundTarget {
  const {outcome, reason} = trace.data;
  if (outcome !== 'complete') return absent(reason === null ? `the load is ${outcome}` : `${outcome}: ${reason}`);
  return found(lastOf(trace, all(trace)), 'no object was complete');
}

/**
 * Returns the picture that became recognisable last, or the style sheet that held back the first paint, if that took
 * longer.
 */
function recognisableTarget(trace: Trace, {quality, thresholds}: Eye): FoundTarget {
  const paintNs = paintedFromNs(trace, quality);
  const pictures = picturesOf(trace, quality);
  if (pictures.length === 0) return absent('the page has no picture');
  if (paintNs === Number.POSITIVE_INFINITY) return absent('the page was never painted');
  let last: PathTarget | null = null;
  for (const [object, {curve}] of pictures) {
    const {atNs, bytes} = trace.deliveriesOf(object);
    const {completeNs = null} = trace.objects[object] ?? {};
    const row = bytes.findIndex(each => qualityAt(curve, each) >= thresholds.recognisable);
    const reachedNs = row < 0 ? completeNs : (atNs[row] ?? 0);
    if (reachedNs === null) return absent(`${trace.objects[object]?.url} was never recognisable`);
    if (last === null || reachedNs > last.atNs)
      last = {object, bytes: trace.bytesAt(object, reachedNs), atNs: reachedNs};
  }
  if (last !== null && last.atNs >= paintNs) return {ok: true, target: last};
  return found(lastOf(trace, quality.blocking ?? []), 'the page was never painted');
}

/**
 * Returns what completed last before the largest element was painted: the element's picture, or a style sheet or
 * script, which may have held back the paint. If the element is a text, the document's bytes are considered, too.
 */
function lcpTarget(trace: Trace, {isPaintSeen}: SeenPaints): FoundTarget {
  const {milestones} = trace.data;
  const {lcpNs = null, lcpObject = null} = milestones ?? {};
  if (lcpNs === null)
    return absent(isPaintSeen && milestones !== undefined ? UNPAINTED : 'it is not known when the page was painted');
  const holds = all(trace).filter(object => holdsPaint(trace.objects[object]?.url ?? ''));
  const last = lastOf(trace, lcpObject === null ? holds : [lcpObject, ...holds], lcpNs);
  const document = lcpObject === null ? documentTarget(trace, lcpNs) : null;
  const target = document !== null && (last === null || document.atNs > last.atNs) ? document : last;
  return found(target === null ? null : {...target, shownNs: lcpNs}, UNPAINTED);
}

function holdsPaint(url: string): boolean {
  return isScript(url) || /\.css([?#]|$)/.test(url);
}

const UNPAINTED = 'nothing was painted';

/** Returns the bytes of the document that had arrived at `atNs`. Null if none had. */
function documentTarget(trace: Trace, atNs: number): PathTarget | null {
  const {atNs: times} = trace.deliveriesOf(0);
  const readNs = times[firstAbove(times, atNs) - 1];
  return readNs === undefined ? null : {object: 0, bytes: trace.bytesAt(0, readNs), atNs: readNs};
}

function all(trace: Trace): readonly number[] {
  return [...trace.objects.keys()].filter(object => {
    const entry = trace.objects[object];
    return entry !== undefined && !isLeftOut(entry);
  });
}

/** Returns the object that was complete last, but not after `untilNs`. Null if none was complete. */
function lastOf(trace: Trace, objects: readonly number[], untilNs = Number.POSITIVE_INFINITY): PathTarget | null {
  return objects.reduce<PathTarget | null>((last, object) => {
    const target = completeTarget(trace, object);
    if (target === null || target.atNs > untilNs) return last;
    return last === null || target.atNs > last.atNs ? target : last;
  }, null);
}

function found(target: PathTarget | null, why: string): FoundTarget {
  return target === null ? absent(why) : {ok: true, target};
}

function absent(why: string): FoundTarget {
  return {ok: false, why};
}

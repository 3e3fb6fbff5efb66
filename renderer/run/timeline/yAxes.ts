import {qualityAt} from '../../../app/run/quality/curve.ts';
import {type ObjectQuality, seenIn} from '../../../app/run/quality/pageQuality.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {progressSteps} from '../../../app/run/quality/visual.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Axis} from '../../../app/telling/movie/options.ts';
import type {Point} from './drawing.ts';
import type {TimelineModel} from './model.ts';
import {pageSteps} from './steps.ts';

/** A y axis of the percent view. It defines what the view counts of objects and pages. */
export interface YAxis {
  readonly name: Axis;
  /** The note beside each pane's name. Empty if the user chose bytes, because a reader expects bytes without a note. */
  readonly words: string;
  /** The percentage of an object when its first `bytes` bytes have arrived. Null if it has no line on this axis. */
  readonly percentOf: (trace: Trace, object: number, bytes: number) => number | null;
  /** The line of the page; x in ns, y in percent. */
  readonly pageSteps: (trace: Trace) => readonly Point[];
  /** Whether the page has a line in every graph. Otherwise it has a line only in graphs with more than two panes. */
  readonly hasPageLine: boolean;
}

/**
 * The axis of a model. If the user chose scans or visual progress, bytes are counted instead until the page's pictures
 * are measured, and also if nothing of the page can be seen.
 */
export function yAxisOf({axis, eye}: Pick<TimelineModel, 'axis' | 'eye'>): YAxis {
  if (axis === 'bytes') return BYTES;
  if (eye === null) return {...BYTES, words: 'bytes, while pictures are measured…'};
  if (eye.quality.objects.every(each => each === null)) return {...BYTES, words: 'bytes, because nothing can be seen'};
  return axis === 'scans' ? scansAxis(eye) : visualAxis(eye);
}

const BYTES: YAxis = {
  name: 'bytes',
  words: '',
  percentOf: ({objects}, object, bytes) => share(bytes, objects[object]?.bytes ?? 0),
  pageSteps,
  hasPageLine: false,
};

/** Counts complete scans, and the share of the scan that is arriving. An object without scans counts as one scan. */
function scansAxis({quality}: Eye): YAxis {
  const percentOf: YAxis['percentOf'] = (trace, object, bytes) => {
    const whole = trace.objects[object]?.bytes ?? 0;
    return scansPercent(seenIn(trace, quality)[object]?.scanEnds ?? [whole], bytes);
  };
  return {
    name: 'scans',
    words: 'scans',
    percentOf,
    pageSteps: trace => meanSteps(trace, percentOf),
    hasPageLine: false,
  };
}

/** Counts how much can be seen of each object, and of the first screen. */
function visualAxis({quality}: Eye): YAxis {
  return {
    name: 'visual',
    words: 'visual',
    percentOf: (trace, object, bytes) => {
      const seen = seenIn(trace, quality)[object] ?? null;
      return seen === null ? null : seenPercent(seen, bytes);
    },
    pageSteps: trace => visualSteps(trace, quality),
    hasPageLine: true,
  };
}

function seenPercent({curve}: ObjectQuality, bytes: number): number {
  return 100 * qualityAt(curve, bytes);
}

function visualSteps(trace: Trace, quality: Eye['quality']): readonly Point[] {
  let percent = 0;
  const points = progressSteps(trace, quality).flatMap(({atNs, progress}) => {
    const before = percent;
    percent = 100 * progress;
    return [
      {x: atNs, y: before},
      {x: atNs, y: percent},
    ];
  });
  return points.length === 0 ? [] : [...points, {x: trace.data.endNs, y: percent}];
}

/**
 * The percentage of an object's scans that its first `bytes` bytes contain. `ends` has the number of bytes up to the
 * end of each scan, in rising order.
 */
export function scansPercent(ends: readonly number[], bytes: number): number {
  const whole = ends.filter(end => end <= bytes).length;
  const [from, to] = [ends[whole - 1] ?? 0, ends[whole]];
  const running = to === undefined ? 0 : Math.max(bytes - from, 0) / (to - from);
  return ends.length === 0 ? 0 : (100 * (whole + running)) / ends.length;
}

/** The line of the page: the mean percentage of all objects whose size is not 0; x in ns. */
function meanSteps(trace: Trace, percentOf: YAxis['percentOf']): readonly Point[] {
  const {deliveries, objects, endNs} = trace.data;
  const count = objects.filter(({bytes}) => bytes > 0).length;
  const had = new Map<number, number>();
  const points: Point[] = [];
  let sum = 0;
  for (const [row, object] of deliveries.object.entries()) {
    const [x, bytes] = [deliveries.atNs[row] ?? 0, deliveries.bytes[row] ?? 0];
    points.push({x, y: sum / count});
    const percent = percentOf(trace, object, bytes) ?? 0;
    sum += percent - (had.get(object) ?? 0);
    had.set(object, percent);
    points.push({x, y: sum / count});
  }
  return points.length === 0 ? [] : [...points, {x: endNs, y: sum / count}];
}

function share(bytes: number, size: number): number {
  return size === 0 ? 0 : Math.min(100, (100 * bytes) / size);
}

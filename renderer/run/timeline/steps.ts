import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Point} from './drawing.ts';

/**
 * The line of an object: its percentage over time. `percentOf` converts the number of delivered bytes to this
 * percentage. `place` converts a time (ns) and a percentage to a point. The line begins at the first delivery and ends
 * at 100 %. If the object does not reach 100 %, the line ends at `toNs` or at the load's end, whichever is earlier.
 */
export function percentSteps(
  trace: Trace,
  object: number,
  toNs: number,
  percentOf: (bytes: number) => number,
  place: (atNs: number, percent: number) => Point,
): readonly Point[] {
  const row = trace.objects[object];
  if (row === undefined || row.requestNs === null) return [];
  const points: Point[] = [];
  let percent = 0;
  const {atNs: times, bytes} = trace.deliveriesOf(object);
  // hundreds of lines are drawn at each move of the pointer, so this loop makes no intermediate lists
  for (let i = 0; i < times.length; i++) {
    const atNs = times[i] ?? 0;
    points.push(place(atNs, percent));
    percent = percentOf(bytes[i] ?? 0);
    points.push(place(atNs, percent));
  }
  // the line of a complete object ends at 100 %, because many lines along the top would hide each other
  if (percent < 100 && points.length > 0) points.push(place(Math.min(toNs, trace.data.endNs), percent));
  return points;
}

/** The line of the page: the percentage of all bytes of its objects over time; x in ns, y in percent. */
export function pageSteps({data}: Trace): readonly Point[] {
  const size = data.objects.reduce((sum, {bytes}) => sum + bytes, 0);
  const had = new Map<number, number>();
  const points: Point[] = [];
  let total = 0;
  for (const [row, object] of data.deliveries.object.entries()) {
    const [atNs, bytes] = [data.deliveries.atNs[row] ?? 0, data.deliveries.bytes[row] ?? 0];
    points.push({x: atNs, y: percentOf(total, size)});
    total += bytes - (had.get(object) ?? 0);
    had.set(object, bytes);
    points.push({x: atNs, y: percentOf(total, size)});
  }
  return points.length === 0 ? [] : [...points, {x: data.endNs, y: percentOf(total, size)}];
}

function percentOf(bytes: number, size: number): number {
  return size === 0 ? 0 : (100 * bytes) / size;
}

import type {Trace} from '../../app/trace/trace.ts';

/** How the seed makes losses alike. Numbers differ where sides send different numbers of packets. */
export function seedText(seed: number, sides: number): string {
  return sides < 2
    ? `seed ${seed}`
    : `seed ${seed}: packet k of a direction draws the same fate on every side`;
}

/** What of the page came in the whole run: once if it is the same everywhere, else for each side. */
export function deliveredText(traces: readonly Trace[]): string {
  const bytes = traces.map(trace => trace.totalBytesAt(trace.data.endNs));
  const [first = 0, ...others] = bytes;
  if (others.length === 0) return `${kilobytes(first)} KB delivered`;
  const isSame = first > 0 && others.every(each => each === first);
  if (isSame) return `the same ${kilobytes(first)} KB on every side`;
  return `${bytes.map(kilobytes).join(' / ')} KB delivered`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

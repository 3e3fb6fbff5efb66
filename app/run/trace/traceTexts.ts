import type {Trace} from './trace.ts';

/** Formats a time of the run in ns, as on the window's clock: `5.80 s`. `digits` is the number of decimals. */
export function momentText(ns: number, digits = 2): string {
  return `${(ns / 1e9).toFixed(digits)} s`;
}

/**
 * Formats a time in ns for comparison with others, with more decimals for shorter times: `20.2 s`, `0.43 s`, `0.023 s`.
 */
export function secondsText(ns: number): string {
  return momentText(ns, ns < 0.1e9 ? 3 : ns < 1e9 ? 2 : 1);
}

/** Formats a duration in ns: `350 ms`, `1.30 s`. Durations above 0 and below 1 ms become `1 ms`. */
export function durationText(ns: number, digits = 2): string {
  const ms = ns > 0 ? Math.max(1, Math.round(ns / 1e6)) : 0;
  return ms < 1000 ? `${ms} ms` : momentText(ns, digits);
}

/** Returns the last part of an object's address, which serves as the object's name. */
export function objectName({objects}: Trace, object: number): string {
  return fileName(objects[object]?.url ?? '');
}

/** Returns the last part of an address, or `index.html` if there is none. */
export function fileName(url: string): string {
  return url.split('/').findLast(part => part !== '') ?? 'index.html';
}

/** Whether an address is that of a picture. The extension decides, because a trace has no content types. */
export function isPicture(url: string): boolean {
  return PICTURE.test(url);
}

/** Whether an address is that of a script, by its extension. */
export function isScript(url: string): boolean {
  return SCRIPT.test(url);
}

const SCRIPT = /\.m?js([?#]|$)/;
const PICTURE = /\.(jpe?g|png|gif|webp|avif|svg)([?#]|$)/i;

import {latin1} from '../base/bytes.ts';

/**
 * Whether a file looks like a trace of Chromium, as its DevTools and Lighthouse save it: a list of events, or an object
 * with such a list. `bytes` must not be compressed.
 */
export function isBrowserTrace(bytes: Uint8Array): boolean {
  const text = latin1(bytes.subarray(0, READ_BYTES)).replace(/^ï»¿/, '');
  return /^\s*\{/.test(text) ? text.includes('"traceEvents"') : /^\s*\[\s*\{[^{}]*"ph"\s*:/.test(text);
}

/** Number of bytes that are examined. The metadata that DevTools writes before the events have fewer bytes. */
const READ_BYTES = 1_000_000;

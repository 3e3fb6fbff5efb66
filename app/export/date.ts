/** An instant of a run as a date (ISO 8601, to the microsecond). Virtual time has none: 0 is the beginning of 2000. */
export function dateText(ns: number): string {
  const microseconds = Math.floor(ns / 1e3);
  const seconds = Math.floor(microseconds / 1e6);
  const [day, hour, minute] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  const clock = [hour % 24, minute % 60, seconds % 60].map(each => digits(each, 2)).join(':');
  // no run lasts longer than ten days: `timeLimitMs`
  return `2000-01-${digits(1 + day, 2)}T${clock}.${digits(microseconds % 1e6, 6)}Z`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}

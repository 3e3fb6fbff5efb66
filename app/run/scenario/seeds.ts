import {MOST_SEEDS} from './scenario.ts';

/** The parsed seeds or, if the text is invalid, the rule that it must follow. */
export type ReadSeeds =
  | {readonly ok: true; readonly seeds: readonly number[]}
  | {readonly ok: false; readonly limit: string};

/** Parses seeds such as `1-50`, `3` or `1-3,7`. Each seed is returned once, in the order of the text. */
export function readSeeds(text: string): ReadSeeds {
  const seeds = new Set<number>();
  for (const part of text.split(',')) {
    const [, from, to] = /^(\d{1,16})(?:-(\d{1,16}))?$/.exec(part.trim()) ?? [];
    const [first, last] = [Number(from), Number(to ?? from)];
    const isGood = from !== undefined && last >= first && last <= Number.MAX_SAFE_INTEGER;
    if (!isGood) return {ok: false, limit: 'must be like 1-50 or 1,2,7 (0 to 2^53 − 1)'};
    if (seeds.size + last - first >= MOST_SEEDS) return {ok: false, limit: `at most ${MOST_SEEDS} seeds`};
    for (let seed = first; seed <= last; seed++) seeds.add(seed);
  }
  return {ok: true, seeds: [...seeds]};
}

/** Returns the shortest text from which {@link readSeeds} reads these seeds. */
export function seedsText(seeds: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < seeds.length; ) {
    let end = start + 1;
    while (end < seeds.length && seeds[end] === (seeds[end - 1] ?? 0) + 1) end++;
    parts.push(end - start === 1 ? `${seeds[start]}` : `${seeds[start]}-${seeds[end - 1]}`);
    start = end;
  }
  return parts.join(',');
}

/**
 * One of several parts of a grid that run on different machines. A run's number alone decides to which part it belongs.
 */
export interface Shard {
  /** The number of this part, from 1 to `of`. */
  readonly part: number;
  readonly of: number;
}

export const WHOLE: Shard = {part: 1, of: 1};

/** Reads a shard like `2/8`; undefined if the text is not valid. */
export function readShard(text: string): Shard | undefined {
  const [, part, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? [];
  const shard = {part: Number(part), of: Number(of)};
  return shard.part >= 1 && shard.part <= shard.of && shard.of <= MOST_SHARDS ? shard : undefined;
}

export function shardText({part, of}: Shard): string {
  return `${part}/${of}`;
}

/** The number of runs that belong to the shard, in a grid of `runs` runs. */
export function shardRuns({part, of}: Shard, runs: number): number {
  return Math.max(0, Math.ceil((runs - part + 1) / of));
}

/** Run n of the shard has this number in the grid. Both numbers count from 0. */
export function runOfShard({part, of}: Shard, n: number): number {
  return part - 1 + n * of;
}

/** The largest number of shards. The files of all shards are open at the same time when they are merged. */
export const MOST_SHARDS = 1000;

import {MOST_SEEDS} from '../../../app/run/scenario/scenario.ts';
import {type Grid, parseGrid} from '../../../app/study/experiment/grid.ts';
import type {PaperGrid} from '../../../app/study/papers/paper.ts';

/**
 * Makes a paper's grid. Without `moreSeeds`, the grid uses the first `mostSeeds` of `seeds`, or all of `seeds` if
 * `mostSeeds` is undefined. With `moreSeeds`, it uses a range of consecutive seeds instead. The length of the range is
 * `moreSeeds.times` times the number of `seeds`, but at most {@link MOST_SEEDS}. Counted from the smallest of `seeds`,
 * the first `moreSeeds.rowsBefore` ranges of this length are skipped, and the next one is used. If that range would go
 * beyond `Number.MAX_SAFE_INTEGER`, the range that ends there is used.
 * @throws Error for an invalid grid
 */
export function gridOf(paperGrid: PaperGrid, seeds: readonly number[]): Grid {
  const {name, about, base, axes, kept} = paperGrid;
  const parsed = parseGrid({
    name: `${name}: ${about}`.slice(0, LONGEST_NAME),
    base,
    axes,
    seeds: seedsOf(paperGrid, seeds),
    metrics: 'metrics' in kept ? kept.metrics : null,
  });
  if (parsed.ok) return parsed.grid;
  throw new Error(`the grid ${name} is invalid: ${parsed.problems[0]?.message}`);
}

function seedsOf({mostSeeds, moreSeeds}: PaperGrid, seeds: readonly number[]): readonly number[] {
  if (moreSeeds === undefined) return seeds.slice(0, mostSeeds);
  const count = Math.min(MOST_SEEDS, moreSeeds.times * seeds.length);
  const first = Math.min(...seeds) + moreSeeds.rowsBefore * count;
  const last = Math.min(first + count - 1, Number.MAX_SAFE_INTEGER);
  return Array.from({length: count}, (_, i) => last - count + 1 + i);
}

const LONGEST_NAME = 200;

import {type Grid, parseGrid} from '../../app/experiment/grid.ts';
import type {PaperGrid} from '../../app/papers/paper.ts';

/** A paper's grid with these seeds, or the first of them where it takes fewer. @throws Error for a grid that is none */
export function gridOf(paperGrid: PaperGrid, seeds: readonly number[]): Grid {
  const {name, about, base, axes, kept, mostSeeds = seeds.length} = paperGrid;
  const parsed = parseGrid({
    ...{name: `${name}: ${about}`.slice(0, LONGEST_NAME), base, axes},
    seeds: seeds.slice(0, mostSeeds),
    metrics: 'metrics' in kept ? kept.metrics : null,
  });
  if (parsed.ok) return parsed.grid;
  throw new Error(`the grid ${name} is none: ${parsed.problems[0]?.message}`);
}

const LONGEST_NAME = 200;

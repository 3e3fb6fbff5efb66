import type {Pane} from '../../pipelines/index.ts';
import {paneDocument, seedlessDocument} from '../../run/scenario/document.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {type Grid, parseGrid} from '../experiment/grid.ts';

/** Each of these panes alone, in a cell of its own, on the scenario's page and path, with the same seeds. */
export function paneGrid(scenario: Scenario, panes: readonly Pane[], seeds: readonly number[]): Grid {
  const points = panes.map((pane, label) => ({label, panes: [paneDocument(pane)]}));
  const parsed = parseGrid({base: seedlessDocument(scenario), axes: {setting: points}, seeds});
  if (!parsed.ok) throw new Error(`no grid of a valid scenario: ${parsed.problems[0]?.message}`);
  return parsed.grid;
}

/**
 * As many other seeds, the smallest from 1 on. What was chosen as the best of some seeds is best by luck, too, and
 * would look better on them than it is: what it saves is measured on these.
 */
export function freshSeeds(seeds: readonly number[]): readonly number[] {
  const taken = new Set(seeds);
  const fresh: number[] = [];
  for (let seed = 1; fresh.length < taken.size; seed++) if (!taken.has(seed)) fresh.push(seed);
  return fresh;
}

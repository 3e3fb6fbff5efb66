import type {Pane} from '../../pipelines/index.ts';
import {paneDocument, seedlessDocument} from '../../run/scenario/document.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {type Grid, parseGrid} from '../experiment/grid.ts';

/** A grid in which each of these panes is alone in a cell, on the scenario's page and path, with the same seeds. */
export function paneGrid(scenario: Scenario, panes: readonly Pane[], seeds: readonly number[]): Grid {
  const points = panes.map((pane, label) => ({label, panes: [paneDocument(pane)]}));
  const parsed = parseGrid({base: seedlessDocument(scenario), axes: {setting: points}, seeds});
  if (!parsed.ok) throw new Error(`no grid of a valid scenario: ${parsed.problems[0]?.message}`);
  return parsed.grid;
}

/**
 * Returns as many seeds as are given: the smallest numbers, from 1, that are not among the given seeds. The candidate
 * that is best on the given seeds is partly best by luck, so its mean over these seeds is too good. Its savings are
 * therefore measured on fresh seeds.
 */
export function freshSeeds(seeds: readonly number[]): readonly number[] {
  const taken = new Set(seeds);
  const fresh: number[] = [];
  for (let seed = 1; fresh.length < taken.size; seed++) if (!taken.has(seed)) fresh.push(seed);
  return fresh;
}

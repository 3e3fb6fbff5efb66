import type {Json} from '../../app/base/json.ts';
import {figuresOf, findTypical, type TypicalFigure, timesOf} from '../../app/run/metrics/typical.ts';
import {commandLine} from '../../app/run/scenario/commandLine.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {WorkerAnswer} from '../workers/runSeeds.ts';
import {align, milliseconds, paneNames} from './result.ts';

/** What `typical --json` prints. */
export interface TypicalResult {
  /** Null if no run is complete in every pane. */
  readonly seed: number | null;
  /** Runs that were looked at. */
  readonly seeds: number;
  /** Complete in every pane. */
  readonly complete: number;
  readonly isInsideQuartiles: boolean;
  /** From the medians: the sum over panes and metrics of ((value − median) / (q3 − q1))². */
  readonly distance: number | null;
  /** The seed's own value of each metric, with the quartiles over all that are complete, ms. */
  readonly panes: readonly {
    readonly pipeline: string;
    readonly metrics: {readonly [metric: string]: TypicalFigure};
  }[];
  /** The scenario's document with that seed, and how it was found. */
  readonly scenario: Json;
}

/** The typical one of the runs. */
export function typicalResult(scenario: Scenario, runs: readonly WorkerAnswer[]): TypicalResult {
  const typical = findTypical(
    figuresOf(
      runs.map(({seed, panes}) => ({
        seed,
        panes: panes.map(metrics => ({times: timesOf(metrics), visual: metrics.visual})),
      })),
    ),
  );
  if (typical === null) {
    const none = {seed: null, isInsideQuartiles: false, distance: null, panes: [], scenario: null};
    return {...none, seeds: runs.length, complete: 0};
  }
  const {seed, seeds, complete, isInside: isInsideQuartiles, distance} = typical;
  const panes = typical.panes.map((metrics, pane) => {
    return {pipeline: scenario.panes[pane]?.pipeline ?? '', metrics};
  });
  const found = scenarioDocument({...scenario, seed, typicalOf: seeds});
  return {seed, seeds, complete, isInsideQuartiles, distance, panes, scenario: found};
}

/** A table to read, and the command that runs the seed. */
export function typicalTable(scenario: Scenario, result: TypicalResult): string {
  const {seed, seeds, complete, isInsideQuartiles, panes} = result;
  if (seed === null) return `no run of ${seeds} is complete in every pane: none is typical\n`;
  const names = paneNames(scenario.panes);
  const rows = panes.flatMap((pane, number) =>
    Object.entries(pane.metrics).map(([metric, {value, median, q1, q3}]) => [
      `${names[number]}, ${METRIC_NAMES[metric] ?? metric}`,
      ...[value, median, q1, q3].map(milliseconds),
    ]),
  );
  const isSeen = panes.some(({metrics}) => 'speedIndexMs' in metrics);
  const nearest = isInsideQuartiles
    ? 'nearest to the medians of those that are inside of all quartiles'
    : 'nearest to the medians; no run is inside of all quartiles';
  return align([
    [`seed ${seed} is the typical one of ${seeds}: ${nearest}`],
    ...(complete < seeds ? [[`${complete} of ${seeds} runs are complete in every pane; the others take no part`]] : []),
    [`times in ms, from the first GET${isSeen ? '; Speed Index from the first packet' : ''}`],
    ['', `seed ${seed}`, 'median', 'q1', 'q3'],
    ...rows,
    [commandLine('run', {...scenario, seed, typicalOf: seeds})],
  ]);
}

const METRIC_NAMES: {readonly [metric: string]: string} = {
  pageTimeMs: 'page time T',
  p25PageMs: '25 %Page',
  p50PageMs: '50 %Page',
  p75PageMs: '75 %Page',
  speedIndexMs: 'Speed Index',
};

import type {Json} from '../../../app/base/json.ts';
import {type Clock, clockOf, HEADLINES} from '../../../app/run/metrics/clock.ts';
import {figuresOf, findTypical, type TypicalFigure, timesOf} from '../../../app/run/metrics/typicalSeed.ts';
import type {Thresholds} from '../../../app/run/quality/states.ts';
import {commandLine} from '../../../app/run/scenario/commandLine.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {openPageFor} from '../../pages/convertPage.ts';
import type {WorkerAnswer} from '../../workers/runSeeds.ts';
import {GATEWAY} from '../bundled.ts';
import {command} from '../command.ts';
import {untilInterrupted} from '../interruption.ts';
import {scenarioWithPage} from '../options/chosenPage.ts';
import {type Format, formatOf} from '../options/output.ts';
import {SCENARIO_OPTIONS, type ScenarioChoice, scenarioChoice} from '../options/scenario.ts';
import {parseSeeds} from '../options/seeds.ts';
import {ACCESS_OPTIONS} from '../options/trust.ts';
import {VISUAL, visualOf} from '../options/visual.ts';
import {json, printLeftOut} from '../output.ts';
import {align, milliseconds, paneNames} from './run/result.ts';
import {type ComputedLoad, loadSeeds, withEye} from './run/seeds.ts';

interface TypicalSettings extends ScenarioChoice {
  readonly seeds: readonly number[];
  readonly format: Format;
  /**
   * Thresholds for visual metrics. If undefined, Speed Index is not compared. The values of the thresholds have no
   * effect, because Speed Index does not depend on them.
   */
  readonly visual: Thresholds | undefined;
}

export const typical = command({
  name: 'typical',
  group: 'Load a page and compare',
  summary: 'Find the seed whose load is neither lucky nor unlucky',
  usage: ['[options]'],
  options: {
    ...SCENARIO_OPTIONS,
    seeds: {type: 'string', value: '1-200', help: 'The seeds to compare. Other forms: 1,2,7 and 1-3,9.'},
    visual: {...VISUAL, help: 'Also compares Speed Index. This needs Chromium or Chrome, which decodes the pictures.'},
    json: {
      type: 'boolean',
      help: 'Prints {"seed": 37, …} for scripts: the seed, its figures, their medians and quartiles.',
    },
    ...ACCESS_OPTIONS,
  },
  details: `
Use this command to choose which load you show to others.

For every pane, the seeds are compared by the time of the whole page and by 25, 50 and 75 %Page, and with --visual also
by Speed Index. These times count from navigation. In a scenario that loads as the papers loaded (interleave help run),
all of them except Speed Index count from the first request, so that the time of the whole page is T. A seed is a candidate if its load is complete in every pane and all these values lie between the first and the third
quartile. The typical seed is the candidate that is nearest to the medians, by the sum of
((value − median) / (q3 − q1))². If no seed lies between all quartiles, every seed with a complete load is a candidate,
and the output says so. If two candidates are equally near, the smaller seed is chosen.

In a scenario, typicalOf is the number of seeds among which its seed was chosen. It is removed as soon as another
setting changes.
`,
  examples: [
    {does: 'Find the typical seed of the demo', line: 'interleave typical --scenario n07-movie --seeds 1-200'},
    {does: 'Save the typical seed for a script', line: 'interleave typical --scenario mine.json --json > typical.json'},
  ],
  read: ({values}): TypicalSettings => ({
    ...scenarioChoice(values),
    seeds: parseSeeds(values.seeds ?? USUAL_SEEDS),
    format: formatOf(values),
    visual: visualOf(values),
  }),
  async run(settings, context) {
    const {fixtures, write} = context;
    let chosen: ComputedLoad | undefined;
    const code = await untilInterrupted(async signal => {
      const scenario = await scenarioWithPage(settings, {fixtures, module: GATEWAY, signal});
      const page = await openPageFor(scenario, fixtures);
      printLeftOut(page);
      chosen = await withEye({scenario, page}, settings.visual, context, signal);
      return 0;
    });
    if (chosen === undefined) return code;
    const {scenario} = chosen;
    const result = typicalResult(scenario, await loadSeeds(chosen, settings.seeds));
    await write(settings.format === 'json' ? json(result) : typicalTable(scenario, result));
    return 0;
  },
});

const USUAL_SEEDS = '1-200';

/** The result that `typical --json` prints. */
export interface TypicalResult {
  /** The moment from which the times count, except Speed Index, which always counts from navigation. */
  readonly clock: Clock;
  /** Null if no run was complete in every pane. */
  readonly seed: number | null;
  /** The number of runs. */
  readonly seeds: number;
  /** The number of runs that were complete in every pane. */
  readonly complete: number;
  readonly isInsideQuartiles: boolean;
  /**
   * How far the seed is from the medians: the sum over panes and metrics of ((value − median) / (q3 − q1))². If q3 and
   * q1 are equal, the divisor is the largest minus the smallest value. Null if there is no typical seed.
   */
  readonly distance: number | null;
  /** The seed's own value of each metric, and the quartiles over all complete runs, in ms. */
  readonly panes: readonly {
    readonly pipeline: string;
    readonly metrics: {readonly [metric: string]: TypicalFigure};
  }[];
  /** The scenario's document with the typical seed and with `typicalOf`. Null if there is no typical seed. */
  readonly scenario: Json;
}

function typicalResult(scenario: Scenario, runs: readonly WorkerAnswer[]): TypicalResult {
  const clock = clockOf(scenario);
  const found = findTypical(
    figuresOf(
      runs.map(({seed, panes}) => ({
        seed,
        panes: panes.map(metrics => ({times: timesOf(metrics, clock), visual: metrics.visual})),
      })),
    ),
  );
  if (found === null) {
    const none = {clock, seed: null, isInsideQuartiles: false, distance: null, panes: [], scenario: null};
    return {...none, seeds: runs.length, complete: 0};
  }
  const {seed, seeds, complete, isInside: isInsideQuartiles, distance} = found;
  const panes = found.panes.map((metrics, pane) => {
    return {pipeline: scenario.panes[pane]?.pipeline ?? '', metrics};
  });
  const document = scenarioDocument({...scenario, seed, typicalOf: seeds});
  return {clock, seed, seeds, complete, isInsideQuartiles, distance, panes, scenario: document};
}

/** Returns a table for people, and the command that loads the typical seed. */
function typicalTable(scenario: Scenario, result: TypicalResult): string {
  const {clock, seed, seeds, complete, isInsideQuartiles, panes} = result;
  if (seed === null) return `none of the ${seeds} runs is complete in every pane, so there is no typical seed\n`;
  const names = paneNames(scenario.panes);
  const rows = panes.flatMap((pane, number) =>
    Object.entries(pane.metrics).map(([metric, {value, median, q1, q3}]) => [
      `${names[number]}, ${METRIC_NAMES[metric] ?? metric}`,
      ...[value, median, q1, q3].map(milliseconds),
    ]),
  );
  const isSeen = panes.some(({metrics}) => 'speedIndexMs' in metrics);
  const nearest = isInsideQuartiles
    ? 'nearest to the medians among those inside all quartiles'
    : 'nearest to the medians; no run is inside all quartiles';
  return align([
    [`seed ${seed} is the typical one of ${seeds}: ${nearest}`],
    ...(complete < seeds ? [[`${complete} of ${seeds} runs are complete in every pane; the others are excluded`]] : []),
    [
      `times in ms, ${HEADLINES[clock].from}${isSeen && clock === 'first-request' ? '; Speed Index from navigation' : ''}`,
    ],
    ['', `seed ${seed}`, 'median', 'q1', 'q3'],
    ...rows,
    [commandLine('run', {...scenario, seed, typicalOf: seeds})],
  ]);
}

const METRIC_NAMES: {readonly [metric: string]: string} = {
  pageTimeMs: 'page time T',
  finishMs: 'finish',
  ...Object.fromEntries([25, 50, 75].flatMap(p => [`p${p}PageMs`, `p${p}FinishMs`].map(key => [key, `${p} %Page`]))),
  speedIndexMs: 'Speed Index',
};

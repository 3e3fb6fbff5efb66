import type {Thresholds} from '../../../../app/run/quality/states.ts';
import {predictAll} from '../../../../app/study/model/prediction.ts';
import {conversionNotes} from '../../../../app/telling/narration/conversions.ts';
import {openPageFor} from '../../../pages/convertPage.ts';
import {GATEWAY} from '../../bundled.ts';
import {command} from '../../command.ts';
import {preparedUntilInterrupted, untilInterrupted} from '../../interruption.ts';
import {anyScenarioWithPage} from '../../options/chosenPage.ts';
import {LIVE_TOKEN, REPEAT, refuseLive, repeatsOf} from '../../options/live.ts';
import {type Format, JSON_OUTPUT} from '../../options/output.ts';
import {SCENARIO_OPTIONS, type ScenarioChoice, scenarioChoice} from '../../options/scenario.ts';
import {parseSeeds} from '../../options/seeds.ts';
import {TRACE, tracesOf} from '../../options/traceFiles.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {VISUAL_OPTIONS, visualOf} from '../../options/visual.ts';
import {json, printLeftOut} from '../../output.ts';
import {causeTables} from './causes.ts';
import {runLive} from './live.ts';
import {csv, noteName, resultDocument, table} from './result.ts';
import {type ComputedLoad, loadSeeds, withEye} from './seeds.ts';
import {openTraces, traceResult} from './traces.ts';

export interface RunSettings extends ScenarioChoice {
  /** Trace files. If empty, the scenario is loaded. */
  readonly traces: readonly string[];
  /** The seeds to load with. If undefined, the scenario's own seed is used. */
  readonly seeds: readonly number[] | undefined;
  /** How many times the page is loaded live. If undefined, it is loaded once. */
  readonly repeats: number | undefined;
  readonly format: Format | 'csv';
  /** Thresholds for visual metrics. If undefined, visual metrics are not measured. */
  readonly visual: Thresholds | undefined;
  /** Whether the causes of the page's time are printed. */
  readonly hasCauses: boolean;
  /** Tokens for live servers. If the list is empty, those in `INTERLEAVE_TOKEN` are used. */
  readonly tokens: readonly string[];
}

export const run = command({
  name: 'run',
  group: 'Load a page and compare',
  summary: 'Load a page in every pane and print what the papers measure',
  usage: ['[options]'],
  options: {
    ...SCENARIO_OPTIONS,
    seeds: {
      type: 'string',
      value: '1-50',
      help: 'Loads the page once for each of these seeds, on several cores if the work takes long. Other forms: 1,2,7 and 1-3,9.',
    },
    json: JSON_OUTPUT,
    csv: {type: 'boolean', help: 'Prints CSV with a line for each seed, pane and object.'},
    causes: {
      type: 'boolean',
      help:
        'Also prints where the time of each pane went, by cause, and the differences between panes. The loads take a ' +
        'quarter to a half longer.',
    },
    ...VISUAL_OPTIONS,
    trace: TRACE,
    token: LIVE_TOKEN,
    repeat: REPEAT,
    ...ACCESS_OPTIONS,
  },
  details: `
Without --json or --csv, the command prints a table. All times are in ms.

These times are measured from navigation, which is the start of the run, so they contain the set-up of connections:
set-up, FCP, LCP, DCL, load, finish, and the request, first byte and completion of each object. Finish is the time when
the last object is complete, and P %Page the time when every object has at least P % of its bytes. Page time T is the papers'
page time: like finish, but measured from the first request. PRen (in --json and --csv) is measured from the first
request of an embedded object.

A scenario that loads as the papers loaded (discovery is "complete", and every pane is tcp, sctp, udp or catp without
TLS) is compared as the papers compared: by T, and with P %Page from the first request. Every other scenario is compared
by finish. The output says from when the compared times count. In --json the key for this is "clock"; there, pPageMs always counts from the first
request, "againstFirst" always compares T, and "finishAgainstFirst" compares finish.

Silent is the longest time between the first request and T in which nothing on the page changed. Longest wait is the longest time that a piece of data waited behind lost data; C03 (Chen and Mohapatra) measured it for TCP.

With several seeds, the table has the mean ± half of its 95 % confidence interval, and the median. Each pane is compared
with the first pane, over the seeds for which both loads are complete: the table has the mean difference of the times of
the same seed, and the p-value of a Mann-Whitney test. With --repeat, "seed" is the number of the load. The
panes are loaded one shortly after the other. Repetition 1 begins with pane 1, repetition 2 with pane 2, and so on.

A load is complete when every object has arrived whole. An incomplete load has no T, PPage, PRen and silent time. It is
excluded from means, ratio and test, and the table names its seed and the reason. An object that its server does not
have (404), or whose GET would be longer than 16384 B, is a broken image in every pane and is not counted.

Model T is the page time that the analytic model of L06 (Lee, Atiquzzaman and Sivagurunathan) predicts for this path and
page. The model assumes one connection that begins with one packet. It also assumes that only data is lost, that every
loss is repaired in 3/2 round trips, and that SCTP has no head-of-line blocking. If the model does not apply to the
scenario, the table says why there is no prediction. --json has the predictions as "model".

With --visual, the page is laid out on a screen of 1024 x 768. For each picture, Chromium decodes the bytes that have
arrived, and the result is compared with the complete picture (SSIM, 0 to 1). This gives the times when every picture
was recognisable and good. Visual progress is the mean likeness over the first screen, weighted by area; text counts
when its HTML has arrived. The table has the times when visual progress reached 85 and 100 %, and Speed Index,
which is the area above the curve of visual progress in ms, as WebPageTest defines it. All these times are measured from
navigation. If a state was never reached, its time is – in the table, null in --json, and empty in --csv.

With --causes, two more tables say where the time from navigation to finish went: the causes of interleave why, which
add up to finish, and how much more time each cause takes than in the first pane. With several seeds these are means ±
half of their 95 % confidence intervals. In --json each pane of a run has "causes": [{"name": …, "ms": …}], and each
summary has "causes" and "causesAgainstFirst": [{"name": …, "ms": …, "ci95Ms": …}]. In --csv the last columns are those
of causes.

With --trace, nothing is loaded again: the numbers come from the files. The page that a file names must still exist
unchanged. --json then has the names of the files as "traces". If the panes are from several runs, --json also has
"sources" with the file, scenario and page of each pane; "scenario" is then that of the first pane, with the settings of
all panes.
`,
  examples: [
    {
      does: 'Compare the transports on a lossy mobile path, over 50 seeds',
      line: 'interleave run --scenario n07-hsdpa --set path.loss=0.1 --seeds 1-50',
    },
    {does: 'Measure what a reader sees', line: 'interleave run --scenario n07-movie --visual --seeds 1-50'},
    {
      does: 'Save the result of your own scenario',
      line: 'interleave run --scenario mine.json --json > mine-result.json',
    },
    {
      does: 'Compare a live load with a computed one',
      line: 'interleave run --trace live.trace --trace computed.trace',
    },
  ],
  read({values}): RunSettings {
    if (values.json && values.csv) throw new UsageError('--json and --csv exclude each other');
    return {
      ...scenarioChoice(values),
      traces: tracesOf(values),
      seeds: values.seeds === undefined ? undefined : parseSeeds(values.seeds),
      repeats: repeatsOf(values),
      format: values.json ? 'json' : values.csv ? 'csv' : 'table',
      visual: visualOf(values),
      hasCauses: values.causes === true,
      tokens: values.token ?? [],
    };
  },
  async run(settings, context) {
    const {fixtures, write} = context;
    if (settings.traces.length > 0) {
      const computed = await preparedUntilInterrupted(
        signal => openTraces(settings, fixtures, signal),
        panes => traceResult(settings, panes),
      );
      if ('code' in computed) return computed.code;
      await write(computed.result);
      return 0;
    }
    let chosen: ComputedLoad | undefined;
    // The preparation and live loads handle signals. While computed loads run, a signal may end the program
    // immediately, because they write no files.
    const code = await untilInterrupted(async signal => {
      const scenario = await anyScenarioWithPage(settings, {fixtures, module: GATEWAY, signal});
      const page = await openPageFor(scenario, fixtures);
      printLeftOut(page);
      if (scenario.path.live !== undefined) {
        const {printed, code} = await runLive(settings, scenario, page, signal);
        await write(printed);
        return code;
      }
      refuseLive(settings);
      chosen = {...(await withEye({scenario, page}, settings.visual, context, signal)), hasCauses: settings.hasCauses};
      return 0;
    });
    if (chosen === undefined) return code;
    await write(await runSeveral(settings, chosen));
    return 0;
  },
});

/** Computes the loads of all seeds. @returns what the command prints */
async function runSeveral({seeds, format}: RunSettings, chosen: ComputedLoad): Promise<string> {
  const {scenario, page, eye} = chosen;
  const runs = await loadSeeds(chosen, seeds ?? [scenario.seed]);
  const result = resultDocument(scenario, page, runs, predictAll(scenario, page), eye);
  if (format === 'json') return json(result);
  if (format === 'csv') return csv(result, scenario.panes);
  const notes = conversionNotes(page, scenario.panes, scenario.panes.map(noteName));
  const causes = causeTables(result.summary, scenario.panes);
  return [table(result, scenario), ...notes.map(note => `${note}\n`), causes].join('');
}

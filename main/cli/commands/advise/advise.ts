import type {Thresholds} from '../../../../app/run/quality/states.ts';
import {ownDropsProblem} from '../../../../app/run/scenario/paneDrops.ts';
import {sharedPathProblem} from '../../../../app/run/scenario/scenario.ts';
import {AIMS, type Aim} from '../../../../app/study/advice/aims.ts';
import {widened} from '../../../../app/study/advice/helpList.ts';
import {adviseLoads} from '../../../jobs/advice/adviseLoads.ts';
import {openPageFor} from '../../../pages/convertPage.ts';
import {ADVICE_WORKER, GATEWAY} from '../../bundled.ts';
import {type CommandContext, command} from '../../command.ts';
import {untilInterrupted} from '../../interruption.ts';
import {scenarioWithPage} from '../../options/chosenPage.ts';
import {JOBS, jobsOf} from '../../options/jobs.ts';
import {type Format, formatOf, JSON_OUTPUT} from '../../options/output.ts';
import {SCENARIO_OPTIONS, type ScenarioChoice, scenarioChoice} from '../../options/scenario.ts';
import {parseSeeds} from '../../options/seeds.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {VISUAL_OPTIONS, visualOf} from '../../options/visual.ts';
import {json, printLeftOut} from '../../output.ts';
import {withProgress} from '../../progress.ts';
import {eyeOf} from '../eye.ts';
import {adviseResult, adviseTable} from './result.ts';

interface AdviseSettings extends ScenarioChoice {
  readonly seeds: readonly number[];
  /** How many threads to use. */
  readonly jobs: number;
  readonly aims: readonly Aim[];
  /** Thresholds for visual metrics. If undefined, visual metrics are not measured. */
  readonly visual: Thresholds | undefined;
  readonly format: Format;
}

export const advise = command({
  name: 'advise',
  group: 'Load a page and compare',
  summary: 'Find the best protocol and number of streams for a page and path',
  usage: ['[SCENARIO] [options]'],
  hasOperands: true,
  options: {
    ...SCENARIO_OPTIONS,
    aim: {
      type: 'string',
      value: 'A,B',
      help:
        `What should be fast: one or more of ${AIMS.map(({name}) => name).join(', ')}. The default is all that are ` +
        'measured.',
    },
    seeds: {type: 'string', value: '1-50', help: 'The seeds with which each way to load the page is computed.'},
    ...VISUAL_OPTIONS,
    visual: {
      type: 'boolean',
      help:
        'Adds two aims: recognisable and speedIndex. This needs Chromium or Chrome. If --aim names one of these two, ' +
        '--visual is implied.',
    },
    jobs: JOBS,
    json: JSON_OUTPUT,
    ...ACCESS_OPTIONS,
  },
  details: `
The command loads the page in every way that a browser could, and over SCTP with several numbers of streams. For each aim
it says which way is best, and what else would help.

There are five aims: all pictures recognisable, Speed Index, the first picture complete, the page complete, and page
time T. The first four are measured from navigation, so set-up counts. Page time T is measured from the first request,
so a shorter set-up does not change it.

First, the protocols of browsers are compared, with TLS: HTTP/1.1 on six connections, and HTTP/2 and HTTP/3 with every
scheduler of a server. The browser is that of the scenario. The default one requests each object as soon as it is
found.

Second, SCTP is compared, which no browser supports. N07 (Natarajan et al., section 5.3.2) leaves open how many streams
SCTP should use. Here the first pane that has streams is loaded with several numbers of streams, up to the number of
objects on the page (all numbers if this number is at most 12, and otherwise some of them), with every scheduler and
every seed.
If no pane has streams, the first pane is loaded over SCTP instead. The setting with the least mean is the best, and it
is compared with the best protocol of browsers. Settings that these seeds cannot distinguish from the best are marked
'level'. With 95 % confidence, the truly best setting is the one marked 'best' or one of those marked 'level'.

Third, each pane is loaded with one change at a time, if the change is possible there: progressive pictures, the best
protocol of browsers, the best streams and scheduler (over SCTP if the pane has no streams), a newer stack (profile
modern), and one round trip less (0-RTT on a second visit). The cost of TLS is measured too, although no site can leave
TLS out. The summary names the best change that a site could choose. It also names the best change that no browser
supports, if this one saves more. The saving of a change is measured on other seeds than those on which the settings
were chosen, with its 95 % interval. Differences that Wilcoxon's signed-rank test with Holm's correction does not
confirm are marked as possible chance.

Last, the causes of each pane's time are taken away where this is possible, one at a time (interleave why
--interventions). Each of these loads is made with up to 20 of the seeds with which the savings are measured. If a saving
is certain, a sentence names the cause with the largest certain saving, and the time attributed to this cause.

--json has scenario, page, seeds {chosen, measured}, pane, aims (the advice on streams: aim, text, best, now, and
candidates with meanMs, medianMs, ci95Ms, behindMs, behindCi95Ms, isLevel, never), browsers (the advice on protocols of
browsers: aim, text, best, candidates), rivals (aim, text, browser, streams, behindMs, ci95Ms, p), absent, helps (pane,
help, label, aim, isOption, savedMs, ci95Ms, ofMs, pHolm, settings), causes (pane, name, label, savedMs, ci95Ms,
attributedMs, found, loads), cannot (pane, help, why), and methods, which explains how each number is made.
`,
  examples: [
    {
      does: 'Find what makes a page look complete early on LTE',
      line: 'interleave advise web-lte --aim speedIndex,complete',
    },
    {does: 'Use all five aims', line: 'interleave advise n07-movie --visual'},
    {
      does: 'Save the advice for a lossier path',
      line: `interleave advise --scenario n08-south-asia --set path.loss=0.05 --seeds 1-100 --json \\
  > advice.json`,
    },
  ],
  read({values, operands}): AdviseSettings {
    const aims = aimsOf(values.aim);
    // aims about what a person sees on the page need visual metrics
    const visual = values.visual || (values.aim !== undefined && aims.some(({isSeen}) => isSeen));
    const [scenario = values.scenario, other = values.scenario] = operands;
    if (operands.length > 0 && other !== undefined)
      throw new UsageError(`advice is for one scenario: ${scenario} and ${other} are two`);
    return {
      ...scenarioChoice({...values, scenario}),
      seeds: parseSeeds(values.seeds ?? USUAL_SEEDS),
      jobs: jobsOf(values.jobs),
      aims,
      visual: visualOf({...values, visual}),
      format: formatOf(values),
    };
  },
  run: (settings, context) =>
    untilInterrupted(async signal => {
      await context.write(await advice(settings, context, signal));
      return 0;
    }),
});

/** Computes the advice. @returns what the command prints */
async function advice(settings: AdviseSettings, context: CommandContext, signal: AbortSignal): Promise<string> {
  const {seeds, aims, visual, jobs: threads, format} = settings;
  const {fixtures} = context;
  const scenario = await scenarioWithPage(settings, {fixtures, module: GATEWAY, signal});
  const problem = ownDropsProblem(scenario) ?? sharedPathProblem(scenario);
  if (problem !== undefined) throw new UsageError(problem);
  const served = await openPageFor(scenario, fixtures);
  printLeftOut(served);
  const wide = widened(scenario, served);
  const page = await openPageFor(wide, fixtures);
  const eye = visual === undefined ? null : await eyeOf(page, wide, visual, context, signal);
  const advised = await withProgress('loads', onProgress => {
    const options = {page, scenario, seeds, aims, eye, threads, signal, onProgress};
    return adviseLoads({...options, worker: ADVICE_WORKER});
  });
  return format === 'json'
    ? json(adviseResult(scenario, served, seeds, advised))
    : adviseTable(scenario, seeds, advised);
}

/**
 * Returns the aims that `--aim A,B` names, in the order of {@link AIMS}. Without the option, returns all aims.
 * @throws UsageError
 */
function aimsOf(text: string | undefined): readonly Aim[] {
  if (text === undefined) return AIMS;
  const names = text.split(',').map(name => name.trim());
  const stray = names.find(name => AIMS.every(each => each.name !== name));
  if (stray !== undefined) {
    throw new UsageError(`--aim is ${stray}: must be one or more of ${AIMS.map(({name}) => name).join(', ')}`);
  }
  return AIMS.filter(({name}) => names.includes(name));
}

/** The default seeds. They are enough to show differences that matter. */
const USUAL_SEEDS = '1-50';

import type {Thresholds} from '../../../../app/run/quality/states.ts';
import {AIMS, type Aim} from '../../../../app/study/advice/aims.ts';
import {widened} from '../../../../app/study/advice/helpList.ts';
import {adviseLoads} from '../../../jobs/advice/adviseLoads.ts';
import {openPageFor} from '../../../pages/convertPage.ts';
import {ADVICE_WORKER, GATEWAY} from '../../bundled.ts';
import {command, type Surroundings} from '../../command.ts';
import {untilInterrupted} from '../../interruption.ts';
import {scenarioWithPage} from '../../options/chosenPage.ts';
import {type Format, formatOf, JSON_OUTPUT} from '../../options/output.ts';
import {SCENARIO_OPTIONS, type ScenarioChoice, scenarioChoice} from '../../options/scenario.ts';
import {JOBS, jobsOf, parseSeeds} from '../../options/seeds.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {VISUAL_OPTIONS, visualOf} from '../../options/visual.ts';
import {json, tellLeftOut} from '../../output.ts';
import {withProgress} from '../../progress.ts';
import {eyeOf} from '../eye.ts';
import {adviseResult, adviseTable} from './result.ts';

interface AdviseSettings extends ScenarioChoice {
  readonly seeds: readonly number[];
  /** How many threads to use. */
  readonly jobs: number;
  readonly aims: readonly Aim[];
  /** Thresholds for visual metrics. If undefined, what can be seen of the page is not measured. */
  readonly visual: Thresholds | undefined;
  readonly format: Format;
}

export const advise = command({
  name: 'advise',
  group: 'Load a page and compare',
  summary: 'Find the protocol and the streams that suit a page and its path',
  usage: ['[SCENARIO] [options]'],
  hasOperands: true,
  options: {
    ...SCENARIO_OPTIONS,
    aim: {
      type: 'string',
      value: 'A,B',
      help: `What should be fast: any of ${AIMS.map(({name}) => name).join(', ')}. Without it, all that are known.`,
    },
    seeds: {type: 'string', value: '1-50', help: 'The seeds with which each way to load the page is tried.'},
    ...VISUAL_OPTIONS,
    visual: {
      type: 'boolean',
      help:
        'Adds two aims: all pictures recognisable, and Speed Index. It needs Chromium or Chrome. Naming one of them ' +
        'with --aim implies it.',
    },
    jobs: JOBS,
    json: JSON_OUTPUT,
    ...ACCESS_OPTIONS,
  },
  details: `
It loads the page in every way that a browser could, and over SCTP with every number of streams. For each aim it says
which way is best, and what else would help.

There are five aims: all pictures recognisable, Speed Index, the first picture complete, the page complete (all from the
first packet, so set-up counts) and page time T (from the first GET, so a shorter set-up does not change it).

First, everything that a browser could use is compared, with TLS: HTTP/1.1 on six connections, and HTTP/2 and HTTP/3
with every scheduler of a server. Browsers ask for everything at once.

Then SCTP, which no browser has, is tried. N07 (Natarajan et al., section 5.3.2) leaves open how to choose its
concurrency. Here every number of streams, up to the number of objects on the page, is loaded with every scheduler and
every seed, in the first pane that has streams. If no pane has streams, SCTP takes the place of the first pane. The best
of it is set beside the best that browsers have. The best is the one with the least mean. Settings that these seeds
cannot distinguish from it are marked 'level': with 95 % confidence, the truly best one is among them.

Last, each pane is loaded with one change, if the change is possible there: progressive pictures, the best that browsers
have, the best streams and scheduler (over SCTP if the pane has no streams), a newer stack (profile modern), and one
round trip less (0-RTT on a second visit). The cost of TLS is measured too, although no site can leave it out. The
sentence names what a site could choose first, and separately what no browser has. What a change saves is measured on
other seeds than those that the settings were chosen on, with its 95 % interval. Differences that Wilcoxon's signed-rank
test with Holm's correction does not confirm are marked as possible chance.

--json has scenario, page, seeds {chosen, measured}, pane, aims (for streams: aim, text, best, now, and candidates with
meanMs, medianMs, ci95Ms, behindMs, behindCi95Ms, isLevel, never), browsers (aim, text, best, candidates), rivals (aim,
text, browser, streams, behindMs, ci95Ms, p), absent, helps (pane, help, label, aim, isOption, savedMs, ci95Ms, ofMs,
pHolm, settings), cannot (pane, help, why), and methods, which explains how each number is made.
`,
  examples: [
    {
      does: 'What makes this page look complete early on LTE?',
      line: 'interleave advise web-lte --aim speedIndex,complete',
    },
    {does: 'Take all five aims into account', line: 'interleave advise n07-movie --visual'},
    {
      does: 'Save the advice for a lossier path',
      line: `interleave advise --scenario n08-south-asia --set path.loss=0.05 --seeds 1-100 --json \\
  > advice.json`,
    },
  ],
  read({values, operands}): AdviseSettings {
    const aims = aimsOf(values.aim);
    // an aim about what can be seen has to be measured
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
  run: (settings, around) =>
    untilInterrupted(async signal => {
      await around.write(await advice(settings, around, signal));
      return 0;
    }),
});

/** @returns what is printed */
async function advice(settings: AdviseSettings, around: Surroundings, signal: AbortSignal): Promise<string> {
  const {seeds, aims, visual, jobs: threads, format} = settings;
  const {fixtures} = around;
  const scenario = await scenarioWithPage(settings, {fixtures, module: GATEWAY, signal});
  const served = await openPageFor(scenario, fixtures);
  tellLeftOut(served);
  const wide = widened(scenario, served);
  const page = await openPageFor(wide, fixtures);
  const eye = visual === undefined ? null : await eyeOf(page, wide, visual, around, signal);
  const advised = await withProgress('loads', onProgress => {
    const options = {page, scenario, seeds, aims, eye, threads, signal, onProgress};
    return adviseLoads({...options, worker: ADVICE_WORKER});
  });
  return format === 'json'
    ? json(adviseResult(scenario, served, seeds, advised))
    : adviseTable(scenario, seeds, advised);
}

/** The aims of `--aim A,B` in the order of {@link AIMS}. Without the option, all of them. @throws UsageError */
function aimsOf(text: string | undefined): readonly Aim[] {
  if (text === undefined) return AIMS;
  const names = text.split(',').map(name => name.trim());
  const stray = names.find(name => AIMS.every(each => each.name !== name));
  if (stray !== undefined) {
    throw new UsageError(`--aim is ${stray}: must be of ${AIMS.map(({name}) => name).join(', ')}`);
  }
  return AIMS.filter(({name}) => names.includes(name));
}

/** Seeds by default: so many that differences that matter can be seen. */
const USUAL_SEEDS = '1-50';

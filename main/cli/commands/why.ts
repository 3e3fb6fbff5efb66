import type {PageSnapshot} from '../../../app/page/page.ts';
import type {Pane} from '../../../app/pipelines/index.ts';
import {titleNames} from '../../../app/pipelines/paneLabels.ts';
import {type Estimate, estimate} from '../../../app/run/metrics/statistics.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {DEFAULT_THRESHOLDS} from '../../../app/run/quality/states.ts';
import {MOST_PANES, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {type FilePane, firstChoice} from '../../../app/run/trace/joinRuns.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {type CauseEstimate, causeEstimates} from '../../../app/run/why/causeSummary.ts';
import {type CauseTotal, causeTotals, sumNs, whySentence} from '../../../app/run/why/causeTotals.ts';
import {criticalPath} from '../../../app/run/why/criticalPath.ts';
import {type Intervened, savedText} from '../../../app/run/why/interventions.ts';
import {whyOptionsOf} from '../../../app/run/why/whyOptions.ts';
import {targetOf, type WhyMetric} from '../../../app/run/why/whyTarget.ts';
import {intervened} from '../../engine/interventions.ts';
import {load} from '../../engine/load.ts';
import {PageError} from '../../pages/base/pageErrors.ts';
import {openPageFor} from '../../pages/convertPage.ts';
import {openPage} from '../../pages/openPage.ts';
import {GATEWAY} from '../bundled.ts';
import {command} from '../command.ts';
import {preparedUntilInterrupted} from '../interruption.ts';
import {scenarioWithPage} from '../options/chosenPage.ts';
import {type Format, formatOf, JSON_OUTPUT} from '../options/output.ts';
import {paneNumbers} from '../options/paneNumbers.ts';
import {SCENARIO_OPTIONS, type ScenarioChoice, scenarioChoice} from '../options/scenario.ts';
import {parseSeeds} from '../options/seeds.ts';
import {panesOfTraces, TRACE, tracesOf} from '../options/traceFiles.ts';
import {ACCESS_OPTIONS} from '../options/trust.ts';
import {UsageError} from '../options/usageError.ts';
import {json, printLeftOut} from '../output.ts';
import {type CauseColumn, causeRows, inMs} from './causeRows.ts';
import {eyeOf} from './eye.ts';
import {align, paneNames} from './run/result.ts';

interface WhySettings extends ScenarioChoice {
  /** The indices of the panes that are explained. If undefined, all panes are explained. */
  readonly panes: readonly number[] | undefined;
  readonly metric: 'finish' | 'recognisable' | 'lcp' | {readonly url: string};
  readonly seeds: readonly number[] | undefined;
  readonly hasInterventions: boolean;
  /** The trace files whose loads are explained. If empty, the scenario is loaded. */
  readonly traces: readonly string[];
  readonly format: Format;
}

export const why = command({
  name: 'why',
  group: 'Load a page and compare',
  summary: 'Say where the time of each pane went, by cause',
  usage: ['[options]'],
  options: {
    ...SCENARIO_OPTIONS,
    panes: {type: 'string', value: '1,2', help: 'The panes to explain, counted from 1. The default is all panes.'},
    metric: {
      type: 'string',
      value: 'finish|recognisable|lcp|object:URL',
      help:
        'The moment to explain: the last object is complete (finish, the default), every picture is recognisable ' +
        '(this needs Chromium or Chrome), Largest Contentful Paint, or one object is complete. URL is the address as ' +
        'the page writes it, or the whole address.',
    },
    seeds: {
      type: 'string',
      value: '1-50',
      help: 'Loads the page once for each of these seeds, and prints means. Other forms: 1,2,7 and 1-3,9.',
    },
    interventions: {
      type: 'boolean',
      help:
        'For each cause that can be taken away, loads the page again without this cause, and prints how much time ' +
        'that saves.',
    },
    trace: {
      ...TRACE,
      help:
        'Explains the loads of a trace file (computed, live or captured) instead of loading a scenario. The option ' +
        `may be given several times. If the files have more than ${MOST_PANES} panes and --panes is not given, only ` +
        'the first pane of each file is explained.',
    },
    json: JSON_OUTPUT,
    ...ACCESS_OPTIONS,
  },
  details: `
The command begins with the last byte that the moment of --metric needed, and walks back to navigation. Each nanosecond
on this critical path has exactly one cause, so the causes add up to the time. docs/why.md defines each cause. All times
are in ms, from navigation.

The first pane is compared with each of the others. A sentence names the causes that differ most.

With --trace, the loads of trace files are explained, and nothing is loaded again. interleave open makes a trace file of
a load that another program recorded.

With --seeds, the table has the mean of each cause ± half of its 95 % confidence interval, over the loads in which the
pane reached the moment. The sentences compare the means.

With --interventions, the page is loaded again without each cause that can be taken away: a lost packet
arrives, the handshake takes no time, the window does not limit the load, the server does not think, and so on. The
output says how much time the cause has on the critical path, and how much earlier the moment is without it. docs/why.md
says why the two differ. This needs a single seed.

--json prints {"panes": [{"totalMs": …, "causes": [{"name": …, "ms": …}]}]}. The causes are in the order of docs/why.md,
and those without time are left out. "totalMs" is null if the pane never reached the moment; "reason" then says why.
With --interventions, each pane has "interventions": [{"name": …, "causes": …, "attributedMs": …, "savedMs": …}], and
"savedMs" is null if the load without the causes never reached the moment. With --seeds, "totalMs" and "ms" are means,
each with "ci95Ms". "loads" is the number of loads, and "n" the number of those that reached the moment, over which the
means are taken.
`,
  examples: [
    {does: 'Find out why one transport is faster', line: 'interleave why --scenario one-lost-packet --panes 1,2'},
    {
      does: 'See what would be saved without each cause',
      line: 'interleave why --scenario one-lost-packet --panes 1,4 --interventions',
    },
    {
      does: 'See how the causes change with loss',
      line: 'interleave why --scenario n07-hsdpa --set path.loss=0.05 --seeds 1-50',
    },
  ],
  read({values}): WhySettings {
    const hasInterventions = values.interventions === true;
    const traces = tracesOf(values);
    const metric = metricOf(values.metric ?? 'finish');
    if (traces.length > 0 && (hasInterventions || metric === 'recognisable'))
      throw new UsageError(
        `--trace and ${hasInterventions ? '--interventions' : '--metric recognisable'} exclude each other: nothing is loaded again`,
      );
    if (hasInterventions && values.seeds !== undefined)
      throw new UsageError('--interventions and --seeds cannot be combined: interventions need a single seed');
    return {
      ...scenarioChoice(values),
      panes: values.panes === undefined ? undefined : panesOf(values.panes),
      metric,
      seeds: values.seeds === undefined ? undefined : parseSeeds(values.seeds),
      hasInterventions,
      traces,
      format: formatOf(values),
    };
  },
  async run(settings, context) {
    const {fixtures, write} = context;
    if (settings.traces.length > 0) {
      await write(await explainedFiles(settings, fixtures));
      return 0;
    }
    const prepare = async (signal: AbortSignal): Promise<Prepared> => {
      const scenario = await scenarioWithPage(settings, {fixtures, module: GATEWAY, signal});
      const chosen = settings.panes ?? scenario.panes.map((_, pane) => pane);
      const missing = chosen.find(pane => pane >= scenario.panes.length);
      if (missing !== undefined)
        throw new UsageError(`--panes has ${missing + 1}: the scenario has ${scenario.panes.length} panes`);
      const page = await openPageFor(scenario, fixtures);
      printLeftOut(page);
      const {metric} = settings;
      if (metric !== 'recognisable')
        return {
          scenario,
          page,
          chosen,
          metric: typeof metric === 'string' ? {kind: metric} : {kind: 'object', url: nameOn(page, metric.url)},
        };
      const eye: Eye = await eyeOf(page, scenario, DEFAULT_THRESHOLDS, context, signal);
      return {scenario, page, chosen, metric: {kind: 'recognisable', eye}};
    };
    const computed = await preparedUntilInterrupted(prepare, prepared => explained(prepared, settings));
    if ('code' in computed) return computed.code;
    await write(computed.result);
    return 0;
  },
});

/** @throws UsageError */
function panesOf(text: string): readonly number[] {
  const panes = paneNumbers(text);
  const twice = panes.find((each, i) => panes.indexOf(each) < i);
  if (twice !== undefined) throw new UsageError(`--panes has ${twice + 1} twice`);
  return panes;
}

/** @throws UsageError */
function metricOf(text: string): WhySettings['metric'] {
  if (text === 'finish' || text === 'recognisable' || text === 'lcp') return text;
  const url = text.startsWith('object:') ? text.slice('object:'.length) : '';
  if (url === '')
    throw new UsageError(`--metric is ${text || 'empty'}: must be finish, recognisable, lcp or object:URL`);
  return {url};
}

/**
 * Returns the name of an object in traces of a page. `url` is this name or the object's address on the web. If it is
 * neither, it is returned unchanged.
 */
function nameOn({objects}: Pick<PageSnapshot, 'objects'>, url: string): string {
  if (objects.some(each => each.url === url)) return url;
  const address = URL.parse(url, objects[0]?.address)?.href.split('#', 1)[0];
  return objects.find(each => each.address !== undefined && each.address === address)?.url ?? url;
}

/**
 * Returns the name of an object in a trace file, like {@link nameOn}. If the file's page can no longer be opened, an
 * address on the web is returned unchanged.
 */
async function nameInFile(url: string, {scenario, data}: FilePane, open: PageOpener): Promise<string> {
  if (data.objects.some(each => each.url === url)) return url;
  const page = await open(scenario.page);
  return page === undefined ? url : nameOn(page, url);
}

type PageOpener = (source: Scenario['page']) => Promise<PageSnapshot | undefined>;

/** Returns a function that opens each page once. Its result is undefined for pages that can no longer be opened. */
function pageOpener(fixtures: string): PageOpener {
  const opened = new Map<string, Promise<PageSnapshot | undefined>>();
  return source => {
    const key = JSON.stringify(source);
    const page =
      opened.get(key) ??
      openPage(source, fixtures).catch((error: unknown) => {
        if (error instanceof PageError) return undefined;
        throw error;
      });
    opened.set(key, page);
    return page;
  };
}

/** Explains the loads of trace files. @returns what the command prints @throws UsageError */
async function explainedFiles({traces, panes: chosen, metric, format}: WhySettings, fixtures: string): Promise<string> {
  const all = panesOfTraces(traces);
  const missing = chosen?.find(pane => pane >= all.length);
  if (missing !== undefined)
    throw new UsageError(`--panes has ${missing + 1}: the trace files have ${all.length} panes`);
  const panes = chosen === undefined ? firstChoice(all) : chosen.flatMap(pane => all[pane] ?? []);
  const settings = panes.map(({scenario, pane}) => scenario.panes[pane] as Pane);
  const open = pageOpener(fixtures);
  const summaries = await Promise.all(
    panes.map(async (each, i) => {
      const own: WhyMetric =
        typeof metric === 'string'
          ? {kind: metric as 'finish' | 'lcp'}
          : {kind: 'object', url: await nameInFile(metric.url, each, open)};
      return summaryOf(settings[i] as Pane, [explainedPane(each, own)], false);
    }),
  );
  return format === 'json' ? json({panes: summaries.map(documentOf)}) : tableOf(summaries, settings);
}

function explainedPane({scenario, pane, data}: FilePane, metric: WhyMetric): Explained {
  const trace = new Trace(data);
  const options = whyOptionsOf(scenario, pane);
  const found = targetOf(trace, metric, options);
  return found.ok ? {totals: causeTotals(criticalPath(trace, found.target, options))} : {reason: found.why};
}

interface Prepared {
  readonly scenario: Scenario;
  readonly page: PageSnapshot;
  readonly chosen: readonly number[];
  readonly metric: WhyMetric;
}

/** The critical path of a pane in one load, by cause, or the reason why there is none. */
type Explained =
  | {readonly totals: readonly CauseTotal[]; readonly interventions?: readonly Intervened[]}
  | {readonly reason: string};

/** Computes the loads and explains them. @returns what the command prints */
function explained(prepared: Prepared, {seeds, hasInterventions, format}: WhySettings): string {
  const {scenario, chosen} = prepared;
  const loads = (seeds ?? [scenario.seed]).map(seed => explainLoad(prepared, seed, hasInterventions));
  const panes = chosen.map((pane, column) => {
    const settings = scenario.panes[pane] as Pane;
    return summaryOf(
      settings,
      loads.flatMap(each => each[column] ?? []),
      seeds !== undefined,
    );
  });
  if (format === 'json') return json({panes: panes.map(documentOf)});
  return tableOf(
    panes,
    chosen.map(pane => scenario.panes[pane] as Pane),
  );
}

function explainLoad(
  {scenario, page, chosen, metric}: Prepared,
  seed: number,
  hasInterventions: boolean,
): readonly Explained[] {
  const {panes} = load(page, scenario, seed);
  return chosen.map(pane => {
    const data = panes[pane];
    if (data === undefined) throw new RangeError(`invalid pane: ${pane} (there are ${panes.length})`);
    const trace = new Trace(data);
    const options = whyOptionsOf(scenario, pane);
    const found = targetOf(trace, metric, options);
    if (!found.ok) return {reason: found.why};
    const path = criticalPath(trace, found.target, options);
    if (!hasInterventions) return {totals: causeTotals(path)};
    return {totals: causeTotals(path), interventions: intervened(page, {scenario, pane, trace, path, metric})};
  });
}

/** The causes of one pane. With `--seeds` they are means over the loads that reached the moment of `--metric`. */
interface Summary {
  readonly pipeline: string;
  /** Present only with `--interventions`, if the load reached the moment of `--metric`. */
  readonly interventions?: readonly Intervened[];
  readonly totals: readonly CauseTotal[] | null;
  /** Why a load has no times. Null if every load has times. */
  readonly reason: string | null;
  /** Present with `--seeds`. `n` is how many of the `loads` reached the moment. The estimates over them are in ms. */
  readonly several?: {
    readonly n: number;
    readonly loads: number;
    readonly total: Estimate;
    readonly causes: readonly CauseEstimate[];
  };
}

function summaryOf({pipeline}: Pane, loads: readonly Explained[], isSeveral: boolean): Summary {
  const complete = loads.flatMap(each => ('totals' in each ? [each.totals] : []));
  const reason = loads.find(each => 'reason' in each)?.reason ?? null;
  const [first] = complete;
  if (!isSeveral) {
    const [only] = loads;
    const interventions = only !== undefined && 'totals' in only ? only.interventions : undefined;
    return {pipeline, totals: first ?? null, reason, ...(interventions === undefined ? {} : {interventions})};
  }
  const causes = causeEstimates(complete.map(totals => totals.map(inMs)));
  const means = causes.map(({name, ms}) => ({name, ns: ms * 1e6}));
  const total = estimate(complete.map(totals => sumNs(totals) / 1e6));
  const several = {n: complete.length, loads: loads.length, total, causes};
  return {pipeline, totals: first === undefined ? null : means, reason, several};
}

function documentOf({pipeline, totals, reason, several, interventions: tried}: Summary) {
  const ms = (ns: number): number => Math.round(ns) / 1e6;
  if (several === undefined) {
    const causes = (totals ?? []).map(({name, ns}) => ({name, ms: ms(ns)}));
    const interventions = tried?.map(({name, causes: own, attributedNs, savedNs}) => {
      return {name, causes: own, attributedMs: ms(attributedNs), savedMs: savedNs === null ? null : ms(savedNs)};
    });
    const head = {pipeline, totalMs: totals && ms(sumNs(totals)), ...(reason === null ? {} : {reason}), causes};
    return interventions === undefined ? head : {...head, interventions};
  }
  const {n, loads, total} = several;
  const causes = several.causes.map(each => ({...each, ms: ms(each.ms * 1e6)}));
  const missing = reason === null ? {} : {reason};
  return {pipeline, loads, n, totalMs: totals && ms(sumNs(totals)), ci95Ms: total.ci95, ...missing, causes};
}

function tableOf(panes: readonly Summary[], settings: readonly Pane[]): string {
  const titles = titleNames(settings);
  const [first, ...others] = panes;
  const sentences = others.flatMap((other, i) => {
    if (!first?.totals || !other.totals) return [];
    return [
      whySentence({name: titles[0] ?? '', totals: first.totals}, {name: titles[i + 1] ?? '', totals: other.totals}),
    ];
  });
  const reasons = panes.flatMap(({reason, several}, i) => {
    if (reason === null) return [];
    const share = several === undefined ? '' : ` in ${several.loads - several.n} of ${several.loads} loads`;
    return [`${titles[i]} has no time${share}: ${reason}`];
  });
  return align([
    ['', ...paneNames(settings)],
    ...causeRows(panes.map(columnOf)),
    ...[
      ...sentences,
      ...reasons,
      ...panes.flatMap(({interventions = []}, i) => triedTexts(interventions, titles[i] ?? '')),
    ].map(line => [line]),
  ]);
}

function triedTexts(interventions: readonly Intervened[], title: string): readonly string[] {
  return interventions.map(each => `${title}, if ${savedText(each)}.`);
}

function columnOf({totals, several}: Summary): CauseColumn | null {
  if (totals === null) return null;
  if (several !== undefined) return {causes: several.causes, total: totalOf(several.total)};
  return {causes: totals.map(inMs), total: {ms: sumNs(totals) / 1e6}};
}

function totalOf({mean, ci95}: Estimate): CauseColumn['total'] {
  return {ms: mean ?? 0, ci95Ms: ci95};
}

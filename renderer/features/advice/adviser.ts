import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host} from '../../../app/host/contract.ts';
import type {Conversion} from '../../../app/page/conversion.ts';
import {conversionsOf, type Pane} from '../../../app/pipelines/index.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {paneDocument, scenarioDocument, seedlessDocument} from '../../../app/run/scenario/document.ts';
import {ownDropsProblem} from '../../../app/run/scenario/paneDrops.ts';
import {MOST_PANES, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {type Answers, answersOf, candidatePanes, questionsOf} from '../../../app/study/advice/advice.ts';
import type {AimName} from '../../../app/study/advice/aims.ts';
import {OLDEST_OF_BROWSERS} from '../../../app/study/advice/browsers.ts';
import {type AdvisedPane, withPane} from '../../../app/study/advice/candidates.ts';
import {usefulConversions, widened} from '../../../app/study/advice/helpList.ts';
import {
  type Helped,
  type HelpPlan,
  helpedBy,
  helpPlan,
  panesOf,
  type RivalResult,
  rivalResults,
} from '../../../app/study/advice/helps.ts';
import {freshSeeds, paneGrid} from '../../../app/study/advice/paneGrid.ts';
import type {FeatureState} from '../../session/extension.ts';
import {planOf} from '../../session/grid/gridPlan.ts';
import {GridRuns} from '../../session/grid/gridRuns.ts';
import type {ShownRun} from '../../session/loads.ts';
import type {MeasureQuality} from '../../session/qualities.ts';

/** A request for advice. */
export interface AdviceRequest {
  readonly run: Pick<ShownRun, 'scenario' | 'page'>;
  /** The measured quality of the page's pictures, which the visual metrics need; null if it is not known. */
  readonly eye: Eye | null;
  /** The number of seeds for each setting. */
  readonly seeds: number;
}

export interface AdviserState {
  /** The request that the other values belong to; null until advice is requested. */
  readonly request: AdviceRequest | null;
  /** The best settings; null until their loads are computed. */
  readonly answers: Answers | null;
  /** The changes that may help; null until they are measured. */
  readonly helps: {
    readonly plan: HelpPlan;
    readonly helped: readonly Helped[];
    readonly rivals: readonly RivalResult[];
  } | null;
  readonly isBusy: boolean;
  /** Whether pictures are being made progressive and measured. */
  readonly isConverting: boolean;
  /** Why computing failed; null if it did not fail. */
  readonly problem: string | null;
}

/** Computes one window's advice in the background. The advice is kept when its dialog closes. */
export class Adviser {
  readonly store: StoreApi<AdviserState> = createStore(() => FIRST_STATE);
  /** Computes the loads of every setting. */
  readonly settings: GridRuns;
  /** Computes the loads of the changes that may help. */
  readonly changes: GridRuns;
  /** The aims (times that should be short) that are shown. The advice is always computed for all aims. */
  readonly shown: StoreApi<readonly AimName[]> = createStore(() => USUAL_AIMS);

  readonly #host: Host;
  readonly #measure: MeasureQuality | null;
  /** Aborts the newest request. */
  #gone = new AbortController();

  /** `measure` measures the quality of pages; null if pages are not measured. */
  constructor(host: Host, measure: MeasureQuality | null = null) {
    this.#host = host;
    this.#measure = measure;
    this.settings = new GridRuns(host);
    this.changes = new GridRuns(host);
  }

  /**
   * Computes the best settings first, then the changes that may help. The promise resolves when everything is computed,
   * when computing has failed, or when a newer request or {@link cancel} has ended this one.
   */
  async ask(request: AdviceRequest): Promise<void> {
    this.cancel();
    const gone = new AbortController();
    this.#gone = gone;
    this.store.setState({...FIRST_STATE, request, isBusy: true});
    const {run, eye} = request;
    const {scenario, page} = run;
    const {timeLimitMs} = scenario;
    const problem = ownDropsProblem(scenario);
    if (problem !== undefined) {
      this.store.setState({isBusy: false, problem});
      return;
    }
    const seeds = Array.from({length: request.seeds}, (_, i) => i + 1);
    const load = async (runs: GridRuns, panes: readonly Pane[], of: readonly number[], seen = eye) => {
      const rows = await runs.ask(planOf(paneGrid(scenario, panes, of), run, seen));
      if (gone.signal.aborted) return null;
      if (rows === null) this.store.setState({isBusy: false, problem: runs.store.getState().problem});
      return rows;
    };
    const questions = questionsOf(scenario, page.objects.length - 1);
    const rows = await load(this.settings, candidatePanes(questions), seeds);
    if (rows === null) return;
    const answers = answersOf(questions, rows, {timeLimitMs});
    this.store.setState({answers, isConverting: true});
    const {conversions, seen} = await this.#convert(request, gone.signal);
    if (gone.signal.aborted) return;
    this.store.setState({isConverting: false});
    const plan = helpPlan(scenario, answers, conversions);
    const changed = await load(this.changes, panesOf(plan), freshSeeds(seeds), seen);
    if (changed === null) return;
    const aims = answers.streams.aims.map(({aim}) => aim);
    const helped = helpedBy(plan, changed, aims, timeLimitMs);
    const rivals = rivalResults(plan, changed, aims, timeLimitMs);
    this.store.setState({isBusy: false, helps: {plan, helped, rivals}});
  }

  /** Stops computing. Results that are already computed are kept. */
  cancel(): void {
    this.settings.cancel();
    this.changes.cancel();
    this.#gone.abort();
    this.store.setState({isBusy: false, isConverting: false});
  }

  /**
   * Converts the page's pictures. Also measures the converted pictures if the quality of the page's pictures is known.
   * Returns no conversions if none would help, or if the page cannot be converted or measured.
   */
  async #convert({run, eye}: AdviceRequest, signal: AbortSignal): Promise<Converted> {
    const none: Converted = {conversions: [], seen: eye};
    const wide = widened(run.scenario, run.page);
    if (wide === run.scenario) return none;
    const {page: name = null} = scenarioDocument(wide);
    try {
      const answer = await this.#host.openPage(name, crypto.randomUUID(), conversionsOf(wide.panes));
      if (!answer.ok) return none;
      const conversions = usefulConversions(answer.page);
      if (eye === null) return {conversions, seen: null};
      if (this.#measure === null || conversions.length === 0) return none;
      const quality = await this.#measure(answer.page, {signal});
      return {conversions, seen: {...eye, quality}};
    } catch {
      return none;
    }
  }
}

export const ADVISER: FeatureState<Adviser> = {create: ({host, measure}) => new Adviser(host, measure)};

interface Converted {
  readonly conversions: readonly Conversion[];
  readonly seen: Eye | null;
}

/** Whether two requests lead to the same advice. */
export function isSameRequest(a: AdviceRequest, b: AdviceRequest): boolean {
  return a === b || textOf(a) === textOf(b);
}

/**
 * Returns the `panes` of a scenario's document, with `pane` in the place of the pane that the advice on streams is
 * about. If the scenario has no such pane, `pane` is added at the end, or replaces the last of {@link MOST_PANES}
 * panes.
 */
export function advisedPanes(scenario: Scenario, advised: Pick<AdvisedPane, 'number'>, pane: Pane) {
  return withPane(scenario, advised, pane, MOST_PANES).map(paneDocument);
}

/**
 * Returns the `panes` of a scenario's document with `pane`, which has a pipeline that browsers offer. It replaces the
 * first pane with the same pipeline. If there is none, it replaces the first pane with HTTP/1.1 over TCP. If there is
 * none either, it is added at the end, or replaces the last of {@link MOST_PANES} panes.
 */
export function browserPanes(scenario: Scenario, pane: Pane) {
  const places = [pane.pipeline, OLDEST_OF_BROWSERS].map(name => {
    return scenario.panes.findIndex(({pipeline}) => pipeline === name);
  });
  return advisedPanes(scenario, {number: places.find(place => place >= 0) ?? null}, pane);
}

function textOf({run: {scenario, page}, eye, seeds}: AdviceRequest): string {
  return JSON.stringify([seedlessDocument(scenario), page.hash, eye?.thresholds ?? null, seeds]);
}

/** The aims that are shown at first. There is not enough room for more side by side. */
const USUAL_AIMS: readonly AimName[] = ['recognisable', 'firstPicture', 'pageTime'];

const FIRST_STATE: AdviserState = {
  request: null,
  answers: null,
  helps: null,
  isBusy: false,
  isConverting: false,
  problem: null,
};

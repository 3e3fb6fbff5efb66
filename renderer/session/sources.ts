import {type Page, pageAs} from '../../app/page/page.ts';
import {differencesOf, paneTitles, titleNames, titleOf} from '../../app/pipelines/paneLabels.ts';
import type {LivePath} from '../../app/pipelines/setting.ts';
import {recordedShare, recordedText} from '../../app/run/metrics/recordedShare.ts';
import {type PathCapacity, pathCapacity} from '../../app/run/scenario/capacity.ts';
import {livePathOf} from '../../app/run/scenario/livePath.ts';
import {runEndNs} from '../../app/run/trace/trace.ts';
import type {WhyOptions} from '../../app/run/why/criticalPath.ts';
import {whyOptionsOf} from '../../app/run/why/whyOptions.ts';
import {type Prediction, predictAll} from '../../app/study/model/prediction.ts';
import {changeCaptions} from '../../app/telling/movie/captions.ts';
import {browserNote} from '../../app/telling/narration/paneNotes.ts';
import {filesText, fileWords, type Unalike, unalike} from '../../app/telling/narration/unalike.ts';
import type {ShownRun} from './loads.ts';

// These functions return properties of a run. If the panes come from several trace files, some properties, such as the
// page and the path, can be different for each pane.

/** The page as a pane of the run loaded it. */
export function pageOfPane({page, scenario, sources}: ShownRun, pane: number): Page {
  return pageAs(sources?.[pane]?.snapshot ?? page, scenario.panes[pane]?.conversion);
}

/** How the panes differ besides their settings. Only panes of trace files can differ in this way. */
export function unalikeOf(run: ShownRun): Unalike {
  const {sources, scenario} = run;
  if (sources === undefined) return NOTHING;
  const known = found.get(sources);
  if (known !== undefined) return known;
  const words = fileWords(sources);
  const own = unalike(sources, words.length > 0 ? words : titleNames(scenario.panes));
  found.set(sources, own);
  return own;
}

/**
 * The path of a pane that was loaded from a live server. Its losses are not known. Undefined if the pane was not loaded
 * live.
 */
export function livePathOfPane({scenario, sources}: ShownRun, pane: number): LivePath | undefined {
  const settings = scenario.panes[pane];
  return settings && livePathOf(sources?.[pane]?.scenario ?? scenario, settings);
}

/** Whether a pane's load was live or recorded by another program. The contents of its packets are then not known. */
export function hasHappened(run: ShownRun, pane: number): boolean {
  return run.scenario.panes[pane]?.captured !== undefined || livePathOfPane(run, pane) !== undefined;
}

/**
 * Whether the losses of packets from the server are unknown in a pane. They are unknown in live loads, and in captures
 * that were made at the client or that have no packets.
 */
export function hasUnknownLosses({metrics}: ShownRun, pane: number): boolean {
  return Number.isNaN(metrics[pane]?.lost.down);
}

/** What the critical paths of a pane depend on besides its trace. */
export function whyOf(run: ShownRun, pane: number): WhyOptions {
  const source = run.sources?.[pane];
  return source === undefined ? whyOptionsOf(run.scenario, pane) : whyOptionsOf(source.scenario, source.pane);
}

/** {@link whyOf} of all panes. */
export function allWhyOf(run: ShownRun): readonly WhyOptions[] {
  return run.traces.map((_, pane) => whyOf(run, pane));
}

/** The files that the panes come from, as in `from a.trace, b.trace`. Empty if the run does not come from files. */
export function fromFilesText({sources}: ShownRun): string {
  return sources === undefined ? '' : `from ${filesText(sources)}`;
}

/** The panes' titles. If the panes come from several files, each title begins with its file's name. */
export function labelsOf({scenario: {panes}, sources}: ShownRun): readonly string[] {
  const labels = paneTitles(panes);
  const words = sources === undefined ? [] : fileWords(sources);
  return labels.map((label, i) => withWord(label, words[i]));
}

/** The panes' short titles for use in sentences. For trace files, a name may include the file's name. */
export function namesOf({scenario: {panes}, sources}: ShownRun): readonly string[] {
  return sources === undefined ? titleNames(panes) : namesIn(sources, panes);
}

/**
 * Short words for the settings in which a pane differs from the others. If panes come from several files, the name of
 * the pane's file is the first word.
 */
export function distinguishingWords({scenario: {panes}, sources}: ShownRun, pane: number): readonly string[] {
  const own = panes[pane];
  const word = sources === undefined ? undefined : fileWords(sources)[pane];
  return [...(word === undefined ? [] : [word]), ...(own === undefined ? [] : differencesOf(own, panes))];
}

/** A note on the models of browser and server, which decide what is requested and sent, and when. It may be empty. */
export function browserOf(run: ShownRun): string {
  const isLive = (pane: number): boolean => hasHappened(run, pane);
  return browserNote(run.scenario, {names: namesOf(run), isLive});
}

/** How much of a recorded page the panes loaded. Empty if no browser has recorded the page, or for trace files. */
export function recordedOf(run: ShownRun): string {
  const {page, traces, sources} = run;
  if (page.recording === undefined || sources !== undefined) return '';
  const loads = traces.map(({data}) =>
    data.objects.map(({bytes, requestNs}) => ({bytes, isRequested: requestNs !== null})),
  );
  return recordedText(recordedShare(page.recording, loads), namesOf(run));
}

/** The timed changes of the path; empty if the panes differ in more than their settings, for example in the path. */
export function changesOf(run: ShownRun): ReturnType<typeof changeCaptions> {
  return unalikeOf(run).notes.length > 0 ? [] : changeCaptions(run.scenario);
}

/** The rate of the path over time; null if it is constant, or if the panes' paths differ. */
export function capacityOf(run: ShownRun): PathCapacity | null {
  if (unalikeOf(run).notes.length > 0) return null;
  return pathCapacity(run.scenario, runEndNs(run.traces));
}

/** Whether all panes are live or captured loads. Their paths are unknown, so no model can be computed. */
export function isAllLive(run: ShownRun): boolean {
  return run.scenario.panes.every((_, pane) => hasHappened(run, pane));
}

/** What the model of the paper L06 predicts for each pane on that pane's path; empty if no pane was computed. */
export function predictionsOf(run: ShownRun): readonly Prediction[] {
  if (isAllLive(run)) return [];
  const {scenario, page, sources} = run;
  if (sources === undefined) return predictAll(scenario, page);
  return sources.flatMap(source => predictAll(source.scenario, source.snapshot)[source.pane] ?? []);
}

type Sources = NonNullable<ShownRun['sources']>;

/**
 * The panes' short names. The name of a pane includes the file's name if several panes have the same pipeline, and this
 * pane is the only one of them from its file.
 */
function namesIn(sources: Sources, panes: ShownRun['scenario']['panes']): readonly string[] {
  const words = fileWords(sources);
  return titleNames(panes).map((name, i) => {
    const alike = panes.map(({pipeline}, k) => pipeline === panes[i]?.pipeline && words[k]).filter(Boolean);
    const isAlone = alike.filter(word => word === words[i]).length === 1;
    const pane = panes[i];
    return pane !== undefined && alike.length > 1 && isAlone ? `${titleOf(pane)}, ${words[i]}` : name;
  });
}

function withWord(label: string, word: string | undefined): string {
  return word === undefined ? label : `${word}: ${label}`;
}

const found = new WeakMap<Sources, Unalike>();

const NOTHING: Unalike = {page: false, notes: []};

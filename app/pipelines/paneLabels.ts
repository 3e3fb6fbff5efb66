import {browserOf} from '../browsers/list.ts';
import {serverOf} from '../servers/list.ts';
import {dropsText} from './drops.ts';
import {type Pane, pipelineOf} from './index.ts';
import {capturedText, connectionsText, conversionText} from './settingTexts.ts';

/**
 * Returns the label of each pane, such as `TCP classic` or `SCTP classic, 10 streams`. It includes the settings that
 * distinguish the pane from the others.
 */
export function paneLabels(panes: readonly Pane[]): readonly string[] {
  return panes.map(pane => labelWords(pane, panes).join(', '));
}

/**
 * Returns the title of each pane for an audience: its name by {@link titleOf}, its profile and the settings that
 * distinguish it from the others: `HTTP over SCTP, classic, 10 streams`.
 */
export function paneTitles(panes: readonly Pane[]): readonly string[] {
  return panes.map(pane =>
    [titleOf(pane), ...withoutTitled(pane, wordsOf(pane).title), ...differencesOf(pane, panes)].join(', '),
  );
}

/**
 * Returns what a pane is called in front of an audience. All titles begin with HTTP and its version, or with HTTP
 * alone, so that they can be compared: `HTTP/1.1 over TCP`, `HTTP/1.1 over TCP × 6`, `HTTP/2`, `HTTP over SCTP`.
 */
export function titleOf(pane: Pane): string {
  const {carries} = pipelineOf(pane.pipeline);
  return carries === undefined ? shortOf(pane) : `${carries} over ${shortOf(pane)}`;
}

/** Leaves out empty words, and the number of connections, which the title says by `× 6`. */
export function withoutTitled(pane: Pane, words: readonly string[]): readonly string[] {
  const titled = 'connections' in pane ? connectionsText(pane.connections) : '';
  return words.filter(word => word !== '' && word !== titled);
}

/**
 * Returns labels like {@link paneLabels}, but without commas, for tables with comma-separated values. Not every program
 * reads quoted values (RFC 4180).
 */
export function columnLabels(panes: readonly Pane[]): readonly string[] {
  return panes.map(pane => labelWords(pane, panes).join(' · '));
}

function labelWords(pane: Pane, panes: readonly Pane[]): readonly string[] {
  return [...wordsOf(pane).label, ...differencesOf(pane, panes)];
}

/**
 * Returns short texts for everything that distinguishes `pane` and is not part of its name: the settings in which the
 * panes of its pipeline differ, and the browser, the server, the conversion of pictures and the path if panes differ in
 * these. The packets that the pane alone drops are always stated. They come first, because the last texts may be left
 * out.
 */
export function differencesOf(pane: Pane, panes: readonly Pane[]): readonly string[] {
  if (!hasSettings(pane)) return [];
  const drops = pane.drop === undefined ? [] : [dropsText(pane.drop)];
  const models = modelWords(pane, panes);
  return [
    ...drops,
    ...models,
    ...ownDifferences(pane, panes),
    ...conversionWords(pane, panes),
    ...pathWords(pane, panes),
  ];
}

/**
 * Returns a text for the pane's conversion. The list is empty if all panes have the same conversion, or if the pane is
 * captured.
 */
function conversionWords(pane: Pane, panes: readonly Pane[]): readonly string[] {
  const isAlike = panes.every(({conversion}) => conversion === pane.conversion);
  return isAlike || !hasSettings(pane) ? [] : [conversionText(pane.conversion)];
}

/**
 * Returns the labels of the browser and of the server that the pane states. A label is left out if all panes state the
 * same.
 */
function modelWords({browser, webServer}: Pane, panes: readonly Pane[]): readonly string[] {
  const isOneBrowser = panes.every(other => other.browser === browser);
  const isOneServer = panes.every(other => other.webServer === webServer);
  return [
    ...(isOneBrowser || browser === undefined ? [] : [browserOf(browser).label]),
    ...(isOneServer || webServer === undefined ? [] : [serverOf(webServer).label]),
  ];
}

/**
 * Returns texts for the pane's live server and, if its pipeline uses TCP, its TCP stack. A text is left out if all
 * panes have the same.
 */
function pathWords({path, pipeline}: Pane, panes: readonly Pane[]): readonly string[] {
  if (path === undefined) return [];
  const isOneServer = panes.every(other => other.path?.live === path.live);
  const hasNoStack = pipelineOf(pipeline).live?.isOverTcp !== true;
  const isOneStack = hasNoStack || panes.every(other => other.path?.tcp === path.tcp);
  return [
    ...(isOneServer ? [] : [`from ${path.live}`]),
    ...(isOneStack ? [] : [path.tcp === undefined ? "the kernel's TCP" : 'TCP in UDP']),
  ];
}

function ownDifferences(pane: Pane, panes: readonly Pane[]): readonly string[] {
  const others = panes
    .filter(other => other.pipeline === pane.pipeline && hasSettings(other))
    .map(other => wordsOf(other).settings);
  return wordsOf(pane).settings.filter((text, i) => text !== '' && others.some(other => other[i] !== text));
}

/**
 * Returns the shortest distinct name of each pane, for use in sentences. It is the pane's label, such as `TCP × 6`,
 * with the browser, the server and the conversion of pictures if panes differ in these. If several panes have the same
 * label, the first word that distinguishes them is appended (`SCTP 2 streams`). If no single word distinguishes them,
 * the result of {@link paneLabels} is used. Panes whose names are still equal get a number.
 */
export function shortNames(panes: readonly Pane[]): readonly string[] {
  return distinctNames(panes, shortOf, paneLabels(panes));
}

/** Returns names like {@link shortNames}, but with the titles of {@link titleOf} instead of labels. */
export function titleNames(panes: readonly Pane[]): readonly string[] {
  return distinctNames(panes, titleOf, paneTitles(panes));
}

/** `nameOf` returns a name that several panes may have, and `labels` are the long names of the panes. */
function distinctNames(
  panes: readonly Pane[],
  nameOf: (pane: Pane) => string,
  labels: readonly string[],
): readonly string[] {
  const labelOf = (pane: Pane): string =>
    [nameOf(pane), ...modelWords(pane, panes), ...conversionWords(pane, panes)].join(' ');
  const names = panes.map((pane, i) => {
    const label = labelOf(pane);
    const alike = panes.filter(other => labelOf(other) === label);
    if (alike.length === 1) return label;
    const words = alike.map(allWords);
    const distinguishing = allWords(pane).find((_, at) => new Set(words.map(own => own[at])).size === alike.length);
    return distinguishing === undefined ? (labels[i] ?? label) : `${label} ${distinguishing}`;
  });
  const isOnly = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return names.map((name, i) => (isOnly(name) ? name : `${name} (pane ${i + 1})`));
}

function shortOf(pane: Pane): string {
  const pipeline = pipelineOf(pane.pipeline);
  return pipeline.labelOf?.(pane) ?? pipeline.label;
}

/** Returns the words that the header of a pane always shows. `streams` is the number of streams that the load has. */
export function headerWordsOf(pane: Pane, streams: number): readonly string[] {
  return wordsOf(pane, streams).header;
}

function allWords(pane: Pane): readonly string[] {
  const {header, settings} = wordsOf(pane);
  return [...header, ...settings];
}

/** The words from which the names of a pane are made. */
interface PaneWords {
  readonly label: readonly string[];
  /** The words that follow the pane's title. Some may be empty. */
  readonly title: readonly string[];
  readonly header: readonly string[];
  /** One text for each setting that the label does not contain, see `Pipeline.settingWords`. */
  readonly settings: readonly string[];
}

/** Returns the words of a pane. The words of a captured pane only say in which kind of file it was recorded. */
function wordsOf(pane: Pane, streams = pipelineOf(pane.pipeline).streamsOf(pane)): PaneWords {
  if (pane.captured !== undefined) {
    const words = [capturedText(pane.captured)];
    return {label: [shortOf(pane), ...words], title: words, header: words, settings: []};
  }
  const pipeline = pipelineOf(pane.pipeline);
  const [name = '', ...others] = pipeline.nameWords(pane);
  return {
    label: [name, ...others],
    title: ['profile' in pane ? pane.profile : '', ...others],
    header: pipeline.headerWords(pane, streams),
    settings: pipeline.settingWords(pane),
  };
}

/** Whether the settings of a pane are known. The file of a captured load does not say which settings the ends had. */
function hasSettings(pane: Pane): boolean {
  return pane.captured === undefined;
}

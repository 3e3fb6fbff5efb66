import {type Pane, pipelineOf} from './index.ts';
import {conversionText} from './words.ts';

/** What each pane is called: `TCP classic`, `SCTP classic, 10 streams`, and what tells it from its like. */
export function paneLabels(panes: readonly Pane[]): readonly string[] {
  return panes.map(pane => labelWords(pane, panes).join(', '));
}

/** {@link paneLabels} for tables of values with commas between them, which not everybody reads as RFC 4180 has them. */
export function columnLabels(panes: readonly Pane[]): readonly string[] {
  return panes.map(pane => labelWords(pane, panes).join(' · '));
}

function labelWords(pane: Pane, panes: readonly Pane[]): readonly string[] {
  return [...pipelineOf(pane.pipeline).nameWords(pane), ...differencesOf(pane, panes)];
}

/**
 * The settings of `pane` in which the panes of its pipeline differ, but for those in its name, and how its pictures come
 * where that is not the same in all panes, or where it has a path of its own; short.
 */
export function differencesOf(pane: Pane, panes: readonly Pane[]): readonly string[] {
  return [...ownDifferences(pane, panes), ...conversionWords(pane, panes), ...pathWords(pane, panes)];
}

/** Of pictures that are alike everywhere nothing is to be told. */
function conversionWords(pane: Pane, panes: readonly Pane[]): readonly string[] {
  const isAlike = panes.every(({conversion}) => conversion === pane.conversion);
  return isAlike ? [] : [conversionText(pane.conversion)];
}

/** Where it loads from, if not all load from there. */
function pathWords({path}: Pane, panes: readonly Pane[]): readonly string[] {
  if (path === undefined) return [];
  const isOneServer = panes.every(other => other.path?.live === path.live);
  const isOneStack = panes.every(other => other.path?.tcp === path.tcp);
  return [
    ...(isOneServer ? [] : [`from ${path.live}`]),
    ...(isOneStack ? [] : [path.tcp === undefined ? "the kernel's TCP" : 'TCP in UDP']),
  ];
}

function ownDifferences(pane: Pane, panes: readonly Pane[]): readonly string[] {
  const pipeline = pipelineOf(pane.pipeline);
  const others = panes.filter(other => other.pipeline === pane.pipeline).map(other => pipeline.settingWords(other));
  return pipeline.settingWords(pane).filter((text, i) => text !== '' && others.some(other => other[i] !== text));
}

/**
 * As short as tells them apart, for sentences: the pipeline's name, which connections are part of; with the first of its words that tells it from
 * its like (`SCTP 2 streams`), or {@link paneLabels} where no single one does. Those that are equal have their number.
 */
export function shortNames(panes: readonly Pane[]): readonly string[] {
  const labels = paneLabels(panes);
  const names = panes.map((pane, i) => {
    const label = shortLabel(pane, panes);
    const alike = panes.filter(other => shortLabel(other, panes) === label);
    if (alike.length === 1) return label;
    const telling = wordsOf(pane).find((_, at) => new Set(alike.map(each => wordsOf(each)[at])).size === alike.length);
    return telling === undefined ? (labels[i] ?? label) : `${label} ${telling}`;
  });
  const isOnly = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return names.map((name, i) => (isOnly(name) ? name : `${name} (pane ${i + 1})`));
}

function shortLabel(pane: Pane, panes: readonly Pane[]): string {
  const pipeline = pipelineOf(pane.pipeline);
  return [pipeline.labelOf?.(pane) ?? pipeline.label, ...conversionWords(pane, panes)].join(' ');
}

function wordsOf(pane: Pane): readonly string[] {
  const pipeline = pipelineOf(pane.pipeline);
  return [...pipeline.headerWords(pane, pipeline.streamsOf(pane)), ...pipeline.settingWords(pane)];
}

import type {Page} from '../page/page.ts';
import type {Pane} from '../pipelines/index.ts';
import {paneLabels} from '../pipelines/paneLabels.ts';
import {schedulerText, tlsText} from '../pipelines/settingTexts.ts';
import type {Scenario} from '../run/scenario/scenario.ts';

/**
 * One line about what was loaded and how, such as `gallery, TCP classic, no TLS, seed 7`. If a setting exists in
 * several pipelines, and the panes have different values of it, the title names the pane's value.
 */
export function paneTitle({name}: Page, {panes, seed}: Scenario, pane: number): string {
  const label = paneLabels(panes)[pane] ?? '';
  const told = label.split(', ');
  const own = panes[pane];
  const others = own === undefined ? [] : sharedWords(own, panes).filter(word => !told.includes(word));
  return [name, label, ...others, `seed ${seed}`].join(', ');
}

/**
 * The words for those settings of a pane that mean the same in every pipeline, and whose values differ between the
 * panes.
 */
function sharedWords(pane: Pane, panes: readonly Pane[]): readonly string[] {
  return SHARED.flatMap(wordOf => {
    const word = wordOf(pane);
    const words = new Set(panes.map(wordOf).filter(each => each !== undefined));
    return word === undefined || words.size < 2 ? [] : [word];
  });
}

/** Functions for a pane's word for each of these settings; undefined if the pane has no such setting. */
const SHARED: readonly ((pane: Pane) => string | undefined)[] = [
  pane => ('pipelining' in pane ? (pane.pipelining ? 'pipelined' : 'one at a time') : undefined),
  pane => ('tls' in pane ? tlsText(pane.tls) : undefined),
  pane => ('scheduler' in pane ? schedulerText(pane.scheduler) : undefined),
];

import type {Page} from '../page/page.ts';
import type {Pane} from '../pipelines/index.ts';
import {paneLabels} from '../pipelines/paneLabels.ts';
import {schedulerText, tlsText} from '../pipelines/settingTexts.ts';
import type {Scenario} from '../run/scenario/scenario.ts';

/**
 * One line: what was loaded how. `gallery, TCP classic, no TLS, seed 7`: what panes of several pipelines have, and do
 * not have alike, is told of each that has it.
 */
export function paneTitle({name}: Page, {panes, seed}: Scenario, pane: number): string {
  const label = paneLabels(panes)[pane] ?? '';
  const told = label.split(', ');
  const own = panes[pane];
  const others = own === undefined ? [] : sharedWords(own, panes).filter(word => !told.includes(word));
  return [name, label, ...others, `seed ${seed}`].join(', ');
}

/** Of settings that mean the same in every pipeline. */
function sharedWords(pane: Pane, panes: readonly Pane[]): readonly string[] {
  return SHARED.flatMap(wordOf => {
    const word = wordOf(pane);
    const words = new Set(panes.map(wordOf).filter(each => each !== undefined));
    return word === undefined || words.size < 2 ? [] : [word];
  });
}

/** The pane's word for each; undefined where it has no such setting. */
const SHARED: readonly ((pane: Pane) => string | undefined)[] = [
  pane => ('pipelining' in pane ? (pane.pipelining ? 'pipelined' : 'one at a time') : undefined),
  pane => ('tls' in pane ? tlsText(pane.tls) : undefined),
  pane => ('scheduler' in pane ? schedulerText(pane.scheduler) : undefined),
];

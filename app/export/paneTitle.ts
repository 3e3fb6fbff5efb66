import type {Page} from '../page/page.ts';
import type {Pane} from '../pipelines/index.ts';
import {paneLabels} from '../pipelines/paneLabels.ts';
import {schedulerText, tlsText} from '../pipelines/settingTexts.ts';
import type {Scenario} from '../run/scenario/scenario.ts';

/**
 * Returns one line that describes the page and the pane, such as `gallery, TCP classic, no TLS, seed 7`. Of the
 * pipeline's settings, the pane's label states only those in which panes of the same pipeline differ. Therefore, the
 * line also states the pane's pipelining, TLS and scheduler, each of them if any two panes have different values of it.
 */
export function paneTitle({name}: Page, {panes, seed}: Scenario, pane: number): string {
  const label = paneLabels(panes)[pane] ?? '';
  const included = label.split(', ');
  const own = panes[pane];
  const others = own === undefined ? [] : sharedWords(own, panes).filter(word => !included.includes(word));
  return [name, label, ...others, `seed ${seed}`].join(', ');
}

/** Returns the pane's words for those settings in {@link SHARED} that it has and in which any two panes differ. */
function sharedWords(pane: Pane, panes: readonly Pane[]): readonly string[] {
  return SHARED.flatMap(wordOf => {
    const word = wordOf(pane);
    const words = new Set(panes.map(wordOf).filter(each => each !== undefined));
    return word === undefined || words.size < 2 ? [] : [word];
  });
}

/**
 * One function for each setting that is compared among all panes: pipelining (only TCP has it), TLS, and the scheduler.
 * A function returns the pane's word for the setting, or undefined if the pane does not have the setting.
 */
const SHARED: readonly ((pane: Pane) => string | undefined)[] = [
  pane => ('pipelining' in pane ? (pane.pipelining ? 'pipelined' : 'one at a time') : undefined),
  pane => ('tls' in pane ? tlsText(pane.tls) : undefined),
  pane => ('scheduler' in pane ? schedulerText(pane.scheduler) : undefined),
];

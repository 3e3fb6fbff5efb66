import type {Page} from '../page/page.ts';
import {paneLabels} from '../pipelines/paneLabels.ts';
import type {Scenario} from '../scenario/scenario.ts';

/** One line: what was loaded how. `gallery, TCP classic, seed 7`. */
export function paneTitle({name}: Page, {panes, seed}: Scenario, pane: number): string {
  return `${name}, ${paneLabels(panes)[pane]}, seed ${seed}`;
}

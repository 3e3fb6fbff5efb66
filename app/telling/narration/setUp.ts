import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {joined} from '../../run/trace/words.ts';
import {grouped} from './grouped.ts';

/**
 * What stands in each pane's set-up, and whose server is told the path's rate, a line each: neither is alike on all
 * sides. `names` are the panes', as they stand within a sentence.
 */
export function setUpNotes(panes: readonly Pane[], names: readonly string[]): readonly string[] {
  const setUps = grouped(panes, names, pane => pipelineOf(pane.pipeline).setUp(pane)?.text ?? 'none');
  const rates = grouped(panes, names, toldRate);
  return [
    `set-up: ${setUps.map(([text, who]) => `${text} (${joined(who)})`).join('; ')}`,
    ...rates.flatMap(([rate, who]) => (rate === null ? [] : rateNote(rate, who))),
  ];
}

/** Whether TLS is in every set-up or in none, and no server is told the rate. */
export function isSetUpAlike(panes: readonly Pane[]): boolean {
  const kinds = new Set(panes.map(pane => pipelineOf(pane.pipeline).setUp(pane)?.hasTls));
  return kinds.size < 2 && panes.every(pane => toldRate(pane) === null);
}

/** Over datagrams a server does not find it out; null elsewhere. */
function toldRate(pane: Pane): string | null {
  return 'ratePercent' in pane ? `${pane.ratePercent} % of it` : null;
}

function rateNote(rate: string, who: readonly string[]): string {
  const [knows, sends] = who.length === 1 ? ['knows', 'sends'] : ['know', 'send'];
  return `${joined(who)} ${knows} the path's rate and ${sends} at ${rate}; the others have to find it out`;
}

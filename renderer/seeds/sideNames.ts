import {type Pane, pipelineOf} from '../../app/pipelines/index.ts';
import {paneLabels} from '../panes/paneLabels.ts';

/** What a sentence calls each pane: `SCTP`, or all that tells it from another one over the same pipeline. */
export function sideNames(panes: readonly Pane[]): readonly string[] {
  const short = panes.map(pane => pipelineOf(pane.pipeline).label);
  if (new Set(short).size === panes.length) return short;
  const labels = paneLabels(panes);
  if (new Set(labels).size === panes.length) return labels;
  return labels.map((label, pane) => `${label} (pane ${pane + 1})`);
}

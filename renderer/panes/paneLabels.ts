import {type Pane, pipelineOf} from '../../app/pipelines/index.ts';

/** What each pane is called: `TCP classic`, `SCTP classic, 10 streams`, and what tells it from its like. */
export function paneLabels(panes: readonly Pane[]): readonly string[] {
  return panes.map(pane => {
    return [...pipelineOf(pane.pipeline).nameWords(pane), ...differencesOf(pane, panes)].join(', ');
  });
}

/** The settings of `pane` in which the panes of its pipeline differ, but for those in its name; short. */
export function differencesOf(pane: Pane, panes: readonly Pane[]): readonly string[] {
  const pipeline = pipelineOf(pane.pipeline);
  const others = panes
    .filter(other => other.pipeline === pane.pipeline)
    .map(other => pipeline.settingWords(other));
  return pipeline
    .settingWords(pane)
    .filter((text, i) => text !== '' && others.some(other => other[i] !== text));
}

/** As short as tells them apart: the pipeline's name, or {@link paneLabels} where several have it. */
export function shortNames(panes: readonly Pane[]): readonly string[] {
  const names = panes.map(({pipeline}) => pipelineOf(pipeline).label);
  return new Set(names).size === names.length ? names : paneLabels(panes);
}

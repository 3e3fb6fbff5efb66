import {CONVERSIONS, type Conversion} from '../page/conversion.ts';
import {PIPELINES} from './list.ts';
import type {Pipeline} from './pipeline.ts';
import type {PaneOf} from './setting.ts';

/**
 * A pipeline with a value for each of its settings. Settings that all panes share (path, page, think time, discovery)
 * belong to the scenario.
 */
export type Pane = PaneOver<(typeof PIPELINES)[number]>;

export type PipelineName = Pane['pipeline'];

type PaneOver<P> = P extends Pipeline<infer N, infer S> ? PaneOf<N, S> : never;

/** Returns all pipelines. */
export function pipelines(): readonly Pipeline[] {
  return PIPELINES;
}

/** Returns the pipeline with this name, or undefined if there is none. */
export function findPipeline(name: unknown): Pipeline | undefined {
  return pipelines().find(pipeline => pipeline.name === name);
}

/**
 * Returns the pipeline with this name.
 * @throws RangeError if there is none. This would be a bug, because names are checked when a scenario is parsed.
 */
export function pipelineOf(name: PipelineName): Pipeline {
  const found = findPipeline(name);
  if (found === undefined) throw new RangeError(`invalid pipeline: ${name}`);
  return found;
}

/** Returns the conversions of the page that these panes need, in the order of {@link CONVERSIONS}. */
export function conversionsOf(panes: readonly Pane[]): readonly Conversion[] {
  return CONVERSIONS.filter(each => panes.some(({conversion}) => conversion === each));
}

import {CONVERSIONS, type Conversion} from '../page/conversion.ts';
import {PIPELINES} from './list.ts';
import type {Pipeline} from './pipeline.ts';
import type {PaneOf} from './setting.ts';

/**
 * One way to load the page. Settings that all panes share (path, page, think time, discovery) belong to the scenario.
 */
export type Pane = PaneOver<(typeof PIPELINES)[number]>;

export type PipelineName = Pane['pipeline'];

type PaneOver<P> = P extends Pipeline<infer N, infer S> ? PaneOf<N, S> : never;

/** All pipelines. */
export function pipelines(): readonly Pipeline[] {
  return PIPELINES;
}

/** The pipeline of this name. Undefined if there is none. */
export function findPipeline(name: unknown): Pipeline | undefined {
  return pipelines().find(pipeline => pipeline.name === name);
}

/** @throws RangeError if there is no such pipeline, which is a bug because input is parsed */
export function pipelineOf(name: PipelineName): Pipeline {
  const found = findPipeline(name);
  if (found === undefined) throw new RangeError(`invalid pipeline: ${name}`);
  return found;
}

/** The conversions of the page that these panes need, in the order of {@link CONVERSIONS}. */
export function conversionsOf(panes: readonly Pane[]): readonly Conversion[] {
  return CONVERSIONS.filter(each => panes.some(({conversion}) => conversion === each));
}

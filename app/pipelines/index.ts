import {CONVERSIONS, type Conversion} from '../page/conversion.ts';
import {PIPELINES} from './list.ts';
import type {Pipeline} from './pipeline.ts';
import type {PaneOf} from './setting.ts';

/** One way to load the page. What all panes share (path, page, think time, discovery) is the scenario's. */
export type Pane = PaneOver<(typeof PIPELINES)[number]>;

export type PipelineName = Pane['pipeline'];

type PaneOver<P> = P extends Pipeline<infer N, infer S> ? PaneOf<N, S> : never;

/** Every pipeline's record. */
export function pipelines(): readonly Pipeline[] {
  return PIPELINES;
}

/** The record of a pipeline; undefined if there is none of that name. */
export function findPipeline(name: unknown): Pipeline | undefined {
  return pipelines().find(pipeline => pipeline.name === name);
}

/** @throws RangeError if there is none of that name, which is a bug: what comes from outside is parsed. */
export function pipelineOf(name: PipelineName): Pipeline {
  const found = findPipeline(name);
  if (found === undefined) throw new RangeError(`invalid pipeline: ${name}`);
  return found;
}

/** What of a page has to be there for these panes, in the order of {@link CONVERSIONS}. */
export function conversionsOf(panes: readonly Pane[]): readonly Conversion[] {
  return CONVERSIONS.filter(each => panes.some(({conversion}) => conversion === each));
}

import {type Pane, type PipelineName, pipelineOf} from '../../pipelines/index.ts';
import {overPipeline} from '../../run/scenario/pane.ts';
import type {PathSettings} from '../../run/scenario/path.ts';
import {type Candidate, changedPane, schedulersOf} from './candidates.ts';

/**
 * All protocols over which a browser could load the page: HTTP/1.1 on six connections, and HTTP/2 and HTTP/3, each with
 * every scheduler that a server can have. Protocols that need larger packets than the path's MTU are left out. All
 * protocols have TLS: browsers support HTTP/2 and HTTP/3 only with TLS, and HTTP/1.1 is compared on the same terms. The
 * other settings, such as the profile, are those of the pane `like` if the protocol has them.
 */
export function browserCandidates(like: Pane, {mtuBytes}: Pick<PathSettings, 'mtuBytes'>): readonly Candidate[] {
  return BROWSERS.filter(({pipeline}) => (pipelineOf(pipeline).leastMtuBytes ?? 0) <= mtuBytes).flatMap(
    ({pipeline, name, settings}): readonly Candidate[] => {
      const own = overPipeline(like, pipeline, undefined);
      const schedulers = schedulersOf(own);
      return (schedulers.length === 0 ? [null] : schedulers).flatMap(scheduler => {
        const pane = changedPane(own, {...settings, ...(scheduler === null ? {} : {scheduler})});
        const words = scheduler === null ? name : `${name} (${scheduler})`;
        return pane === undefined ? [] : [{name: words, streams: null, scheduler, pane}];
      });
    },
  );
}

/** Whether browsers support the pane's pipeline, perhaps only with other settings. */
export function hasBrowserPipeline({pipeline}: Pane): boolean {
  return BROWSERS.some(each => each.pipeline === pipeline);
}

/** The pipeline that browsers use if a server supports nothing newer. */
export const OLDEST_OF_BROWSERS: PipelineName = 'tcp';

const BROWSERS: readonly {
  readonly pipeline: PipelineName;
  readonly name: string;
  readonly settings: {readonly [key: string]: unknown};
}[] = [
  // Chromium and Firefox open six connections to a host
  {
    pipeline: OLDEST_OF_BROWSERS,
    name: 'HTTP/1.1 (six connections)',
    settings: {connections: 6, pipelining: false, tls: true},
  },
  {pipeline: 'h2', name: 'HTTP/2', settings: {tls: true}},
  {pipeline: 'h3', name: 'HTTP/3', settings: {visit: 'first'}},
];

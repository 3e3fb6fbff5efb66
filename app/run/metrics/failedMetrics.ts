import type {Page} from '../../page/page.ts';
import type {Pane} from '../../pipelines/index.ts';
import type {PaneMetrics} from './metrics.ts';

/** Metrics of a pane whose load the program failed to compute. Only the reason is known. */
export function failedMetrics({pipeline}: Pane, page: Page, reason: string): PaneMetrics {
  const unknown = {down: Number.NaN, up: Number.NaN};
  const never = {25: null, 50: null, 75: null, 100: null};
  return {
    pipeline,
    outcome: 'error',
    reason,
    missing: 0,
    setupMs: null,
    pageTimeMs: null,
    pPageMs: never,
    pRenMs: never,
    silentMs: null,
    packets: unknown,
    lost: unknown,
    retransmitted: Number.NaN,
    holBlockedMs: Number.NaN,
    holBlockedBytes: Number.NaN,
    longestWaitMs: Number.NaN,
    objects: page.objects.map(({url, body}) => ({
      url,
      bytes: body?.length ?? 0,
      stream: null,
      requestMs: null,
      firstByteMs: null,
      completeMs: null,
      latencyMs: null,
      failure: null,
    })),
  };
}

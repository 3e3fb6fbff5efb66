import type {Json} from '../base/json.ts';
import type {Page} from '../page/page.ts';
import {type Pane, pipelineOf} from '../pipelines/index.ts';
import {setUpsOf} from '../run/trace/setUps.ts';
import type {Trace} from '../run/trace/trace.ts';
import type {ObjectTrace} from '../run/trace/traceData.ts';
import {dateText, harEntry, sentBytes} from './harEntry.ts';

export interface HarOptions {
  readonly page: Page;
  /** The pane with which the page was loaded. */
  readonly pane: Pane;
  /** Whether the page was loaded from a live server. */
  readonly isLive: boolean;
  /** One line that describes the page and the pane. */
  readonly title: string;
  /** The version of this program. */
  readonly version: string;
  /** Whether the file also contains the received content of each object. */
  readonly hasContent: boolean;
}

/**
 * Returns a pane's load as an HTTP Archive (HAR 1.2). It has one entry for each object that was requested, complete or
 * not, in the order of the trace's objects. A trace has no date; by convention, a run begins at the start of the year
 * 2000 ({@link dateText}). Unknown values are -1 or absent, as HAR defines. The objects of a page from the web keep
 * their addresses, even if the run used another protocol.
 */
export function har(trace: Trace, options: HarOptions): string {
  const {objects} = trace.data;
  const served = new Map(options.page.objects.map(object => [object.url, object]));
  const bytes = sentBytes(trace);
  const {pane} = options;
  const hasTls = pipelineOf(pane.pipeline).setUp(pane)?.hasTls === true;
  const shared = {
    scheme: hasTls ? 'https' : 'http',
    hasContent: options.hasContent,
    setUpOf: setUpsOf(trace, {hasTls}),
  } as const;
  const entries = objects.flatMap((object, number): readonly Json[] => {
    if (object.requestNs === null) return [];
    const entry = {...shared, served: served.get(object.url), bytes: bytes(number)};
    return [{pageref: PAGE_ID, ...harEntry(trace, number, entry)}];
  });
  const log = {
    version: '1.2',
    creator: {name: 'Interleave', version: options.version},
    pages: [pageOf(trace, options.title)],
    entries,
    comment: comment(trace, options),
  };
  return `${JSON.stringify({log}, null, 2)}\n`;
}

function pageOf({data}: Trace, title: string): Json {
  const {objects, outcome, reason} = data;
  const hasEnded = outcome === 'complete' || outcome === 'partial';
  const ends = objects.map(({completeNs, failedNs}) => completeNs ?? failedNs ?? 0);
  return {
    startedDateTime: dateText(0),
    id: PAGE_ID,
    title,
    // several pipelines have the same version of HTTP
    _pipeline: data.pipeline,
    pageTimings: {
      onContentLoad: milliseconds(objects[0]?.completeNs ?? null),
      // As in browsers, this is the time when every object was complete or had failed.
      onLoad: milliseconds(hasEnded ? Math.max(0, ...ends) : null),
    },
    ...(reason === null ? {} : {comment: `${outcome}: ${reason}`}),
  };
}

/** Converts a time to ms. Returns -1, HAR's value for unknown times, if the time is null. */
function milliseconds(ns: number | null): number {
  return ns === null ? -1 : ns / 1e6;
}

function comment({data: {objects}}: Trace, options: HarOptions): string {
  const unrequested = objects.filter(isUnrequested).map(({url}) => url);
  const missing = unrequested.length === 0 ? '' : `; never requested: ${unrequested.join(', ')}`;
  return `${originOf(options)} begins at ${dateText(0)} by convention${missing}`;
}

function originOf({pane, isLive}: HarOptions): string {
  if (pane.captured !== undefined) return 'recorded by another program; the load';
  return isLive ? 'loaded from a live server; the load' : 'computed in virtual time, which';
}

/** Returns whether an object was found, but never requested. */
function isUnrequested({discoveredNs, requestNs}: ObjectTrace): boolean {
  return discoveredNs !== null && requestNs === null;
}

/** The id of the only page in the file. */
const PAGE_ID = 'page_1';

import {readJson} from '../base/json.ts';
import {isObject} from '../base/schema.ts';
import {originOf} from '../page/url.ts';
import {findPipeline, type PipelineName} from '../pipelines/index.ts';
import type {
  CapturedConnection,
  CapturedExchange,
  CapturedLoad,
  CapturedMilestones,
  ReadCapture,
} from './capturedLoad.ts';
import {dateNs, type HarEntry, harEntry, harNs} from './harCaptureEntry.ts';
import {pageFirst} from './requestOrder.ts';

/**
 * Reads the page loads in an HTTP Archive (HAR 1.2), as the developer tools of browsers and `interleave har` write it.
 * The entries of each page are a load, and so are the entries that name no page. An archive has no packets. It has two
 * times of arrival for each response: that of the header and that of the last byte.
 */
export function readHar(text: string): ReadCapture {
  const json = readJson(text);
  if (!json.ok) return {ok: false, message: `not a HAR file: ${json.message}`};
  const log: unknown = isObject(json.value) ? json.value['log'] : undefined;
  const listed: unknown = isObject(log) ? log['entries'] : undefined;
  if (!isObject(log) || !Array.isArray(listed)) return {ok: false, message: 'not a HAR file: it has no log.entries'};
  if (listed.length > MOST_ENTRIES)
    return {ok: false, message: `the HAR file has ${listed.length} entries (at most ${MOST_ENTRIES})`};
  const read = listed.map(harEntry);
  const entries = read.filter(each => each !== undefined);
  const pages = pagesOf(log['pages']);
  const groups = grouped(entries, pages);
  const unread = read.length - entries.length;
  const notes =
    unread === 0
      ? []
      : [`The file has ${countText(unread, 'entry that is', 'entries that are')} not a request over HTTP.`];
  const [first, ...others] = groups.flatMap(group => loadOf(group, notes));
  if (first === undefined) return {ok: false, message: 'the HAR file has no request that was sent over HTTP'};
  return {ok: true, loads: [first, ...others]};
}

/** A page of the archive. */
interface HarPage {
  readonly id: string;
  /** When the page started, in ns since 1970. */
  readonly startNs: bigint | null;
  /** Times since the start of the page. */
  readonly milestones: {readonly dclNs: number | null; readonly loadNs: number | null};
  /**
   * The pipeline, if the archive names it. This program's own archives do, because several pipelines have the same
   * version of HTTP.
   */
  readonly pipeline: PipelineName | undefined;
}

interface Group {
  readonly page: HarPage | undefined;
  readonly entries: readonly HarEntry[];
}

function pagesOf(listed: unknown): readonly HarPage[] {
  if (!Array.isArray(listed)) return [];
  return listed.slice(0, MOST_PAGES).flatMap((page: unknown): readonly HarPage[] => {
    if (!isObject(page)) return [];
    const {id, startedDateTime, pageTimings, _pipeline}: {readonly [key: string]: unknown} = page;
    const {onContentLoad, onLoad}: {readonly [key: string]: unknown} = isObject(pageTimings) ? pageTimings : {};
    return [
      {
        id: typeof id === 'string' ? id : '',
        startNs: dateNs(startedDateTime),
        milestones: {dclNs: harNs(onContentLoad), loadNs: harNs(onLoad)},
        pipeline: findPipeline(_pipeline)?.name as PipelineName | undefined,
      },
    ];
  });
}

/**
 * Groups the entries by the pages that they name. Entries that name no page are one group. If there is only one group
 * and only one page, the group belongs to this page.
 */
function grouped(entries: readonly HarEntry[], pages: readonly HarPage[]): readonly Group[] {
  const byId = new Map<string, HarEntry[]>();
  for (const entry of entries) {
    const own = byId.get(entry.page);
    if (own === undefined) byId.set(entry.page, [entry]);
    else own.push(entry);
  }
  const [only] = pages;
  const groups = Array.from(byId, ([id, own]): Group => {
    const page = pages.find(each => each.id === id) ?? (byId.size === 1 && pages.length === 1 ? only : undefined);
    return {page, entries: [...own].sort((a, b) => compare(a.startNs, b.startNs))};
  });
  return groups.sort((a, b) => compare(a.entries[0]?.startNs ?? 0n, b.entries[0]?.startNs ?? 0n));
}

function loadOf({page, entries: all}: Group, unread: readonly string[]): readonly CapturedLoad[] {
  const document = Math.max(0, all.findIndex(isDocument));
  const sent = all.slice(document).filter(({isSent}) => isSent);
  const [first] = sent;
  if (first === undefined) return [];
  const entries = sent.map(entry => ({entry, atNs: Number(entry.startNs - first.startNs)}));
  const connections = connectionsOf(entries);
  const requests = pageFirst(
    entries.map(({entry, atNs}) => ({entry, exchange: exchangeOf(entry, atNs, connections.numbers)})),
    ({entry}) => entry.isHtml && !isRedirect(entry),
  );
  const [main = {entry: first}] = requests;
  const unsent = all.length - document - sent.length;
  const others = sent.filter(each => each.pipeline !== main.entry.pipeline).length;
  return [
    {
      kind: 'har',
      pipeline: page?.pipeline ?? main.entry.pipeline,
      seenAt: 'client',
      connections: connections.all,
      exchanges: requests.map(({exchange}) => exchange),
      packets: [],
      samples: [],
      ...milestonesOf(page, first),
      notes: [
        ...unread,
        ...(document === 0
          ? []
          : [`${countText(document, 'request was', 'requests were')} left out because the page was requested later.`]),
        ...(unsent === 0
          ? []
          : [
              `${countText(unsent, 'request was', 'requests were')} left out because the browser did not send ${unsent === 1 ? 'it' : 'them'}.`,
            ]),
        ...(others === 0
          ? []
          : [`${others} of ${sent.length} requests used a different version of HTTP than the request for the page.`]),
      ],
    },
  ];
}

function isDocument(entry: HarEntry): boolean {
  return entry.isHtml || isRedirect(entry);
}

function isRedirect({status}: HarEntry): boolean {
  return status !== null && status >= 301 && status <= 308 && status !== 304;
}

interface Placed {
  readonly entry: HarEntry;
  /** When the entry started, in ns since the start of the load. */
  readonly atNs: number;
}

/** The connections in the order of their first use. `numbers` maps the archive's name of a connection to its index. */
interface Connections {
  readonly all: readonly CapturedConnection[];
  readonly numbers: ReadonlyMap<string, number>;
}

function connectionsOf(placed: readonly Placed[]): Connections {
  const numbers = new Map<string, number>();
  const all: CapturedConnection[] = [];
  for (const {entry, atNs} of placed) {
    const {connection, connectNs, sslNs, pipeline, url} = entry;
    if (connection === null) continue;
    const known = numbers.get(connection);
    // the browser may have opened the connection for a later request; the entry of that request has the times of set-up
    if (known !== undefined && (connectNs === null || all[known]?.openNs !== null)) continue;
    const number = known ?? all.length;
    numbers.set(connection, number);
    const hasTls = url.startsWith('https:');
    const doneNs = atNs + entry.requestAfterNs;
    const isSplit = hasTls && pipeline !== 'h3' && sslNs !== null;
    all[number] = {
      origin: originOf(url) ?? null,
      hasTls,
      openNs: connectNs === null ? null : Math.max(0, doneNs - connectNs),
      connectedNs: connectNs === null ? null : Math.max(0, doneNs - (isSplit ? sslNs : 0)),
      tlsNs: connectNs !== null && isSplit ? doneNs : null,
      streams: 1,
    };
  }
  return {all, numbers};
}

function exchangeOf(entry: HarEntry, atNs: number, numbers: Connections['numbers']): CapturedExchange {
  const {connection, firstByteAfterNs, completeAfterNs} = entry;
  return {
    connection: connection === null ? null : (numbers.get(connection) ?? null),
    stream: entry.stream,
    method: entry.method,
    url: entry.url,
    requestFields: entry.requestFields,
    responseFields: entry.responseFields,
    discoveredNs: atNs,
    requestNs: atNs + entry.requestAfterNs,
    firstByteNs: firstByteAfterNs === null ? null : atNs + firstByteAfterNs,
    completeNs: completeAfterNs === null ? null : atNs + completeAfterNs,
    status: entry.status,
    requestBytes: entry.requestBytes,
    headerBytes: entry.headerBytes,
    bodyBytes: entry.bodyBytes,
    body: entry.body,
    deliveries: [],
    initiator: entry.initiator,
    priority: entry.priority,
  };
}

/** Converts the times of a page, which count from the page's start, to times since the first request. */
function milestonesOf(page: HarPage | undefined, first: HarEntry): {readonly milestones?: CapturedMilestones} {
  const {dclNs = null, loadNs = null} = page?.milestones ?? {};
  if (dclNs === null && loadNs === null) return {};
  const earlyNs = page?.startNs === null || page === undefined ? 0 : Number(page.startNs - first.startNs);
  const since = (ns: number | null): number | null => (ns === null ? null : Math.max(0, ns + earlyNs));
  return {milestones: {fcpNs: null, lcpNs: null, dclNs: since(dclNs), loadNs: since(loadNs)}};
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function countText(count: number, one: string, several: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${several}`;
}

/** The most entries that an archive may have. A page has at most a thousand objects. */
const MOST_ENTRIES = 20_000;
const MOST_PAGES = 1000;

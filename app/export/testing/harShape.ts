import {problemsOf, type Shape} from './documentShape.ts';

// For tests: checks an archive against HAR 1.2 (softwareishard.com/blog/har-12-spec). Fields that begin with `_` are
// those that DevTools or this program adds.

/** The type of numbers that are at least 0, or −1 if the value is unknown or does not apply. */
const MS = 'ms';
const NAMED: Shape = [{name: 'text', value: 'text'}];

const REQUEST: Shape = {
  method: 'GET',
  url: 'text',
  httpVersion: 'text',
  cookies: NAMED,
  headers: NAMED,
  queryString: NAMED,
  headersSize: MS,
  bodySize: 'count',
};

const RESPONSE: Shape = {
  status: 'count',
  statusText: 'text',
  httpVersion: 'text',
  cookies: NAMED,
  headers: NAMED,
  content: {size: 'count', mimeType: 'text', 'text?': 'text', 'encoding?': 'base64'},
  redirectURL: 'text',
  headersSize: MS,
  bodySize: 'count',
  '_transferSize?': 'count',
  '_error?': 'text',
};

const ENTRY: Shape = {
  pageref: 'page_1',
  startedDateTime: 'date',
  time: 'number',
  request: REQUEST,
  response: RESPONSE,
  cache: {},
  timings: {blocked: MS, dns: MS, connect: MS, ssl: MS, send: 'number', wait: 'number', receive: 'number'},
  'connection?': 'text',
  '_connectionId?': 'text',
  '_stream?': 'count',
  _resourceType: 'text',
};

const ARCHIVE: Shape = {
  log: {
    version: '1.2',
    creator: {name: 'Interleave', version: 'text'},
    pages: [
      {
        startedDateTime: 'date',
        id: 'page_1',
        title: 'text',
        _pipeline: 'text',
        'comment?': 'text',
        pageTimings: {onContentLoad: MS, onLoad: MS},
      },
    ],
    entries: [ENTRY],
    comment: 'text',
  },
};

export interface Archive {
  readonly log: {
    readonly pages: readonly {
      readonly comment?: string;
      readonly pageTimings: {readonly onContentLoad: number; readonly onLoad: number};
    }[];
    readonly entries: readonly ArchivedEntry[];
    readonly comment: string;
  };
}

export interface ArchivedEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly httpVersion: string;
    readonly url: string;
    readonly headersSize: number;
    readonly queryString: unknown;
  };
  readonly response: {
    readonly httpVersion: string;
    readonly status: number;
    readonly headersSize: number;
    readonly bodySize: number;
    readonly _error?: string;
    readonly content: {readonly size: number; readonly mimeType: string; readonly text?: string};
  };
  readonly timings: {readonly [phase: string]: number};
}

/**
 * Returns the problems of an archive. The list is empty if the archive is valid. The time of an entry must be the sum
 * of its timings, without `ssl`, which is included in `connect` (HAR 1.2).
 */
export function archiveProblems(text: string): readonly string[] {
  const archive = readArchive(text);
  const sums = archive.log.entries.flatMap(({time, timings}, i) => {
    const {ssl = -1, connect = -1, ...others} = timings;
    const sum = [connect, ...Object.values(others)].reduce((all, ms) => all + Math.max(0, ms), 0);
    return [
      ...(Math.abs(sum - time) < 1e-6 ? [] : [`entry ${i} takes ${time} ms, but the sum of its timings is ${sum} ms`]),
      ...(ssl <= connect ? [] : [`entry ${i} has an ssl of ${ssl} ms, which exceeds its connect of ${connect} ms`]),
    ];
  });
  return [...problemsOf(archive, ARCHIVE), ...sums];
}

export function readArchive(text: string): Archive {
  return JSON.parse(text);
}

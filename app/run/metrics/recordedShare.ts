import {joined} from '../../base/text.ts';
import type {Recording} from '../../page/recording.ts';

/** Which share of a page's recording the panes loaded. */
export interface RecordedShare {
  /** Name and version of the browser that recorded the page. */
  readonly browser: string;
  /** Number of requests that the browser made, and number of bytes in their bodies. */
  readonly requests: number;
  readonly bytes: number;
  /** For each pane: how many of these requests the load made, too, and the number of bytes in their bodies. */
  readonly panes: readonly {readonly requests: number; readonly bytes: number}[];
}

/** An object of a load. */
interface LoadedObject {
  readonly bytes: number;
  readonly isRequested: boolean;
}

/** Compares loads with the page's recording. `panes` has the objects of each load, indexed by object number. */
export function recordedShare(
  {browser, requests, all}: Recording,
  panes: readonly (readonly LoadedObject[])[],
): RecordedShare {
  return {
    browser,
    ...all,
    panes: panes.map(objects => {
      const made = requests.flatMap(({object}) => objects[object] ?? []).filter(({isRequested}) => isRequested);
      return {requests: made.length, bytes: made.reduce((sum, {bytes}) => sum + bytes, 0)};
    }),
  };
}

/** Describes the share in a sentence. `names` are the names of the panes. */
export function recordedText({browser, requests, bytes, panes}: RecordedShare, names: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const [pane, own] of panes.entries()) {
    // the bodies of a load can be larger than the recorded ones, because a gateway may have encoded them again
    const percent = bytes === 0 ? 100 : Math.min(100, Math.floor((100 * own.bytes) / bytes));
    const text = `${own.requests} of ${requests} requests, ${percent} % of the bytes`;
    groups.set(text, [...(groups.get(text) ?? []), names[pane] ?? '']);
  }
  const parts = [...groups].map(([text, who]) => (groups.size === 1 ? text : `${text} (${joined(who)})`));
  return `loaded share of the recording by ${browser}: ${parts.join('; ')}`;
}

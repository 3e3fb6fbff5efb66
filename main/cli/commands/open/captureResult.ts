import {joined, showName} from '../../../../app/base/text.ts';
import type {CapturedLoad} from '../../../../app/captures/capturedLoad.ts';
import {notKnownOf} from '../../../../app/captures/captureKinds.ts';
import {failureText} from '../../../../app/page/failure.ts';
import {paneLabels} from '../../../../app/pipelines/paneLabels.ts';
import {NAVIGATION_TIMES, type PaneMetrics} from '../../../../app/run/metrics/metrics.ts';
import {capturedMetrics} from '../../../../app/run/metrics/paneMetrics.ts';
import type {OpenedCapture} from '../../../captures/openCaptures.ts';
import {align, milliseconds} from '../run/result.ts';

/** One page load of a capture, as `open --json` prints it. */
interface CaptureDocument {
  readonly file: string;
  readonly kind: CapturedLoad['kind'];
  readonly seenAt: CapturedLoad['seenAt'];
  /** The address that was requested first. */
  readonly url: string;
  readonly connections: number;
  readonly objects: number;
  /** Bytes of all responses as they were sent, headers and bodies. */
  readonly bytes: number;
  /** What the file lacked or what could not be read. */
  readonly notes: readonly string[];
  /** What a capture of this kind does not show. */
  readonly notKnown: readonly string[];
  /** Values that the capture does not show are null or NaN. In JSON, both are null. */
  readonly pane: PaneMetrics;
}

/** Returns what `open --json` prints, without the name of the program, which `json` adds. */
export function captureDocuments(opened: readonly OpenedCapture[]): {readonly captures: readonly CaptureDocument[]} {
  return {captures: opened.map(documentOf)};
}

function documentOf({file, load, run}: OpenedCapture): CaptureDocument {
  const {kind, seenAt, exchanges, connections, notes} = load;
  const [data] = run.panes;
  if (data === undefined) throw new RangeError('a captured load has one pane');
  return {
    file,
    kind,
    seenAt,
    url: exchanges[0]?.url ?? '',
    connections: connections.length,
    objects: exchanges.length,
    bytes: exchanges.reduce((sum, {headerBytes, bodyBytes}) => sum + headerBytes + bodyBytes, 0),
    notes,
    notKnown: notKnownOf(load),
    pane: capturedMetrics(data, seenAt),
  };
}

/** Returns the table of captured loads for people, with one column for each load. */
export function captureTable(opened: readonly OpenedCapture[]): string {
  const all = opened.map(documentOf);
  const panes = all.map(({pane}) => pane);
  const rows: readonly (readonly [string, (each: CaptureDocument) => string])[] = [
    ['page', ({url}) => showName(url, LONGEST_URL)],
    ['recorded by', ({kind, seenAt, pane}) => (hasPackets(pane) ? `${kind}, ${SEEN_AT[seenAt]}` : kind)],
    ['outcome', ({pane}) => pane.outcome],
    ['set-up', ({pane}) => milliseconds(pane.setupMs)],
    ['page time T', ({pane}) => milliseconds(pane.pageTimeMs)],
    ...NAVIGATION_TIMES.filter(({key}) => panes.some(pane => pane[key] !== null)).map(
      ({key, label}) => [label, ({pane}: CaptureDocument) => milliseconds(pane[key])] as const,
    ),
    ['objects', ({objects}) => String(objects)],
    ['bytes of responses', ({bytes}) => String(bytes)],
    ['connections', ({connections}) => String(connections)],
    ['packets down/up', ({pane: {packets}}) => both(packets)],
    ['lost down/up', ({pane: {lost}}) => both(lost)],
    ['retransmitted', ({pane}) => count(pane.retransmitted)],
    ['HOL blocked', ({pane}) => (Number.isNaN(pane.holBlockedMs) ? '' : milliseconds(pane.holBlockedMs))],
  ];
  const urls = new Set(panes.flatMap(({objects}) => objects.map(({url}) => url)));
  const found = panes.map(({objects}) => new Map(objects.map(object => [object.url, object])));
  const shown = [...urls].slice(0, MOST_OBJECTS);
  return align([
    ['captured loads; times in ms'],
    ['', ...all.map(({file}, i) => `${i + 1}: ${showName(file, LONGEST_URL)}`)],
    ['', ...paneLabels(opened.flatMap(({scenario}) => scenario.panes))],
    ...rows.map(([label, cell]) => [label, ...all.map(cell)]),
    [''],
    ['time from navigation until each object is complete'],
    ...shown.map(url => [showName(url, LONGEST_URL), ...found.map(each => objectText(each.get(url)))]),
    ...(shown.length === urls.size ? [] : [[`and ${urls.size - shown.length} more objects`]]),
    ...notesOf(all).map(note => [note]),
  ]);
}

/**
 * Returns the reasons why loads are incomplete, and the notes. Each names the loads that it is about, or none if it is
 * about all of them.
 */
function notesOf(all: readonly CaptureDocument[]): readonly string[] {
  const numbers = new Map<string, number[]>();
  for (const [i, {pane, notes, notKnown}] of all.entries())
    for (const note of new Set([...(pane.reason === null ? [] : [pane.reason]), ...notes, ...notKnown]))
      numbers.set(note, [...(numbers.get(note) ?? []), i + 1]);
  return Array.from(numbers, ([note, those]) =>
    those.length === all.length ? note : `load ${joined(those.map(String))}: ${note}`,
  );
}

function hasPackets({packets}: PaneMetrics): boolean {
  return packets.down + packets.up > 0;
}

function both({down, up}: PaneMetrics['lost']): string {
  return Number.isNaN(down) && Number.isNaN(up) ? '' : `${count(down) || '?'}/${count(up) || '?'}`;
}

function count(number: number): string {
  return Number.isNaN(number) ? '' : String(number);
}

function objectText(object: PaneMetrics['objects'][number] | undefined): string {
  if (object?.failure) return failureText(object.failure);
  return milliseconds(object?.completeMs ?? null);
}

const SEEN_AT: {readonly [S in CapturedLoad['seenAt']]: string} = {
  client: 'at the client',
  server: 'at the server',
  both: 'at both ends',
};

const LONGEST_URL = 60;
const MOST_OBJECTS = 200;

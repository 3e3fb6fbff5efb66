import {INDEX_URL} from '../page/page.ts';
import type {SchedulerName} from './scheduler.ts';

/** The priority that a client gives a request (RFC 9218 §4). */
export interface Priority {
  /** A number from 0 to 7. The value 0 is the most urgent. */
  readonly urgency: number;
  /** Whether the client can use a part of the response. */
  readonly isIncremental: boolean;
}

/** A priority, and what else a client states about a request over HTTP/2. */
export interface StatedPriority extends Priority {
  /** The weight in HTTP/2's first scheme of priorities (RFC 7540 §5.3), 1 to 256. Absent if none is stated. */
  readonly weight?: number;
}

/** The priority of a request that states none (RFC 9218 §4). */
export const USUAL_PRIORITY: Priority = {urgency: 3, isIncremental: false};

/**
 * Returns the value of a Priority field or PRIORITY_UPDATE frame (RFC 9218 §5). It is empty for {@link USUAL_PRIORITY}.
 */
export function priorityText({urgency, isIncremental}: Priority): string {
  const parts = [...(urgency === USUAL_PRIORITY.urgency ? [] : [`u=${urgency}`]), ...(isIncremental ? ['i'] : [])];
  return parts.join(', ');
}

/** Parses a priority. Unknown and invalid parts are ignored (RFC 9218 §4). */
export function readPriority(text: string): Priority {
  return USUAL_TEXTS.get(text) ?? newPriority(text);
}

function newPriority(text: string): Priority {
  let {urgency, isIncremental} = USUAL_PRIORITY;
  for (const part of text.slice(0, MOST_TEXT).split(',')) {
    const [key = '', value] = (part.split(';')[0] ?? '').trim().split('=');
    if (key === 'u' && /^[0-7]$/.test(value ?? '')) urgency = Number(value);
    if (key === 'i' && (value === undefined || value === '?1')) isIncremental = true;
    if (key === 'i' && value === '?0') isIncremental = false;
  }
  return {urgency, isIncremental};
}

/**
 * Returns the priority that Chromium gives a request. Documents, style sheets and fonts are most urgent, then scripts,
 * then pictures (`DetermineRequestPriority`, whose levels become `u=0` to `u=4`). Documents and pictures are
 * incremental (`ShouldLoadIncremental`). Since Chrome 117, the first five pictures have medium priority (`u=2`).
 *
 * Two rules differ from Chromium's. The first five pictures have medium priority only with the scheduler `weighted`,
 * where urgency decides the shares; with any other scheduler, all other pictures would wait for the first five. With
 * `first-come`, no request is incremental.
 * @param pictures number of pictures that were requested earlier on this connection
 */
export function requestPriority(url: string, scheduler: SchedulerName, pictures: number): Priority {
  const kind = requestKind(url);
  const isBoosted = kind === 'picture' && scheduler === 'weighted' && pictures < BOOSTED_PICTURES;
  return {
    urgency: isBoosted ? 2 : URGENCY[kind],
    isIncremental: scheduler !== 'first-come' && (kind === 'document' || kind === 'picture'),
  };
}

/**
 * Returns whether a request is treated as one for a picture: its URL is not that of a document, style sheet, font or
 * script. A client has to guess this before the response arrives.
 */
export function isPictureRequest(url: string): boolean {
  return requestKind(url) === 'picture';
}

/** The kind of object that a request is for, guessed from the URL. Fonts are `style`, and unknown kinds `picture`. */
export type RequestKind = keyof typeof URGENCY;

export function requestKind(url: string): RequestKind {
  const path = url.split('?')[0] ?? '';
  if (path === INDEX_URL || /\.html?$/.test(path)) return 'document';
  if (/\.(css|woff2?|ttf|otf)$/.test(path)) return 'style';
  return /\.m?js$/.test(path) ? 'script' : 'picture';
}

const URGENCY = {document: 0, style: 0, script: 1, picture: 3} as const;
const BOOSTED_PICTURES = 5;
/** Number of characters that are parsed. The rest is ignored. */
const MOST_TEXT = 100;
/** Maps each text that {@link priorityText} returns to its priority. */
const USUAL_TEXTS: ReadonlyMap<string, Priority> = new Map(
  [0, 1, 2, 3, 4, 5, 6, 7].flatMap(urgency =>
    [false, true].map(isIncremental => [priorityText({urgency, isIncremental}), {urgency, isIncremental}]),
  ),
);

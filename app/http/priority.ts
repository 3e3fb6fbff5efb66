import {INDEX_URL} from '../page/page.ts';
import type {SchedulerName} from './scheduler.ts';

/** What a client says of a request (RFC 9218 §4). */
export interface Priority {
  /** From 0, the most urgent, to 7. */
  readonly urgency: number;
  /** Its response is of use before it is whole. */
  readonly isIncremental: boolean;
}

/** What one has that says nothing (RFC 9218 §4). */
export const USUAL_PRIORITY: Priority = {urgency: 3, isIncremental: false};

/** As a Priority field's value or a PRIORITY_UPDATE's (RFC 9218 §5); empty for {@link USUAL_PRIORITY}. */
export function priorityText({urgency, isIncremental}: Priority): string {
  const parts = [...(urgency === USUAL_PRIORITY.urgency ? [] : [`u=${urgency}`]), ...(isIncremental ? ['i'] : [])];
  return parts.join(', ');
}

/** What is unknown or out of range is left out (RFC 9218 §4). */
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
 * What a browser asks for, as Chromium does: the document before style sheets and fonts, these before scripts, pictures
 * last (`DetermineRequestPriority`, whose levels become `u=0` to `u=4`); documents and pictures incremental
 * (`ShouldLoadIncremental`). Since Chrome 117 the first five pictures are medium (`u=2`). Differs: only where shares
 * follow urgency (`weighted`), as otherwise five pictures would wait for five others, whatever the scheduler.
 * `first-come` is a browser that asks for nothing incremental.
 * @param pictures how many were asked for before
 */
export function requestPriority(url: string, scheduler: SchedulerName, pictures: number): Priority {
  const kind = kindOf(url);
  const isBoosted = kind === 'picture' && scheduler === 'weighted' && pictures < BOOSTED_PICTURES;
  return {
    urgency: isBoosted ? 2 : URGENCY[kind],
    isIncremental: scheduler !== 'first-come' && (kind === 'document' || kind === 'picture'),
  };
}

/** A picture, as far as a client knows that before its response. */
export function isPicture(url: string): boolean {
  return kindOf(url) === 'picture';
}

function kindOf(url: string): keyof typeof URGENCY {
  const path = url.split('?')[0] ?? '';
  if (path === INDEX_URL || /\.html?$/.test(path)) return 'document';
  if (/\.(css|woff2?|ttf|otf)$/.test(path)) return 'style';
  return /\.m?js$/.test(path) ? 'script' : 'picture';
}

const URGENCY = {document: 0, style: 0, script: 1, picture: 3} as const;
const BOOSTED_PICTURES = 5;
/** Longer ones are read so far. */
const MOST_TEXT = 100;
/** As clients here write them. */
const USUAL_TEXTS: ReadonlyMap<string, Priority> = new Map(
  [0, 1, 2, 3, 4, 5, 6, 7].flatMap(urgency =>
    [false, true].map(isIncremental => [priorityText({urgency, isIncremental}), {urgency, isIncremental}]),
  ),
);

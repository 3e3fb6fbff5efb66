import {type MarkKind, markPlaces} from '../../run/timeline/markPlaces.ts';
import {shownTimelineOf} from '../../run/timeline/shownTimeline.ts';

/** One part of the window that the help explains. */
export interface Callout {
  readonly name: string;
  readonly text: string;
  /** What is explained: the first element that matches this selector, or a mark in the timeline. */
  readonly at: string | {readonly mark: MarkKind};
  /** Whether the number is after the end of the part. Before a sentence, it would cover the sentence's beginning. */
  readonly isAtEnd?: true;
}

/** A part of the window that is in sight, and its area in CSS px of the window. */
export interface PlacedCallout extends Callout {
  readonly area: {readonly x: number; readonly y: number; readonly width: number; readonly height: number};
}

/** The parts of the window from top to bottom. */
export const CALLOUTS: readonly Callout[] = [
  {
    at: '.lesson > span',
    isAtEnd: true,
    name: 'The sentence',
    text: 'It says what can be seen at t. At the end of the run, it says the result.',
  },
  {
    at: '.pane-name strong',
    name: 'A pane',
    text:
      'Every pane loads the same page on the same path, each in its own way. The title says how; the settings are ' +
      'beside it.',
  },
  {
    at: '.pane-dots, .pane-parts',
    name: 'Dots',
    text:
      'Each picture has a dot in its colour: an empty ring at first, half full when the picture can be recognised, ' +
      'full when it is good, ticked when it is complete. Logos are not counted.',
  },
  {at: '.pane-bar', name: 'The bar', text: 'It shows how much of the first screen can be seen.'},
  {
    at: '.pane-paper',
    name: 'The page',
    text:
      'The page as a reader sees it at t. The frame of a picture has the colour of the picture’s dot and of its line ' +
      'in the timeline.',
  },
  {at: '.scrubber', name: 'The scrubber', text: 'Drag it to go to another t. The space key plays.'},
  {
    at: '.thumbnails canvas',
    name: 'Small pictures',
    text: 'The pages over the time of the run, one row for each pane. Click one to go to its time.',
  },
  {
    at: '.timeline-bar .segments',
    name: 'Views',
    text: 'All views show the same run. The key of a view is its number.',
  },
  {at: {mark: 'now'}, name: 't', text: 'The vertical line across all graphs is the time that the panes show.'},
  {
    at: {mark: 'line'},
    name: 'A line',
    text: 'A line in the colour of an object rises as the object arrives.',
  },
  {
    at: {mark: 'loss'},
    name: 'A cross',
    text: 'A lost packet. A small cross is a packet without data. Click a cross to see what the loss did.',
  },
  {at: {mark: 'repair'}, name: 'A coloured bar', text: 'Data of the object in this colour is sent again.'},
  {
    at: {mark: 'wait'},
    name: 'Shading',
    text:
      'Data that had arrived and waited for earlier data of its stream. Usually the earlier data was lost. This is ' +
      'head-of-line blocking.',
  },
  {
    at: {mark: 'milestone'},
    name: 'Thin lines',
    text:
      'A dotted line is a milestone, such as the time at which all objects have 50 % of their bytes or, on the visual ' +
      'axis, all pictures are recognisable. A solid line is the time at which the page is complete or, on the visual ' +
      'axis, its first screen is.',
  },
  {
    at: '.honesty summary',
    isAtEnd: true,
    name: 'Fairness',
    text: 'What is equal in every pane, and what is not. Click it for the details.',
  },
];

/** The callouts whose parts are in sight now. */
export function placedCallouts(tNs: number): readonly PlacedCallout[] {
  const timeline = document.querySelector('.timeline');
  const box = timeline?.getBoundingClientRect();
  const shown = timeline === null ? undefined : shownTimelineOf(timeline);
  const marks =
    shown === undefined ? NO_MARKS : markPlaces({...shown.model, revealNs: shown.isUpToT ? tNs : undefined}, tNs);
  return CALLOUTS.flatMap(callout => {
    const {at} = callout;
    if (typeof at !== 'string') {
      const mark = marks.get(at.mark);
      if (mark === undefined || box === undefined) return [];
      const area = {x: box.x + mark.x - MARK_PX / 2, y: box.y + mark.y - MARK_PX / 2, width: MARK_PX, height: MARK_PX};
      return [{...callout, area}];
    }
    const element = document.querySelector(at);
    const {x = 0, y = 0, width = 0, height = 0} = element?.getBoundingClientRect() ?? {};
    const isInSight =
      element?.checkVisibility({visibilityProperty: true}) === true && x < window.innerWidth && y < window.innerHeight;
    return isInSight && height > 0 ? [{...callout, area: {x, y, width, height}}] : [];
  });
}

/** Where each callout's number is, CSS px of the window: near its area and, if possible, not over another number. */
export function numberPlaces(callouts: readonly PlacedCallout[]): readonly {readonly x: number; readonly y: number}[] {
  const placed: {readonly x: number; readonly y: number}[] = [];
  for (const {area, isAtEnd} of callouts) {
    const isMark = area.width === MARK_PX && area.height === MARK_PX;
    // a number covers little above a mark, after the end of a sentence, and at the corner of anything else
    const wanted = isMark
      ? {x: area.x + area.width / 2, y: area.y - NUMBER_PX / 2}
      : isAtEnd === true
        ? {x: area.x + area.width + NUMBER_PX, y: area.y + area.height / 2}
        : {x: area.x, y: area.y - NUMBER_PX / 4};
    const tries = OFFSETS.map(([across, down]) => ({
      x: Math.max(wanted.x + across * NUMBER_PX, NUMBER_PX / 2),
      y: Math.max(wanted.y + down * NUMBER_PX, NUMBER_PX / 2),
    }));
    const isFree = (point: {readonly x: number; readonly y: number}): boolean =>
      placed.every(other => Math.abs(other.x - point.x) >= NUMBER_PX || Math.abs(other.y - point.y) >= NUMBER_PX);
    const [first = wanted] = tries;
    placed.push(tries.find(isFree) ?? first);
  }
  return placed;
}

const NO_MARKS: ReturnType<typeof markPlaces> = new Map();

/** The size of a callout's number, CSS px. help.css has the same size. */
export const NUMBER_PX = 24;
/** The size of the area around a mark of the timeline, CSS px. */
const MARK_PX = 16;
/** The positions that are tried for a number, as multiples of the number's size. */
const OFFSETS = [
  [0, 0],
  [1, 0],
  [0, -1],
  [1, -1],
  [-1, 0],
  [2, 0],
  [0, 1],
  [1, 1],
  [-1, -1],
  [2, -1],
  [0, -2],
] as const;

import {lossNumbered} from '../../../app/run/cause/losses.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {pathCapacity} from '../../../app/run/scenario/capacity.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {runEndNs} from '../../../app/run/trace/trace.ts';
import {changeCaptions} from '../../../app/telling/movie/captions.ts';
import type {Look} from '../../../app/telling/movie/options.ts';
import {pictureFontPx} from '../../../app/telling/movie/pictureFont.ts';
import {wholeRun} from '../../session/zoom.ts';
import {type Drawing, drawLine} from './drawing.ts';
import {drawTimeline} from './drawTimeline.ts';
import {explainedLoss} from './explainedLoss.ts';
import {scaled} from './measures.ts';
import type {TimelineModel, TimelinePane} from './model.ts';
import {PALETTES} from './palette.ts';
import {allPlots, cursorAt, cursorPart} from './plots.ts';
import {viewOf} from './viewOf.ts';

/** A picture of a whole run's timeline with the cursor at t. */
export interface TimelinePicture {
  readonly panes: readonly TimelinePane[];
  readonly scenario: Scenario;
  readonly look: Look;
  readonly eye: Eye | null;
  readonly tNs: number;
}

/** Returns the model from which {@link drawPicture} draws the timeline of a picture. */
export function pictureModel({panes, scenario, look, eye, tNs}: TimelinePicture): TimelineModel {
  const {size, theme, timeline, axis, reveal} = look;
  const traces = panes.map(({trace}) => trace);
  const loss = look.loss === null ? null : lossNumbered(traces, look.loss);
  const [fromNs, toNs] = wholeRun(runEndNs(traces));
  return {
    panes,
    view: viewOf(timeline),
    axis,
    eye,
    layout: 'stacked',
    theme,
    hovered: new Set(),
    selected: null,
    explained: loss === null ? null : explainedLoss(traces[loss.pane], loss.packet),
    changes: changeCaptions(scenario),
    capacity: pathCapacity(scenario, toNs),
    ...size,
    fontPx: pictureFontPx(size),
    fromNs,
    toNs,
    revealNs: reveal ? tNs : undefined,
  };
}

/** Draws a timeline's model with the cursor at t. */
export function drawPicture(drawing: Drawing, model: TimelineModel, tNs: number): void {
  const {theme} = model;
  drawTimeline(drawing, model);
  for (const plot of allPlots(model)) {
    const {x, isInSight} = cursorAt(plot.x, tNs);
    const {y, height} = cursorPart(plot);
    const points = [y, y + height].map(y => ({x, y}));
    if (isInSight) drawLine(drawing, points, {colour: PALETTES[theme].text, width: scaled(model, 2)});
  }
}

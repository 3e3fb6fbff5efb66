import {measureVisual} from '../../app/quality/visual.ts';
import {textWidth} from './measures.ts';
import type {Plot, TimelineModel} from './model.ts';
import {paneNames} from './names.ts';
import {revealedNs} from './reveal.ts';
import {yAxisOf} from './yAxes.ts';

/** What is told behind a pane's name. */
interface AxisNote {
  readonly text: string;
  /** Where it begins and ends, CSS px. */
  readonly left: number;
  readonly right: number;
}

/** What the y axis counts, if it is not bytes as ever, and the Speed Index of what is to be seen; as much as has room. */
export function axisNote(model: TimelineModel, plot: Plot, pane: number): AxisNote | undefined {
  const {fontPx, width} = model;
  const left = (paneNames(model, plot.panes)[pane]?.right ?? plot.box.x) + fontPx;
  const most = (width - left) * MOST_SHARE;
  const text = textsOf(model, plot, pane).find(each => textWidth(each, fontPx) <= most);
  return text === undefined ? undefined : {text, left, right: left + textWidth(text, fontPx)};
}

/** From the longest on. */
function textsOf(model: TimelineModel, {panes}: Plot, pane: number): readonly string[] {
  const {words, name} = yAxisOf(model);
  if (words === '') return [];
  const [{trace} = {}, {eye}] = [panes[pane], model];
  if (name !== 'visual' || trace === undefined || eye === null) return [words];
  const {speedIndexMs, visuallyCompleteMs} = measureVisual(trace, eye.quality, eye.thresholds);
  // it is known when all is to be seen
  if ((visuallyCompleteMs[100] ?? Number.POSITIVE_INFINITY) * 1e6 > revealedNs(model)) return [words];
  const index = `Speed Index ${speedIndexMs === null ? '–' : `${(speedIndexMs / 1000).toFixed(1)} s`}`;
  return [`${words} · ${index}`, index, words];
}

/** Of the room behind the name: milestones stand there too. */
const MOST_SHARE = 0.5;

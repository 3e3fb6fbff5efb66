import {measureVisual} from '../../../app/run/quality/visual.ts';
import {timeText} from './milestoneWords.ts';
import type {Plot, TimelineModel} from './model.ts';
import {revealedNs} from './reveal.ts';
import {yAxisOf} from './yAxes.ts';

/**
 * What can be told behind a pane's name, from the longest on: what the y axis counts, if it is not bytes as ever, and
 * the Speed Index of what is to be seen.
 */
export function axisNotes(model: TimelineModel, {panes}: Plot, pane: number): readonly string[] {
  const {words, name} = yAxisOf(model);
  if (words === '') return [];
  const [{trace} = {}, {eye}] = [panes[pane], model];
  if (name !== 'visual' || trace === undefined || eye === null) return [words];
  const {speedIndexMs, visuallyCompleteMs} = measureVisual(trace, eye.quality, eye.thresholds);
  // it is known when all is to be seen
  if ((visuallyCompleteMs[100] ?? Number.POSITIVE_INFINITY) * 1e6 > revealedNs(model)) return [words];
  const index = `Speed Index ${speedIndexMs === null ? '–' : timeText(speedIndexMs / 1000)}`;
  return [`${words} · ${index}`, index, words];
}

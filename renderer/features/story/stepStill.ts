import {lossNumbered} from '../../../app/run/cause/losses.ts';
import {runEndNs} from '../../../app/run/trace/trace.ts';
import {changeCaptions} from '../../../app/telling/movie/captions.ts';
import {pictureFontPx} from '../../../app/telling/movie/pictureFont.ts';
import {highlightedObjects, spanOfStep} from '../../../app/telling/story/stepTimes.ts';
import type {Step} from '../../../app/telling/story/story.ts';
import type {Theme} from '../../kit/objectColours.ts';
import {stepRunOf} from '../../movie/stepRun.ts';
import {explainedLoss} from '../../run/timeline/explainedLoss.ts';
import {timelinePanes} from '../../run/timeline/timelinePanes.ts';
import {modelSvg} from '../../run/timeline/timelineSvg.ts';
import {viewOf} from '../../run/timeline/viewOf.ts';
import type {ShownRun} from '../../session/loads.ts';
import {wholeRun} from '../../session/zoom.ts';

/** A small picture of the timeline at the end of a step, as the text of an SVG file. */
export function stepStill(step: Step, run: ShownRun, theme: Theme): string {
  const {view, objects: _, loss: numbered} = step;
  const endNs = runEndNs(run.traces);
  const {toNs: tNs} = spanOfStep(step, endNs);
  const {zoomS} = view;
  const [fromNs, toNs] = zoomS === null ? wholeRun(endNs) : [zoomS[0] * 1e9, zoomS[1] * 1e9];
  const loss = numbered === null ? null : lossNumbered(run.traces, numbered);
  const model = {
    panes: timelinePanes(run),
    view: viewOf(view.timeline),
    axis: view.axis,
    // no visual quality is shown, because the page may not be measured yet
    eye: null,
    layout: view.layout,
    theme,
    hovered: new Set(highlightedObjects(step, stepRunOf(run).urls)),
    selected: null,
    explained: loss === null ? null : explainedLoss(run.traces[loss.pane], loss.packet),
    changes: changeCaptions(run.scenario),
    ...SIZE,
    fontPx: pictureFontPx(SIZE),
    fromNs,
    toNs,
    revealNs: view.reveal ? tNs : undefined,
  };
  return modelSvg(model, tNs);
}

/** The size of the picture, CSS px. */
const SIZE = {width: 720, height: 300};

import type {TimelineModel} from './model.ts';
import {PALETTES} from './palette.ts';
import {SvgDrawing} from './svgDrawing.ts';
import {drawPicture, pictureModel, type TimelinePicture} from './timelinePicture.ts';

/** The timeline of a run, as the text of an SVG file. */
export function timelineSvg(picture: TimelinePicture): string {
  return modelSvg(pictureModel(picture), picture.tNs);
}

/** The picture of a timeline's model with the cursor at t, as the text of an SVG file. */
export function modelSvg(model: TimelineModel, tNs: number): string {
  const drawing = new SvgDrawing(model, PALETTES[model.theme].background);
  drawPicture(drawing, model, tNs);
  return drawing.file();
}

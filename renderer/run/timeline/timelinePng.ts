import {PALETTES} from './palette.ts';
import {drawPicture, pictureModel, type TimelinePicture} from './timelinePicture.ts';

/**
 * The timeline of a run, as a PNG file. `scale` is the number of the file's pixels per CSS px of the look's size.
 * @throws Error if the browser cannot make a picture of this size
 */
export async function timelinePng(picture: TimelinePicture, scale: number): Promise<Uint8Array> {
  const model = pictureModel(picture);
  const canvas = document.createElement('canvas');
  Object.assign(canvas, {width: model.width * scale, height: model.height * scale});
  const context = canvas.getContext('2d', {alpha: false});
  const tooLarge = new Error(`the browser cannot make a picture of ${canvas.width}x${canvas.height} px`);
  if (context === null) throw tooLarge;
  context.fillStyle = PALETTES[model.theme].background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  drawPicture(context, model, picture.tNs);
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw tooLarge;
  return new Uint8Array(await blob.arrayBuffer());
}

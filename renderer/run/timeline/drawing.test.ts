import {expect, test} from 'vitest';
import {clipped, type Drawing} from './drawing.ts';
import {SvgDrawing} from './svgDrawing.ts';

test.each([
  // at 2 pixels per CSS px, the box extends from 2.8 to 23 pixels horizontally
  [2, [1, 2, 10.5, 7.5]],
  [1, [1, 2, 11, 8]],
])('at %d pixels per CSS px, the clip is the whole pixels that contain the box', (scale, expected) => {
  expect(clipOf({x: 1.4, y: 2.2, width: 10.1, height: 7.1}, scale)).toEqual(expected);
});

test('a box of whole pixels is not changed', () => {
  expect(clipOf({x: 1.5, y: 2, width: 10, height: 7.5}, 2)).toEqual([1.5, 2, 10, 7.5]);
});

/** The clip of a canvas with `scale` pixels per CSS px: x, y, width, height. */
function clipOf(box: Parameters<typeof clipped>[1], scale: number): readonly number[] {
  const clips: number[][] = [];
  const canvas: Drawing = Object.assign(new SvgDrawing({width: 100, height: 50}, '#fff'), {
    getTransform: () => ({a: scale}) as DOMMatrix,
    rect: (...clip: number[]) => clips.push(clip),
  });
  clipped(canvas, box, () => undefined);
  return clips.flat();
}

import {describe, expect, test} from 'vitest';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {PageBoxes} from '../panes/pageBoxes.ts';
import {drawBars, drawThumbnail, fitThumbnail, type Pen} from './drawThumbnail.ts';

const TRACE = new Trace(smallTrace());
const END_NS = TRACE.data.endNs;
const SLOT = {x: 100, y: 0, width: 80, height: 30};
const COLOURS = {text: 'ink', empty: 'grey'};
/**
 * A page of 1600 × 1600, of which a thumbnail shows the upper half. It has two lines of text above one picture, and a
 * picture below the part that is shown.
 */
const BOXES: PageBoxes = {
  width: 1600,
  height: 1600,
  background: 'paper',
  texts: [
    {x: 0, y: 0, width: 400, height: 40},
    {x: 0, y: 60, width: 800, height: 40},
  ],
  pictures: [
    {object: 1, x: 0, y: 200, width: 800, height: 400},
    {object: 2, x: 0, y: 1000, width: 800, height: 400},
  ],
};

/** A pen that remembers what it drew. */
function recorded() {
  const rects: {
    readonly fill: string;
    readonly x: number;
    readonly y: number;
    readonly right: number;
    bottom: number;
  }[] = [];
  const images: (readonly [CanvasImageSource, ...number[]])[] = [];
  const pen: Pen = {
    fillStyle: '',
    globalAlpha: 1,
    fillRect: (x, y, width, height) => {
      rects.push({fill: String(pen.fillStyle), x, y, right: x + width, bottom: y + height});
    },
    drawImage: (image, ...place) => {
      images.push([image, ...place]);
    },
  };
  return {pen, rects, images};
}

const drawnAt = (tNs: number, picture?: CanvasImageSource) => {
  const {pen, rects, images} = recorded();
  drawThumbnail(pen, SLOT, BOXES, TRACE, tNs, () => picture, COLOURS);
  return {rects, images, of: (fill: string) => rects.filter(each => each.fill === fill)};
};

describe('a thumbnail', () => {
  test('shows the upper part of the page, as large as fits, in the middle of its slot', () => {
    expect(fitThumbnail(BOXES, SLOT)).toEqual({x: 110, y: 0, width: 60, height: 30, scale: 60 / 1600});
    expect(fitThumbnail({width: 1600, height: 400}, SLOT)).toEqual({x: 100, y: 0, width: 80, height: 20, scale: 0.05});
  });

  test('is empty before the HTML has begun to arrive', () => {
    const {rects, images} = drawnAt(0, {} as CanvasImageSource);
    expect([rects, images]).toEqual([[], []]);
  });

  test('has the text and a picture at the end of the load, and nothing outside of its slot', () => {
    const picture = {} as CanvasImageSource;
    const {rects, images, of} = drawnAt(END_NS, picture);
    expect(of('paper')).toHaveLength(1);
    expect(of('ink')).toHaveLength(2);
    // the second picture is below the part that is shown
    expect(images).toHaveLength(1);
    expect(images[0]).toEqual([picture, 110, 7.5, 30, 15]);
    for (const {x, y, right, bottom} of rects) {
      expect([x >= SLOT.x, y >= 0, right <= SLOT.x + SLOT.width, bottom <= SLOT.height]).toEqual(Array(4).fill(true));
    }
  });

  test('shows the place of a picture of which nothing can be decoded', () => {
    const {images, of} = drawnAt(END_NS);
    expect(images).toEqual([]);
    // the edge of the page, and the picture
    expect(of('grey')).toHaveLength(2);
  });

  test('of a synthetic page has a bar for each object, as high as the share of the object that has arrived', () => {
    const {pen, rects} = recorded();
    drawBars(pen, SLOT, TRACE, END_NS, object => `colour ${object}`, COLOURS);
    const bars = rects.filter(({fill}) => fill.startsWith('colour'));
    expect(bars).toHaveLength(TRACE.objects.length);
    for (const [object, {y, bottom}] of bars.entries()) {
      expect(bottom - y).toBeCloseTo((30 * TRACE.percentAt(object, END_NS)) / 100);
    }
    expect(bars.some(({y}) => y === 0)).toBe(true);
  });
});

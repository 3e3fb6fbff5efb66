import sharp from 'sharp';
import {expect, test} from 'vitest';
import {comparePictures} from './comparePictures.ts';

/** A white picture with a rectangle of one colour. */
const picture = (rectangle: {left: number; top: number; width: number; height: number}, fill: string, width = 400) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="200"><rect width="100%" height="100%" fill="white"/>` +
        `<rect x="${rectangle.left}" y="${rectangle.top}" width="${rectangle.width}" height="${rectangle.height}" fill="${fill}"/></svg>`,
    ),
  )
    .png()
    .toBuffer();
/** A large white picture with a word. */
const text = (word: string, left: number) =>
  sharp(
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><rect width="100%" height="100%" fill="white"/>' +
        `<text x="${left}" y="30" font-family="sans-serif" font-size="14">${word}</text></svg>`,
    ),
  )
    .png()
    .toBuffer();
const BUTTON = {left: 40, top: 80, width: 60, height: 24};

test('equal pictures do not differ, and neither do slight differences of colour', async () => {
  const golden = await picture(BUTTON, '#1a5fb4');
  expect(await comparePictures(golden, golden)).toEqual({share: 0, densest: 0, area: null});
  expect(await comparePictures(await picture(BUTTON, '#1f64b9'), golden)).toEqual({
    share: 0,
    densest: 0,
    area: null,
  });
});

test('a button that moved by 8 px differs, and the area contains both places', async () => {
  const golden = await picture(BUTTON, '#1a5fb4');
  const {share, densest, area} = await comparePictures(await picture({...BUTTON, left: 48}, '#1a5fb4'), golden);
  // two stripes of 8 × 24 px
  expect(share).toBeCloseTo((2 * 8 * 24) / (400 * 200), 3);
  expect(area).toEqual({left: 40, top: 80, width: 68, height: 24});
  expect(densest).toBe(0.25);
});

test('another word is a dense difference in a large picture, but the same word half a px away is not', async () => {
  const blank = await text('', 20);
  const word = await comparePictures(await text('Open', 20), blank);
  expect(word.share).toBeLessThan(0.01);
  expect(word.densest).toBeGreaterThan(0.3);
  const other = await comparePictures(await text('Open', 20), await text('Save', 20));
  expect(other.densest).toBeGreaterThan(0.3);
  const moved = await comparePictures(await text('Open', 20.5), await text('Open', 20));
  expect(moved.densest).toBeLessThan(0.2);
  expect(moved.share).toBeLessThan(0.002);
});

test('a picture of another size is refused', async () => {
  const golden = await picture(BUTTON, 'black');
  // a picture of 397 px is as many cells wide as one of 400 px
  for (const width of [397, 404])
    await expect(comparePictures(await picture(BUTTON, 'black', width), golden)).rejects.toThrow(
      `the sizes differ: ${width} × 200, but the golden has 400 × 200`,
    );
});

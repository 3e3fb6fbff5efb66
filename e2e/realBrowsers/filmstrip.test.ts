import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import sharp from 'sharp';
import {expect, test} from 'vitest';
import {drawFilmstrip, medianLoad, screenAt} from './filmstrip.ts';

const screen = (background: string): Promise<Buffer> =>
  sharp({create: {width: 1024, height: 768, channels: 3, background}})
    .png()
    .toBuffer();

/** Mean colour of a small area, red, green and blue. */
async function colourAt(picture: Buffer, left: number, top: number): Promise<readonly number[]> {
  const {channels} = await sharp(await sharp(picture).extract({left, top, width: 8, height: 8}).toBuffer()).stats();
  return channels.map(({mean}) => mean);
}

test('a filmstrip has a row for each load, and a column for each time', async () => {
  const [red, green, blue, black] = await Promise.all(['#f00', '#0f0', '#00f', '#000'].map(screen));
  const rows = [
    {label: 'real', screens: [red, green] as Buffer[]},
    {label: 'computed', screens: [blue, black] as Buffer[]},
  ];
  const picture = await drawFilmstrip({timesMs: [1000, 2500], rows});
  const {width, height, format} = await sharp(picture).metadata();
  expect([width, format]).toEqual([1800, 'webp']);
  const [left, right, upper, lower] = [400, 1400, 400, (height ?? 0) - 300];
  const near = async (x: number, y: number, colour: readonly number[]): Promise<void> => {
    const found = await colourAt(picture, x, y);
    for (const [i, value] of colour.entries()) expect(Math.abs((found[i] ?? Number.NaN) - value)).toBeLessThan(12);
  };
  await near(left, upper, [255, 0, 0]);
  await near(right, upper, [0, 255, 0]);
  await near(left, lower, [0, 0, 255]);
  await near(right, lower, [0, 0, 0]);
});

test('times and labels are drawn', {tags: ['long']}, async () => {
  const white = await screen('#fff');
  const draw = (timesMs: readonly number[], label: string): Promise<Buffer> =>
    drawFilmstrip({timesMs, rows: [{label, screens: [white]}]});
  const picture = await draw([1500], 'Chromium & nginx <real>');
  expect(picture.equals(await draw([1500], 'Chromium & nginx <real>'))).toBe(true);
  expect(picture.equals(await draw([1600], 'Chromium & nginx <real>'))).toBe(false);
  expect(picture.equals(await draw([1500], 'Chromium & nginx'))).toBe(false);
});

test('a filmstrip without times or rows, or with a row that lacks a screen, is refused', async () => {
  const white = await screen('#fff');
  await expect(drawFilmstrip({timesMs: [], rows: []})).rejects.toThrow(
    'invalid filmstrip: 0 times and 0 rows (both must be at least 1)',
  );
  await expect(drawFilmstrip({timesMs: [1000, 2000], rows: [{label: 'real', screens: [white]}]})).rejects.toThrow(
    "invalid row 'real': 1 screens (must be one for each of 2 times)",
  );
});

test('the screen at a time is the last frame that was painted by that time', () => {
  const frames = [-6, 1311, 1378].map(atMs => ({atMs}));
  expect(screenAt(frames, 1000).atMs).toBe(-6);
  expect(screenAt(frames, 1311).atMs).toBe(1311);
  expect(screenAt(frames, 9000).atMs).toBe(1378);
  expect(() => screenAt(frames, -7)).toThrow('no frame was painted by -7 ms');
});

test('the median load has the middle page time, or the shorter of the two middle ones', () => {
  const loads = [7900, 7500, 7600, 8000].map(finishMs => ({load: {finishMs}}));
  expect(medianLoad(loads.slice(0, 3)).load.finishMs).toBe(7600);
  expect(medianLoad(loads).load.finishMs).toBe(7600);
  expect(() => medianLoad([])).toThrow('invalid loads: there are none (at least 1 is needed)');
});

test('the picture in README is as wide as a filmstrip, and smaller than 150 KB', async () => {
  const picture = readFileSync(join(import.meta.dirname, '../screenshots/real-browser.webp'));
  expect(picture.length).toBeLessThan(150_000);
  expect((await sharp(picture).metadata()).width).toBe(1800);
});

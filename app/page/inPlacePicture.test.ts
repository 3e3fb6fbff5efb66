import {expect, test} from 'vitest';
import {holdsHugePicture, isHugeInPlace} from './inPlacePicture.ts';

/** A GIF's header. */
const gif = (width: number, height: number) =>
  `GIF89a${String.fromCharCode(width & 255, width >> 8, height & 255, height >> 8)}\0\0\0`;
const [huge, small] = [gif(20_000, 20_000), gif(200, 200)];
const base64 = (text: string) => `data:image/gif;base64,${btoa(text)}`;
const percent = (text: string) =>
  `data:image/gif,${Array.from(text, letter => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}`;

test('an address tells how large the picture is that it holds, however it is written', () => {
  const written = [base64(huge), percent(huge), ` DATA:;base64 , ${btoa(huge)}`, base64(huge).replace('R', '%52')];
  expect(written.filter(each => !isHugeInPlace(each))).toEqual([]);
  const others = [
    base64(small),
    percent(small),
    'data:',
    'data:,',
    'data:;base64,?',
    'a.gif',
    `x;base64,${btoa(huge)}`,
  ];
  expect(others.filter(isHugeInPlace)).toEqual([]);
});

test('a drawing with such a picture is found, whatever quotes it', () => {
  expect(holdsHugePicture(`<svg><image href='${base64(huge)}'/></svg>`)).toBe(true);
  expect(holdsHugePicture(`<style>a{background:url(${base64(huge)})}</style>`)).toBe(true);
  expect(holdsHugePicture(`<svg><image href="${base64(small)}"/><text>data: x</text></svg>`)).toBe(false);
});

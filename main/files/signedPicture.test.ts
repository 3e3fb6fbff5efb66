import sharp from 'sharp';
import {expect, test} from 'vitest';
import {program} from './program.ts';
import {signedGif, signedPng} from './signedPicture.ts';

const drawing = (red: number) =>
  sharp({create: {width: 5, height: 3, channels: 4, background: {r: red, g: 7, b: 9, alpha: 1}}});

test('a signed PNG contains the program’s name, and has the same pixels', async () => {
  const png = await drawing(200).png().toBuffer();
  const signed = signedPng(png);
  expect((await sharp(signed).metadata()).comments).toEqual([{keyword: 'Software', text: program()}]);
  expect(await sharp(signed).raw().toBuffer()).toEqual(await sharp(png).raw().toBuffer());
  // sharp does not check the checksum of a tEXt chunk, so it is checked here.
  const [length, type, sum] = [signed.subarray(33, 37), signed.subarray(37, 41), program().length + 9];
  expect(Buffer.from(length).readUInt32BE()).toBe(sum);
  expect(Buffer.from(type).toString()).toBe('tEXt');
  expect(Buffer.from(signed).readUInt32BE(41 + sum)).toBe(crcOf(signed.subarray(37, 41 + sum)));
  expect(() => signedPng(Uint8Array.from({length: 50}))).toThrow('invalid PNG');
});

test('a signed GIF contains the program’s name, and has the same frames and colour tables', async () => {
  const frames = await Promise.all([200, 100].map(red => drawing(red).png().toBuffer()));
  const gif = await sharp(frames, {join: {animated: true}})
    .gif({delay: [30, 40]})
    .toBuffer();
  // This GIF has 1×1 pixels, and one frame with its own colour table.
  const small = Buffer.from('474946383961010001000000002c000000000100010080000000ffffff02024401003b', 'hex');
  for (const each of [gif, small]) {
    const signed = signedGif(each);
    const text = Buffer.from(program());
    const comment = Buffer.concat([Uint8Array.of(0x21, 0xfe, text.length), text, Uint8Array.of(0)]);
    expect(Buffer.from(signed).includes(comment)).toBe(true);
    expect(signed.length).toBe(each.length + comment.length);
    const [before, after] = [await sharp(each, {animated: true}), await sharp(signed, {animated: true})];
    expect(await after.metadata()).toMatchObject({...(await before.metadata()), size: signed.length});
    expect(await after.raw().toBuffer()).toEqual(await before.raw().toBuffer());
  }
  expect(() => signedGif(Uint8Array.from({length: 50}))).toThrow('invalid GIF');
});

/** A CRC-32, computed bit by bit (PNG, third edition, annex D). */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

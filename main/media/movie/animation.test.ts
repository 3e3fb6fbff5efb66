import sharp from 'sharp';
import {expect, test} from 'vitest';
import type {OutputFile} from '../../files/outputFile.ts';
import {program} from '../../files/program.ts';
import {animationSink} from './animation.ts';

async function written(format: 'gif' | 'webp'): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const file: Pick<OutputFile, 'write'> = {write: async bytes => void pieces.push(bytes)};
  const sink = animationSink(format, 10, file as OutputFile);
  for (const r of [200, 100, 0]) {
    const background = {r, g: 7, b: 9};
    const png = await sharp({create: {width: 20, height: 10, channels: 3, background}})
      .png()
      .toBuffer();
    await sink.add(png.toString('base64'));
  }
  await sink.finish();
  return Buffer.concat(pieces);
}

test.each(['gif', 'webp'] as const)('a %s names its program, and always has the same bytes', async format => {
  const file = await written(format);
  expect(await sharp(file).metadata()).toMatchObject({format, pages: 3, delay: [100, 100, 100]});
  expect(file.includes(program())).toBe(true);
  expect(await written(format)).toEqual(file);
});

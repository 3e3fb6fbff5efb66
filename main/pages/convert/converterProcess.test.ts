import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import sharp from 'sharp';
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import {bundleMain, bundles} from '../../setup/bundle.mjs';
import {ConverterProcess} from './converterProcess.ts';
import {convertedPicture} from './picture.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-apart-'));
const own = pathToFileURL(join(bundles, 'converter.mjs'));
let picture: Uint8Array;
let converter: ConverterProcess | undefined;
beforeAll(async () => {
  await bundleMain();
  const create = {width: 100, height: 100, channels: 3, background: '#369'} as const;
  picture = await sharp({create}).png({compressionLevel: 0}).toBuffer();
});
afterEach(() => converter?.close());
afterAll(() => rmSync(folder, {recursive: true}));

/** A process that runs this code for each request. */
function processThat(does: string, longestMs?: number): ConverterProcess {
  const module = join(folder, `${Math.random()}.mjs`);
  writeFileSync(module, `process.on('message', () => {${does}}); process.on('disconnect', () => process.exit());`);
  return new ConverterProcess(pathToFileURL(module), longestMs);
}

test('a separate process gives the same results as this process, one picture after the other', async () => {
  converter = new ConverterProcess(own);
  for (const conversion of ['webp', 'progressive'] as const) {
    const here = await convertedPicture(picture, conversion, () => 0);
    const apart = await converter.convert(picture, conversion);
    expect(apart).toEqual({...here, tookMs: expect.any(Number), bytes: expect.anything()});
    expect(Buffer.from(apart?.bytes ?? [])).toEqual(Buffer.from(here?.bytes ?? [1]));
  }
  expect(await converter.convert(new Uint8Array(9), 'webp')).toBeUndefined();
});

test('a process that takes too long or ends causes an error, and the next picture gets a new process', async () => {
  converter = processThat('for (;;);', 500);
  await expect(converter.convert(picture, 'webp')).rejects.toThrow('it takes more than 0.5 s');
  converter = processThat('process.exit(1);');
  for (let i = 0; i < 2; i++) {
    await expect(converter.convert(picture, 'webp')).rejects.toThrow(
      'the process that converts pictures ended: it may have used too much memory',
    );
  }
});

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import sharp from 'sharp';
import {describe, expect, test} from 'vitest';
import {jpegQuality} from './jpegSettings.ts';

const photo = readFileSync(join(import.meta.dirname, '../../../fixtures/pages/gallery/autumn.jpg'));
const jpeg = (options: object) => sharp(photo).jpeg(options).toBuffer();

describe('the quality of a JPEG', () => {
  test.each([10, 35, 50, 75, 90, 95])('is %d as it was made', async quality => {
    const made = jpegQuality(await jpeg({quality, quantisationTable: 0}));
    expect(Math.abs((made ?? 0) - quality)).toBe(0);
  });

  test('is not known where the file is none or ends early', async () => {
    const whole = await jpeg({quality: 75});
    const tableAt = whole.indexOf(Buffer.from([0xff, 0xdb]));
    for (let bytes = 0; bytes < tableAt + 69; bytes++) expect(jpegQuality(whole.subarray(0, bytes))).toBeUndefined();
    expect(jpegQuality(Buffer.alloc(100, 0xff))).toBeUndefined();
  });
});

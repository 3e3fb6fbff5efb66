import {readFileSync} from 'node:fs';
import {deflateSync} from 'node:zlib';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {crc32} from '../app/base/bytes.ts';
import {syntheticPage} from '../app/page/synthetic.ts';
import {qualityAt} from '../app/run/quality/curve.ts';
import type {ObjectQuality, PageQuality} from '../app/run/quality/pageQuality.ts';
import {DEFAULT_THRESHOLDS} from '../app/run/quality/states.ts';
import {
  fixturePage,
  GOLDEN_PAGES,
  GOLDEN_PERCENTS,
  goldenRows,
  type Measured,
  type MeasuringPage,
  openMeasuring,
  pageOf,
  readGoldens,
} from './measuring.ts';
import {whySkipped} from './window.ts';

// Tests renderer/run/quality/measureQuality.ts in a real browser.

const lake = readFileSync('fixtures/pages/gallery/lake.jpg');

describe.skipIf(whySkipped !== '')(`what prefixes look like${whySkipped}`, () => {
  let measuring: MeasuringPage;
  beforeAll(async () => {
    measuring = await openMeasuring();
  });
  afterAll(() => measuring?.close());

  describe('the curves of the fixtures', () => {
    const measured = new Map<string, PageQuality>();
    beforeAll(async () => {
      for (const name of GOLDEN_PAGES) measured.set(name, await of(await fixturePage(name)));
    }, 240_000);

    test('differ from the goldens by less than 0.04', async () => {
      const goldens = new Map(readGoldens().map(row => [row.split('\t')[0], row.split('\t').slice(1)]));
      expect(goldens.size).toBeGreaterThan(50);
      for (const [name, quality] of measured) {
        for (const row of goldenRows(name, await fixturePage(name), quality)) {
          const [picture = '', ...cells] = row.split('\t');
          const golden = goldens.get(picture) ?? [];
          goldens.delete(picture);
          const [area, scans, ...qualities] = cells.map(Number);
          const [goldenArea, goldenScans, ...goldenQualities] = golden.map(Number);
          // on another machine, letters and thus columns may be wider
          expect(Math.abs((area ?? -1) - (goldenArea ?? -1)), `${picture}, area`).toBeLessThanOrEqual(
            0.05 * (goldenArea ?? 0),
          );
          expect(scans, `${picture}, scans`).toBe(goldenScans);
          for (const [i, percent] of GOLDEN_PERCENTS.entries()) {
            const off = Math.abs((qualities[i] ?? -1) - (goldenQualities[i] ?? -1));
            expect(off, `${picture} at ${percent} %`).toBeLessThan(0.04);
          }
        }
      }
      expect([...goldens.keys()]).toEqual([]);
    });

    test('rise to 1 with the last byte, and have few steps', () => {
      for (const [name, {objects}] of measured) {
        for (const seen of objects.filter(seen => seen !== null)) {
          const bytes = seen.curve.map(([bytes]) => bytes);
          const qualities = seen.curve.map(([, quality]) => quality);
          expect(bytes, name).toEqual([...new Set(bytes)].sort((a, b) => a - b));
          expect(qualities, name).toEqual([...qualities].sort((a, b) => a - b));
          expect(seen.curve.at(-1)).toEqual([seen.scanEnds.at(-1), 1]);
          expect(seen.curve.length).toBeLessThanOrEqual(26);
        }
      }
    });

    // the pictures of both pages have the same pixels
    test('a progressive picture is recognisable and good long before a baseline one', () => {
      const [progressive, baseline] = ['gallery', 'gallery-baseline'].map(name => photos(name));
      const reaching = (pictures: readonly ObjectQuality[] | undefined, quality: number, share: number) =>
        pictures?.filter(({curve}) => qualityAt(curve, share * (curve.at(-1)?.[0] ?? 0)) >= quality).length;
      const {recognisable, good} = DEFAULT_THRESHOLDS;
      expect(reaching(progressive, recognisable, 0.2)).toBe(10);
      expect(reaching(baseline, recognisable, 0.35)).toBe(0);
      expect(reaching(baseline, recognisable, 0.75)).toBe(10);
      expect(reaching(progressive, good, 0.15)).toBe(0);
      expect(reaching(progressive, good, 0.55)).toBe(10);
      expect(reaching(baseline, good, 0.75)).toBe(0);
    });

    test('most text of the first screen is visible shortly before the HTML ends', () => {
      const text = measured.get('gallery')?.objects[0];
      expect(text).toMatchObject({kind: 'text', scanEnds: [2954]});
      expect(text?.area).toBeGreaterThan(15_000);
      // the head of the HTML has style rules, but no text
      expect(qualityAt(text?.curve ?? [], 1200)).toBe(0);
      expect(qualityAt(text?.curve ?? [], 2800)).toBeGreaterThan(0.85);
    });

    function photos(name: string): readonly ObjectQuality[] {
      return (measured.get(name)?.objects ?? []).slice(2).filter(seen => seen !== null);
    }
  });

  test('the area of a picture is the part of the first screen that it covers, as fitted into its box', async () => {
    const at = (name: string, style: string) => `<img src="${name}.jpg" style="${style}">`;
    const boxes = [
      at('plain', 'left:0;top:0;width:100px;height:100px'),
      at('twice', 'left:100px;top:0;width:50px;height:50px'),
      at('twice', 'left:200px;top:0;width:100px;height:100px'),
      at('over', 'left:974px;top:0;width:100px;height:100px'),
      at('below', 'left:0;top:2000px;width:100px;height:100px'),
      at('cover', 'left:300px;top:0;width:100px;height:50px;object-fit:cover'),
      at('contain', 'left:400px;top:0;width:100px;height:60px;object-fit:contain'),
      at('padded', 'left:500px;top:0;width:50px;height:50px;padding:10px;border:5px solid'),
      at('turned', 'left:600px;top:0;width:100px;height:50px;transform:scale(.5)'),
      `<div style="position:absolute;left:0;top:200px;width:30px;height:30px;overflow:hidden">${at('clipped', 'left:0;top:0')}</div>`,
      '<link rel="stylesheet" href="sheet.css"><img class="styled" src="styled.jpg">',
    ];
    const names = ['plain', 'twice', 'over', 'below', 'cover', 'contain', 'padded', 'turned', 'clipped', 'styled'];
    const files = Object.fromEntries(names.map(name => [`${name}.jpg`, lake]));
    const html = `<!doctype html><style>body{margin:0}img{position:absolute}</style>${boxes.join('')}`;
    const sheet = '.styled{left:0;top:300px;width:40px;height:40px}';
    const {objects} = await of(pageOf(html, {...files, 'sheet.css': sheet}));
    const areas = names.map((name, i) => [name, Math.round(objects[i + 1]?.area ?? -1)]);
    expect(Object.fromEntries(areas)).toEqual({
      plain: 10_000,
      twice: 12_500,
      over: 5000,
      below: 0,
      cover: 5000,
      contain: 4800,
      padded: 2500,
      turned: 1250,
      clipped: 900,
      styled: 1600,
    });
    expect(objects.at(-1)).toBe(null);
    expect(objects[4]?.curve.length).toBeGreaterThan(5);
  });

  test('a picture that cannot be seen is null: hidden, broken, empty, missing, or like its background', async () => {
    const names = ['hidden', 'invisible', 'clear', 'broken', 'empty', 'gone', 'white', 'unused', 'behind'];
    const html = `<!doctype html><style>div{background:url(behind.png)}</style><p>text</p><div></div>
      <img src="hidden.png" style="display:none"><img src="invisible.png" style="visibility:hidden">
      <img src="clear.png" style="opacity:0"><img src="broken.png"><img src="empty.png"><img src="gone.png">
      <img src="white.png">`;
    const files: {[name: string]: Uint8Array | string | null} = {};
    for (const name of names) files[`${name}.png`] = lake;
    Object.assign(files, {'broken.png': 'no picture', 'empty.png': '', 'gone.png': null});
    files['white.png'] = await flat('#fff', 20);
    const {objects} = await of(pageOf(html, files));
    expect(objects[0]?.kind).toBe('text');
    expect(objects.slice(1)).toEqual(names.map(() => null));
  });

  test('pictures of every kind have a curve that ends in 1', async () => {
    const frame = async (colour: string) => (await flat(colour, 40)) as Buffer;
    const animated = await sharp([await frame('#f00'), await frame('#00f')], {join: {animated: true}})
      .gif()
      .toBuffer();
    const files = {
      'dot.png': await flat('#000', 1),
      'drawn.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><circle r="40"/></svg>',
      'moving.gif': animated,
      'huge.png': hugePng(20_000),
      'cut.jpg': lake.subarray(0, 6000),
      'comment.jpg': Buffer.concat([lake, Buffer.alloc(5000)]),
      'large.png': await sharp(lake).png({compressionLevel: 0}).toBuffer(),
    };
    const html = `<!doctype html>${Object.keys(files)
      .map(name => `<img src="${name}" style="max-width:300px">`)
      .join('')}`;
    const page = pageOf(html, files);
    const {objects} = await of(page);
    for (const [i, {url, body}] of page.objects.entries()) {
      expect(objects[i]?.curve.at(-1), url).toEqual([body?.length, 1]);
    }
    expect(objects[1]).toMatchObject({kind: 'picture', area: 1});
    // an SVG shows nothing before it is complete, and a picture that would take a gigabyte is not decoded
    expect([objects[2]?.curve.length, objects[4]?.curve.length]).toEqual([1, 1]);
    expect(files['large.png'].length).toBeGreaterThan(100_000);
    expect(qualityAt(objects[7]?.curve ?? [], files['large.png'].length / 2)).toBeGreaterThan(0.4);
    // bytes behind the picture change nothing
    expect(qualityAt(objects[6]?.curve ?? [], lake.length)).toBeGreaterThan(0.998);
  });

  // A prefix of a WebP is decoded as an open stream (renderer/run/panes/openEnded.ts), a layered AVIF from its complete
  // layers (app/page/avifLayers.ts).
  test('WebP appears from the top as it arrives, and AVIF layer by layer or only when it is complete', async () => {
    const files = {
      'lossy.webp': await sharp(lake).webp({quality: 80}).toBuffer(),
      'lossless.webp': await sharp(lake).webp({lossless: true}).toBuffer(),
      // its metadata follows the picture
      'noted.webp': await sharp(lake)
        .withExif({IFD0: {Copyright: 'x'.repeat(5000)}})
        .webp()
        .toBuffer(),
      'one.avif': await sharp(lake).avif({effort: 2}).toBuffer(),
      'layered.avif': readFileSync('fixtures/formats/layered.avif'),
    };
    const html = `<!doctype html>${Object.keys(files)
      .map(name => `<img src="${name}" width=160>`)
      .join('')}`;
    const {objects} = await of(pageOf(html, files));
    const at = (object: number, share: number) => {
      const {curve = []} = objects[object] ?? {};
      return qualityAt(curve, share * (curve.at(-1)?.[0] ?? 0));
    };
    for (const webp of [1, 2]) {
      expect(at(webp, 0.05)).toBe(0);
      expect(at(webp, 0.5)).toBeGreaterThan(0.3);
      expect(at(webp, 0.5)).toBeLessThan(0.8);
      expect(at(webp, 0.9)).toBeGreaterThan(at(webp, 0.5) + 0.1);
    }
    expect(at(3, 0.9)).toBeGreaterThan(0.998);
    expect(objects[4]?.curve).toHaveLength(1);
    const steps = objects[5]?.curve ?? [];
    expect(steps.map(([bytes]) => bytes)).toEqual([466, 1111, 5466]);
    expect(steps[0]?.[1]).toBeGreaterThan(0.4);
    expect(steps[1]?.[1]).toBeGreaterThan((steps[0]?.[1] ?? 1) + 0.1);
  });

  test('text counts once its HTML has arrived, and only on the first screen', async () => {
    const line = '<p>one two three four five six seven</p>';
    const style = '<style>body{margin:0}p{margin:0;font:16px/20px monospace}</style>';
    const filler = `<!--${'x'.repeat(3000)}-->`;
    const below = '<p style="position:absolute;top:3000px">below below below below below</p>';
    const html = `<!doctype html>${style}${line}${filler}${line}${filler}${below}`;
    const {objects} = await of(pageOf(html, {}));
    const curve = objects[0]?.curve ?? [];
    expect(qualityAt(curve, 1500)).toBe(0.5);
    expect(qualityAt(curve, 3000)).toBe(0.5);
    expect(qualityAt(curve, 4000)).toBe(1);
  });

  test('a synthetic page has nothing to see', async () => {
    const settings = {indexBytes: 1000, objects: 3, objectBytes: 500, headerBytes: 250, requestBytes: 200};
    expect((await of(syntheticPage(settings))).objects).toEqual([null, null, null, null]);
  });

  test('a picture is measured once for each size, also if other pages have it', async () => {
    const page = (size: number, name: string) =>
      pageOf(`<!doctype html><img src="${name}" width=${size}>`, {[name]: lake});
    expect((await measuring.measure(page(77, 'a.jpg'))).decodes).toBeGreaterThan(10);
    const again = await measuring.measure(page(77, 'b.jpg'));
    expect(again.decodes).toBe(0);
    expect(again.quality).toEqual((await measuring.measure(page(77, 'a.jpg'))).quality);
    expect((await measuring.measure(page(78, 'a.jpg'))).decodes).toBeGreaterThan(10);
  });

  test('measuring tells its progress, ends with the reason of an abort, and leaves no frame', async () => {
    const page = await fixturePage('gallery-3k');
    const aborted = await measuring.measure(page, 4);
    expect(aborted).toMatchObject({quality: null, error: 'Error: enough', frames: 0});
    const {progress, frames} = await measuring.measure(page);
    expect(progress).toEqual(Array.from({length: 13}, (_, done) => [done, 12]));
    expect(frames).toBe(0);
  });

  test('if there are very many pictures, fewer prefixes of each are decoded: at most 2000 in all', {
    tags: ['long'],
  }, async () => {
    const names = Array.from({length: 125}, (_, i) => `${i}.png`);
    const files: {[name: string]: Uint8Array} = {};
    for (const [i, name] of names.entries()) files[name] = await noisy(i);
    const html = `<!doctype html>${names.map(name => `<img src="${name}">`).join('')}`;
    const {decodes, quality} = await measuring.measure(pageOf(html, files));
    expect(quality?.objects.filter(seen => seen?.kind === 'picture')).toHaveLength(125);
    // the 2000 prefixes, and each complete picture once, to compare with
    expect(decodes).toBeGreaterThan(1000);
    expect(decodes).toBeLessThanOrEqual(2125);
  });

  async function of(page: Parameters<MeasuringPage['measure']>[0]): Promise<PageQuality> {
    const {quality, error, frames}: Measured = await measuring.measure(page);
    expect([error, frames]).toEqual([null, 0]);
    return quality as PageQuality;
  }
});

function flat(colour: string, size: number): Promise<Buffer> {
  return sharp({create: {width: size, height: size, channels: 3, background: colour}})
    .png()
    .toBuffer();
}

/** A PNG in which no row equals another. */
function noisy(seed: number): Promise<Buffer> {
  const data = Uint8Array.from({length: 32 * 32}, (_, i) => (i * i * 31 + i * (seed * 7 + 13)) % 251);
  return sharp(data, {raw: {width: 32, height: 32, channels: 1}})
    .png()
    .toBuffer();
}

/** A black PNG with one bit for each pixel. Its few KB decode to more than a gigabyte. */
function hugePng(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body) >>> 0, 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((side / 8 + 1) * side))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

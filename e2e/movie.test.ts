import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {Trace} from '../app/run/trace/trace.ts';
import {DEFAULT_MOVIE, type MovieOptions, type Size} from '../app/telling/movie/options.ts';
import {OutputFile} from '../main/files/outputFile.ts';
import {program} from '../main/files/program.ts';
import {type Recorded, record} from '../main/media/movie/record.ts';
import type {StagePage} from '../main/media/movie/stagePage.ts';
import {takeStill} from '../main/media/movie/stills.ts';
import {openChromiumStudio} from '../main/media/studio/chromiumStudio.ts';
import {type DevTools, inStudio, type Studio} from '../main/media/studio/studio.ts';
import type {WebShell} from '../main/shells/webShell.ts';
import {runDocument} from '../main/workers/testing/runs.ts';
import {browsersOf, killBrowsers, saidBeside} from './processes.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {DEMO_OF_SEED_1, whySkipped} from './window.ts';

// Movies are read back with ffmpeg, which is independent of this program.

const hasFfmpeg = spawnSync('ffprobe', ['-version']).status === 0;
const why = whySkipped || (hasFfmpeg ? '' : ' (skipped: there is no ffmpeg)');

const scenario = DEMO_OF_SEED_1;
/** The same scenario with a page that has no pictures, because pictures take time to decode and to measure. */
const plain = {...scenario, page: {synthetic: {objects: 20, objectBytes: 8000}}};
const size: Size = {width: 640, height: 360};
const short: MovieOptions = {
  ...DEFAULT_MOVIE,
  look: {...DEFAULT_MOVIE.look, size},
  fps: 24,
  fromS: 6.5,
  toS: 7.5,
};

describe.skipIf(why !== '')(`a movie${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-movie-'));
  let opened: TestStudio;
  let shell: WebShell;
  let studio: Studio;
  let recorded: Recorded;
  let run: OpenedRun;
  beforeAll(async () => {
    opened = await openStudio();
    ({shell, studio} = opened);
    recorded = await take(short, 'demo.mp4');
    run = await openRun(short);
  });
  afterAll(async () => {
    await opened?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  describe('as MP4', () => {
    test('is H.264 of the wanted size, rate, frames and duration', () => {
      expect(probe(recorded.path)).toEqual({
        codec_name: 'h264',
        width: 640,
        height: 360,
        avg_frame_rate: '24/1',
        nb_read_frames: '24',
        duration: 1,
        madeBy: program(),
      });
    });

    test('leaves no other file', () => {
      expect(readdirSync(folder)).toEqual(['demo.mp4']);
    });

    test('shows at 7 s in each box what the still of 7 s shows', async () => {
      const still = await takeStill(studio, {scenario, look: short.look, scale: 1}, 7e9);
      const {page, stage} = run;
      await stage.show(7e9);
      const all = (await page(`(${imageBoxes})()`)) as readonly Box[];
      // the logo is little more than one block of H.264
      const boxes = all.filter(box => box.width > 16);
      expect(boxes).toHaveLength(20);
      const [earlier, now] = [decodeFrame(recorded.path, 0), decodeFrame(recorded.path, 12)];
      const changed: number[] = [];
      for (const [i, box] of boxes.entries()) {
        // the remaining difference comes from the compression
        expect(await meanDifference(now, still, box), `box ${i}`).toBeLessThan(8);
        if ((await meanDifference(earlier, still, box)) > 20) changed.push(i);
      }
      // only the second pane's second picture has changed: its first bytes have arrived in between
      expect(changed).toEqual([11]);
    });
  });

  test('has the cursor at its place in every frame, and no frame is missing or repeated', async () => {
    // 4 s of the run in 1 s: the cursor moves 4 px a frame
    const fast: MovieOptions = {...short, toS: 10.5, speed: 4};
    const {path, span, framesSha256} = await take(fast, 'fast.mp4');
    expect(span.frames).toBe(recorded.span.frames);
    expect(framesSha256).not.toBe(recorded.framesSha256);
    const {page, stage} = run;
    const cursorAt = async (tNs: number) => {
      await stage.show(tNs);
      return page(`(() => {
        const [, lower] = document.querySelectorAll('.timeline-cursor span');
        const {x, width, top} = lower.getBoundingClientRect();
        return {x: x + width / 2, top};
      })()`) as Promise<{x: number; top: number}>;
    };
    const [from, to] = [await cursorAt(6.5e9), await cursorAt(10.5e9)];
    const stepPx = (to.x - from.x) / 24;
    expect(stepPx).toBeGreaterThan(3);
    // near 100 % the graph of SCTP has nothing but the cursor at these times
    const row = Math.ceil(from.top) + 2;
    const rows = decodeRows(path, row);
    expect(rows.length).toBe(24 * size.width);
    for (let k = 0; k < 24; k++) {
      const [first, last] = [Math.floor(from.x) - 10, Math.ceil(to.x) + 10];
      const line = rows.subarray(k * size.width + first, k * size.width + last);
      const darkest = first + line.indexOf(Math.min(...line)) + 0.5;
      expect(Math.abs(darkest - (from.x + k * stepPx)), `frame ${k}`).toBeLessThan(stepPx / 2);
    }
  });

  test('shows in each box what the trace says, at every frame', async () => {
    const {page, stage} = run;
    const traces = runDocument(scenario).panes.map(data => new Trace(data));
    for (let k = 0; k < 24; k += 4) {
      const tNs = Math.round(6.5e9 + (k * 1e9) / 24);
      await stage.show(tNs);
      const shown = (await page(`Array.from(document.querySelectorAll('.pane iframe'), frame =>
        Array.from(frame.contentDocument.querySelectorAll('[data-object]'), ({dataset}) =>
          [Number(dataset.object), Number(dataset.percent)]))`)) as [number, number][][];
      const expected = shown.map((boxes, pane) =>
        boxes.map(([object]) => [object, traces[pane]?.percentAt(object, tNs)]),
      );
      expect(shown, `frame ${k}`).toEqual(expected);
      expect(shown.map(boxes => boxes.length)).toEqual([11, 11]);
    }
  });

  test('paints the part of an object to which its delivered bytes decode', async () => {
    const [, sctp] = runDocument(scenario).panes.map(data => new Trace(data));
    const number = sctp?.objects.findIndex(({url}) => url.endsWith('/balloons.jpg')) ?? 0;
    const body = readFileSync(new URL('../fixtures/pages/gallery/balloons.jpg', import.meta.url));
    const bytes = sctp?.bytesAt(number, 12e9) ?? 0;
    expect(bytes / body.length).toBeLessThan(0.5);
    const look = {...short.look, size: {width: 1280, height: 720}};
    const {page, stage} = await openRun({...short, look});
    await stage.show(12e9);
    const boxes = (await page(`(${imageBoxes})()`)) as readonly Box[];
    const box = boxes[boxes.length / 2 + number - 1];
    if (box === undefined) throw new Error('no box');
    const shown = await stage.grab();
    // returns the difference if the box shows this picture instead
    const differenceTo = async (picture: Buffer): Promise<number> => {
      await page(`(async () => {
        const frame = document.querySelectorAll('.pane iframe')[1].contentDocument;
        const image = frame.querySelector('[data-object="${number}"]');
        const jpeg = new Image();
        jpeg.src = 'data:image/jpeg;base64,${picture.toString('base64')}';
        await jpeg.decode();
        // Chromium might decode the JPEG itself at another size
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [jpeg.naturalWidth, jpeg.naturalHeight];
        canvas.getContext('2d').drawImage(jpeg, 0, 0);
        image.src = canvas.toDataURL();
        await image.decode();
      })()`);
      const [ours, theirs] = [shown, await stage.grab()].map(png => Buffer.from(png, 'base64'));
      return meanDifference(ours as Buffer, theirs as Buffer, box);
    };
    expect(await differenceTo(body)).toBeGreaterThan(2);
    expect(await differenceTo(body.subarray(0, bytes))).toBe(0);
  });

  test('has the same frames if more pages take them at once on a busy machine', {tags: ['long']}, async () => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);']);
    try {
      const again = await take(short, 'again.mp4', 3);
      expect(again.framesSha256).toBe(recorded.framesSha256);
    } finally {
      busy.kill();
    }
  });

  test('of many seconds is the same if several pages take turns, one second each', {tags: ['long']}, async () => {
    const long = {...short, fps: 8, fromS: 0, toS: 20, speed: 8};
    const one = await take(long, 'one.mp4', 1, {scenario: plain});
    const filmed: number[] = [];
    const three = await take(long, 'three.mp4', 3, {scenario: plain, studio: noting(filmed)});
    expect(filmed.toSorted((a, b) => a - b)).toEqual(Array.from({length: 20}, (_, k) => k));
    expect(three.framesSha256).toBe(one.framesSha256);
    expect(probe(three.path)).toEqual(probe(one.path));
    expect(probe(one.path)).toMatchObject({nb_read_frames: '20', duration: 2.5});
    for (const k of [7, 8, 15, 16]) {
      const frame = {left: 0, top: 0, ...size};
      const [a, b] = [decodeFrame(one.path, k), decodeFrame(three.path, k)];
      expect(await meanDifference(a, b, frame), `frame ${k}`).toBeLessThan(4);
    }
  });

  test.each([
    ['webm', 'vp9'],
    ['gif', 'gif'],
  ] as const)('as %s is %s', {tags: ['long']}, async (format, codec) => {
    const fps = format === 'gif' ? 10 : 24;
    const {path} = await take({...short, format, fps}, `other.${format}`, 1, {scenario: plain});
    expect(probe(path)).toEqual({
      codec_name: codec,
      width: 640,
      height: 360,
      avg_frame_rate: `${fps}/1`,
      nb_read_frames: String(fps),
      duration: 1,
      madeBy: program(),
    });
  });

  test('as WebP is animated', {tags: ['long']}, async () => {
    const {path} = await take({...short, format: 'webp', fps: 10}, 'slide.webp', 1, {scenario: plain});
    const {pages, pageHeight, width, delay, xmp} = await sharp(path, {pages: -1}).metadata();
    expect(String(xmp)).toContain(`<xmp:CreatorTool>${program()}</xmp:CreatorTool>`);
    expect({pages, pageHeight, width, delay}).toEqual({
      pages: 10,
      pageHeight: 360,
      width: 640,
      delay: Array(10).fill(100),
    });
  });

  test('in slow motion takes longer', {tags: ['long']}, async () => {
    const {path} = await take({...short, fps: 8, speed: 0.5}, 'slow.mp4', 1, {scenario: plain});
    expect(probe(path)).toMatchObject({nb_read_frames: '16', duration: 2});
  });

  test('begins with the title card and ends with the results card', async () => {
    const {page, stage} = await openRun({...short, fromS: null, toS: null});
    const cards = async (tNs: number) => {
      await stage.show(tNs);
      return page(
        `Array.from(document.querySelectorAll('.card')).filter(card => card.checkVisibility()).map(card => card.innerText).join('')`,
      );
    };
    expect(await cards(-1)).toMatch(
      /HTTP\/1.1 over TCP, classic\s+against\s+HTTP over SCTP, classic, 11 streams.*seed 1/s,
    );
    expect(await cards(0)).toBe('');
    expect(await cards(25e9)).toBe('');
    expect(await cards(30e9)).toMatch(/page time T.*npx interleave record --scenario n07-movie/s);
  });

  describe('that goes wrong leaves nothing behind:', {tags: ['long']}, () => {
    const place = join(folder, 'wrong');
    beforeAll(() => mkdirSync(place));

    test('cancelled', async () => {
      const cancel = new AbortController();
      const onFrame = (done: number) => {
        if (done === 2) cancel.abort();
      };
      const open = () => openChromiumStudio(shell);
      const recording = inStudio(open, cancel.signal, own =>
        take(short, 'wrong/a.mp4', 1, {scenario: plain, studio: own, signal: cancel.signal, onFrame}),
      );
      await expect(recording).rejects.toThrow('it was cancelled');
      expect(readdirSync(place)).toEqual([]);
    });

    test.each([
      ['record', ['--out', 'signal.mp4']],
      ['filmstrip', ['--at', '1s,2s,3s,4s,5s,6s,7s,8s', '--scale', '3', '--out', 'signal.png']],
    ])('%s ended by a signal, twice', async (command, words) => {
      const program = join(import.meta.dirname, '../main/cli/interleave.mjs');
      const args = [program, command, '--scenario', 'n07-movie', ...words];
      const child = spawn(process.execPath, args, {cwd: place, stdio: ['ignore', 'ignore', 'pipe']});
      const said: Buffer[] = [];
      child.stderr.on('data', data => said.push(data));
      const ended = once(child, 'exit');
      const hasBegun = () =>
        command === 'record'
          ? readdirSync(place).some(name => name.startsWith('signal'))
          : browsersOf(child.pid ?? 0).length > 0;
      await expect.poll(hasBegun, {interval: 100}).toBe(true);
      child.kill('SIGINT');
      child.kill('SIGINT');
      expect(await ended).toEqual([130, null]);
      expect(saidBeside(Buffer.concat(said).toString())).toBe('interleave: it was cancelled\n');
      expect(readdirSync(place)).toEqual([]);
    });

    test.each([
      ['record', ['--out', 'killed.mp4']],
      ['still', ['--at', '7s', '--out', 'killed.png']],
      ['filmstrip', ['--at', '6s,7s', '--out', 'killed.png']],
    ])('%s whose browser is killed as it starts', async (command, words) => {
      const program = join(import.meta.dirname, '../main/cli/interleave.mjs');
      const args = [program, command, '--scenario', 'n07-movie', ...words];
      const child = spawn(process.execPath, args, {cwd: place, stdio: ['ignore', 'ignore', 'pipe']});
      const said: Buffer[] = [];
      child.stderr.on('data', data => said.push(data));
      const ended = once(child, 'exit');
      await expect.poll(() => browsersOf(child.pid ?? 0), {interval: 20}).not.toEqual([]);
      killBrowsers(browsersOf(child.pid ?? 0));
      expect(await ended).toEqual([1, null]);
      expect(saidBeside(Buffer.concat(said).toString())).toMatch(/^interleave: .*(ended while|does not start).*\n$/);
      expect(readdirSync(place)).toEqual([]);
    });

    test.each([
      ['computes the run', 'stage.survey('],
      ['lays out', 'stage.open('],
      ['begins to encode', 'stage.startFilm('],
      ['takes frames', 'stage.film('],
      ['encodes the last frames', 'stage.endFilm('],
      ['grabs a frame', 'Page.captureScreenshot'],
      ['encodes what was grabbed', 'encoder.add('],
      ['encodes the last of what was grabbed', 'encoder.close('],
    ])('the browser is killed while it %s', async (_, when) => {
      const isFilm = when.startsWith('stage.');
      const before = browsersOf(process.pid);
      const mortal = await openChromiumStudio(shell);
      const mine = browsersOf(process.pid).filter(pid => !before.includes(pid));
      expect(mine).toHaveLength(1);
      const own: Studio = {
        ...mortal,
        openPage: async path => {
          const devTools = await mortal.openPage(path);
          if (!isFilm) await evaluate(devTools, UNPAINTED);
          return {
            send: (method, params) => {
              const answer = devTools.send(method, params);
              if (`${method} ${JSON.stringify(params)}`.includes(when)) killBrowsers(mine.splice(0));
              return answer;
            },
            close: () => devTools.close(),
          };
        },
      };
      const recording = take({...short, toS: 6.7}, 'wrong/k.mp4', 1, {scenario: plain, studio: own});
      await expect(recording).rejects.toThrow('the browser ended while pictures were taken');
      expect(mine).toEqual([]);
      await mortal.close();
      expect(readdirSync(place)).toEqual([]);
    });

    test('the browser ends during the recording', async () => {
      const mortal = await openChromiumStudio(shell);
      const page = await mortal.openPage('movie/encoder.html');
      const onFrame = (done: number) => {
        if (done === 3) void page.send('Browser.close').catch(() => undefined);
      };
      const recording = take(short, 'wrong/b.mp4', 1, {scenario: plain, studio: mortal, onFrame});
      await expect(recording).rejects.toThrow('the browser ended while pictures were taken');
      expect(readdirSync(place)).toEqual([]);
    });

    test('no such folder', async () => {
      await expect(take(short, 'nowhere/c.mp4', 1, {scenario: plain})).rejects.toThrow(
        /cannot write .*c\.mp4: there is no such folder/,
      );
    });

    const tmpfs = process.platform === 'linux' && process.getuid?.() === 0;
    test.skipIf(!tmpfs)(`the disk is full${tmpfs ? '' : ' (skipped: needs root to make a small one)'}`, async () => {
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk]).status).toBe(0);
      try {
        await expect(take(short, 'disk/d.mp4')).rejects.toThrow(/cannot write .*d\.mp4: the disk is full/);
        expect(readdirSync(disk)).toEqual([]);
      } finally {
        spawnSync('umount', [disk]);
      }
    });

    test('a scenario that cannot be computed', async () => {
      const recording = take(short, 'wrong/e.mp4', 1, {scenario: {page: 'no-such-page'}});
      await expect(recording).rejects.toThrow(/no-such-page/);
      expect(readdirSync(place)).toEqual([]);
    });

    test('nothing to see', async () => {
      await expect(take({...short, fromS: 60, toS: null}, 'wrong/g.mp4')).rejects.toThrow(
        /a movie from 60 s to 30\.4\d+ s shows nothing; the run ends at 23\.9\d+ s/,
      );
      await expect(takeStill(studio, {scenario, look: short.look, scale: 1}, 60e9)).rejects.toThrow(
        'there is no picture at 60 s: the run is from 0 to 23.942 s',
      );
    });

    test('a picture that fails while it renders', async () => {
      const failing: Studio = {
        ...studio,
        openPage: async path => {
          const devTools = await studio.openPage(path);
          const expression = `(${failOn})('heading')`;
          await devTools.send('Runtime.evaluate', {expression});
          return devTools;
        },
      };
      await expect(take(short, 'wrong/h.mp4', 1, {scenario: plain, studio: failing})).rejects.toThrow(
        'the picture could not be shown: no element of class heading',
      );
      expect(readdirSync(place)).toEqual([]);
    });

    test('a picture that is too large for Chromium', async () => {
      await expect(takeStill(studio, {scenario, look: DEFAULT_MOVIE.look, scale: 16}, 7e9)).rejects.toThrow(
        'a picture of 20480x11520 px is too large: at most 16384 px a side and 64 megapixels',
      );
    });

    test('an animation too large for memory', async () => {
      const gif: MovieOptions = {...DEFAULT_MOVIE, format: 'gif', fromS: 0, toS: 20};
      await expect(take(gif, 'wrong/f.gif')).rejects.toThrow(
        /gif of 600 frames of 1280x720 is too large: at most 200 frames/,
      );
    });
  });

  test('is WebM if H.264 fails, and the error says why if no codec works', {tags: ['long']}, async () => {
    const without = (codecs: string) => ({
      ...studio,
      openPage: async (path: string) => {
        const devTools = await studio.openPage(path);
        await evaluate(
          devTools,
          `{
          const {configure} = VideoEncoder.prototype;
          VideoEncoder.prototype.configure = function (config) {
            if (/^(${codecs})/.test(config.codec)) throw new Error('no such encoder here');
            return configure.call(this, config);
          };
        }`,
        );
        return devTools;
      },
    });
    const {path, format} = await take(short, 'fallback.mp4', 1, {scenario: plain, studio: without('avc1')});
    expect([path, format]).toEqual([join(folder, 'fallback.webm'), 'webm']);
    expect(probe(path)).toMatchObject({codec_name: 'vp9', nb_read_frames: '24'});
    await expect(take(short, 'none.mp4', 1, {scenario: plain, studio: without('avc1|vp09')})).rejects.toThrow(
      /cannot encode a movie of 640x360 \(H\.264: .*no such encoder here; VP9: .*no such encoder here\)/,
    );
  });

  describe('whose pages cannot paint themselves', {tags: ['long']}, () => {
    const without: () => Studio = () => ({
      ...studio,
      openPage: async path => {
        const devTools = await studio.openPage(path);
        await evaluate(devTools, UNPAINTED);
        return devTools;
      },
    });

    test('has the same frames, from one page or more', async () => {
      const few = {...short, toS: 6.75};
      const [one, more] = [
        await take(few, 'grabbed.mp4', 1, {studio: without()}),
        await take(few, 'grabbed.mp4', 2, {studio: without()}),
      ];
      expect(more.framesSha256).toBe(one.framesSha256);
      expect(probe(more.path)).toMatchObject({codec_name: 'h264', nb_read_frames: '6', duration: 0.25});
    });

    test('is grabbed from a page whose frames may disappear while it is parsed', async () => {
      const page = join(folder, 'framed');
      mkdirSync(page);
      // the second b ends the first one, so the parser takes out its content and inserts it again
      writeFileSync(join(page, 'index.html'), `<b><p><iframe></iframe></b>${'<p>text'.repeat(400)}`);
      const framed = {page, path: {rateBps: 50_000, rttMs: 100}, timeLimitMs: 60_000};
      const {path} = await take({...short, speed: 1, fromS: 0, toS: 0.5}, 'framed.mp4', 1, {
        scenario: framed,
      });
      expect(probe(path)).toMatchObject({nb_read_frames: '12'});
    });
  });

  /** Returns a studio that notes which frames its pages are asked for. */
  function noting(frames: number[]): Studio {
    const openPage = async (path: string): Promise<DevTools> => {
      const devTools = await studio.openPage(path);
      return {
        send: (method, params) => {
          const {expression = ''} = (params ?? {}) as {expression?: string};
          const [, asked = '[]'] = /window\.stage\.film\(\.\.\.(\[\[.*?\]\])\)/.exec(expression) ?? [];
          frames.push(...(JSON.parse(asked) as {frame: number}[][]).flat().map(({frame}) => frame));
          return devTools.send(method, params);
        },
        close: () => devTools.close(),
      };
    };
    return {...studio, openPage};
  }

  interface TakeOptions {
    readonly studio?: Studio;
    readonly scenario?: Json;
    readonly signal?: AbortSignal;
    readonly onFrame?: (done: number) => void;
  }

  function take(movie: MovieOptions, name: string, stages = 1, options: TakeOptions = {}): Promise<Recorded> {
    return record({
      studio: options.studio ?? studio,
      scenario: options.scenario ?? scenario,
      movie,
      out: format => OutputFile.create(join(folder, name.replace(/\w+$/, format))),
      stages,
      onProgress: done => options.onFrame?.(done),
      signal: options.signal ?? new AbortController().signal,
    });
  }

  /** Opens a stage. Returns it with a function that evaluates an expression in its page. */
  async function openRun(movie: MovieOptions): Promise<OpenedRun> {
    const {stage, devTools} = await openStage(studio);
    await stage.open(scenario, movie);
    return {stage, page: (expression: string) => evaluate(devTools, expression)};
  }
});

interface OpenedRun {
  readonly stage: StagePage;
  readonly page: (expression: string) => Promise<unknown>;
}

/** Runs in a page, which cannot paint itself any more. */
const UNPAINTED = 'delete CanvasRenderingContext2D.prototype.drawElementImage';

async function evaluate(devTools: DevTools, expression: string): Promise<unknown> {
  const options = {expression, awaitPromise: true, returnByValue: true};
  const answer = (await devTools.send('Runtime.evaluate', options)) as {result: {value?: unknown}};
  return answer.result.value;
}

/** Returns what ffprobe reads from a file. It counts the frames by decoding them. */
function probe(path: string) {
  const entries = 'stream=codec_name,width,height,avg_frame_rate,nb_read_frames:format=duration:format_tags';
  const args = ['-v', 'error', '-count_frames', '-show_entries', entries, '-of', 'json', path];
  const {stdout, stderr} = spawnSync('ffprobe', args, {encoding: 'utf8'});
  expect(stderr).toBe('');
  const {streams, format} = JSON.parse(stdout);
  // the second name is for Matroska, whose tags have levels
  const {comment = format.tags?.['MOVIE/COMMENT']} = format.tags ?? {};
  return {...streams[0], duration: Number(format.duration), madeBy: comment};
}

/** Returns frame k as a PNG. */
function decodeFrame(path: string, k: number): Buffer {
  return ffmpeg(path, `select=eq(n\\,${k})`, ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe']);
}

/** Returns one row of pixels of every frame, with one grey byte for each pixel. */
function decodeRows(path: string, row: number): Buffer {
  return ffmpeg(path, `format=gray,crop=in_w:1:0:${row}`, ['-f', 'rawvideo', '-pix_fmt', 'gray']);
}

function ffmpeg(path: string, filter: string, args: readonly string[]): Buffer {
  const all = ['-v', 'error', '-i', path, '-vf', filter, '-fps_mode', 'passthrough', ...args, '-'];
  const {stdout, stderr} = spawnSync('ffmpeg', all, {maxBuffer: 1e8});
  expect(String(stderr)).toBe('');
  return stdout;
}

/** A rectangle, in px. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Runs in the stage's page. Returns where the pictures are, without their frames, pane by pane. */
function imageBoxes(): readonly Box[] {
  return Array.from(document.querySelectorAll<HTMLIFrameElement>('.pane iframe')).flatMap(frame => {
    const outside = frame.getBoundingClientRect();
    const scale = outside.width / frame.offsetWidth;
    const images = frame.contentDocument?.querySelectorAll('img[data-object]') ?? [];
    return Array.from(images, image => {
      const inside = image.getBoundingClientRect();
      return {
        left: Math.ceil(outside.left + (inside.left + 4) * scale),
        top: Math.ceil(outside.top + (inside.top + 4) * scale),
        width: Math.floor((inside.width - 8) * scale),
        height: Math.floor((inside.height - 8) * scale),
      };
    });
  });
}

/** Returns the mean difference over a box's pixels and colours, 0 to 255. */
async function meanDifference(a: Uint8Array, b: Uint8Array, box: Box): Promise<number> {
  const [left, right] = await Promise.all([a, b].map(png => sharp(png).extract(box).removeAlpha().raw().toBuffer()));
  if (left === undefined || left.length !== right?.length) throw new Error('pictures of different sizes');
  return left.reduce((sum, value, i) => sum + Math.abs(value - (right[i] ?? 0)), 0) / left.length;
}

/** Runs in the browser. From now on an error is thrown whenever an element gets this class. */
function failOn(failing: string): void {
  const {setAttribute} = Element.prototype;
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'class' && value.split(' ').includes(failing)) throw new Error(`no element of class ${failing}`);
    setAttribute.call(this, name, value);
  };
}

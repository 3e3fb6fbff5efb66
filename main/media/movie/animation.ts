import type {MovieOptions} from '../../../app/telling/movie/options.ts';
import type {OutputFile} from '../../files/outputFile.ts';
import {program} from '../../files/program.ts';
import {signedGif} from '../../files/signedPicture.ts';
import {MovieError} from '../studio/studio.ts';
import type {FrameSink} from './framesByScreenshot.ts';

/** Checks the size of an animation. @throws MovieError if the animation would be too large */
export function checkAnimation({look, format}: MovieOptions, frames: number): void {
  const {width, height} = look.size;
  const pixels = width * height * frames;
  if (pixels <= MOST_PIXELS) return;
  const most = Math.floor(MOST_PIXELS / (width * height));
  throw new MovieError(
    `a ${format} of ${frames} frames of ${width}x${height} is too large: at most ${most} frames; use fewer fps, a shorter span, more speed, or mp4`,
  );
}

/** Collects frames for a GIF or an animated WebP. All frames are in memory until the file is written. */
export function animationSink(format: 'gif' | 'webp', fps: number, file: OutputFile): FrameSink {
  const frames: Buffer[] = [];
  return {
    add: async png => {
      frames.push(Buffer.from(png, 'base64'));
    },
    finish: async () => {
      const {default: sharp} = await import('sharp');
      // sharp needs whole ms per frame, and GIF counts in units of 10 ms. The end time of each frame is rounded, so
      // rounding errors do not add up.
      const delay = frames.map((_, k) => endMs(k + 1, fps, format) - endMs(k, fps, format));
      const animation = sharp(frames, {join: {animated: true}});
      const encoded =
        format === 'gif'
          ? signedGif(await animation.gif({delay, loop: 0}).toBuffer())
          : await animation.webp({delay, loop: 0, quality: 90}).withXmp(xmp(program())).toBuffer();
      await file.write(encoded, 0);
    },
  };
}

/**
 * Makes XMP data that names the program as the file's creator. EXIF is not used, because libvips would drop the part of
 * the program's name that is in brackets.
 */
function xmp(tool: string): string {
  const text = tool.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">',
    `<xmp:CreatorTool>${text}</xmp:CreatorTool>`,
    '</rdf:Description></rdf:RDF></x:xmpmeta>',
  ].join('');
}

/** The time in ms at which the first k frames end, rounded to the unit of the format. */
function endMs(k: number, fps: number, format: 'gif' | 'webp'): number {
  const stepMs = format === 'gif' ? 10 : 1;
  return Math.round((k * 1000) / fps / stepMs) * stepMs;
}

/**
 * Largest number of pixels of all frames together. An animation of 20 s in 1280×720 with 10 frames per second has this
 * number of pixels. It is long enough for a slide, and its frames fit into memory.
 */
const MOST_PIXELS = 200 * 1280 * 720;

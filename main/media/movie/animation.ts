import type {MovieOptions} from '../../../app/telling/movie/options.ts';
import type {OutputFile} from '../../files/outputFile.ts';
import {program} from '../../files/program.ts';
import {signedGif} from '../../files/signedPicture.ts';
import {MovieError} from '../studio/studio.ts';
import type {FrameSink} from './grabbed.ts';

/** @throws MovieError if such an animation is larger than can be made. */
export function checkAnimation({look, format}: MovieOptions, frames: number): void {
  const {width, height} = look.size;
  const pixels = width * height * frames;
  if (pixels <= MOST_PIXELS) return;
  const most = Math.floor(MOST_PIXELS / (width * height));
  throw new MovieError(
    `${format} of ${frames} frames of ${width}x${height}: at most ${most} frames; take fewer fps, a shorter span, a higher speed, or mp4`,
  );
}

/** GIF or animated WebP for slides: all frames are in memory until the end. */
export function animationSink(format: 'gif' | 'webp', fps: number, file: OutputFile): FrameSink {
  const frames: Buffer[] = [];
  return {
    add: async png => {
      frames.push(Buffer.from(png, 'base64'));
    },
    finish: async () => {
      const {default: sharp} = await import('sharp');
      // sharp takes whole ms for each frame, GIF's are of 10 ms: the times of all frames add up
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

/** XMP's tool that made a file. In EXIF libvips leaves out what stands in brackets. */
function xmp(tool: string): string {
  const text = tool.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">',
    `<xmp:CreatorTool>${text}</xmp:CreatorTool>`,
    '</rdf:Description></rdf:RDF></x:xmpmeta>',
  ].join('');
}

/** When frame k ends, ms, as fine as the format counts. */
function endMs(k: number, fps: number, format: 'gif' | 'webp'): number {
  const stepMs = format === 'gif' ? 10 : 1;
  return Math.round((k * 1000) / fps / stepMs) * stepMs;
}

/** 20 s of 10 frames a second of 1280×720: what a slide bears, and a machine's memory. */
const MOST_PIXELS = 200 * 1280 * 720;

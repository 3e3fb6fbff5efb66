import {
  Mp4OutputFormat,
  Output,
  QUALITY_VERY_HIGH,
  StreamTarget,
  type StreamTargetChunk,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';
import type {Encoder, EncoderSettings, Write} from '../../app/movie/stage.ts';

declare global {
  interface Window {
    encoder?: Encoder;
  }
}

/** Encodes with WebCodecs, muxes with mediabunny; what is to be written goes to who asked. */
class PageEncoder implements Encoder {
  #movie: Movie | undefined;

  async open(settings: EncoderSettings): ReturnType<Encoder['open']> {
    try {
      await probe(settings);
    } catch (error) {
      return {ok: false, message: error instanceof Error ? error.message : String(error)};
    }
    this.#movie = await startMovie(settings);
    return {ok: true};
  }

  async add(png: string): Promise<readonly Write[]> {
    const movie = this.#open();
    const picture = await createImageBitmap(new Blob([bytesOf(png)], {type: 'image/png'}));
    await addFrame(movie, picture);
    picture.close();
    return takeWrites(movie);
  }

  async close(): Promise<readonly Write[]> {
    const movie = this.#open();
    await movie.output.finalize();
    this.#movie = undefined;
    return takeWrites(movie);
  }

  #open(): Movie {
    if (this.#movie === undefined) throw new Error('no movie is open');
    return this.#movie;
  }
}

interface Movie {
  readonly output: Output;
  readonly source: VideoSampleSource;
  readonly fps: number;
  readonly chunks: StreamTargetChunk[];
  frames: number;
}

async function startMovie({container, fps, frames}: EncoderSettings): Promise<Movie> {
  const chunks: StreamTargetChunk[] = [];
  const target = new StreamTarget(new WritableStream({write: chunk => void chunks.push(chunk)}));
  // room for the index at the start, so that a browser plays it while it loads
  const format = container === 'mp4' ? new Mp4OutputFormat({fastStart: 'reserve'}) : new WebMOutputFormat();
  const output = new Output({format, target});
  const source = new VideoSampleSource({
    codec: container === 'mp4' ? 'avc' : 'vp9',
    quality: QUALITY_VERY_HIGH,
    keyFrameInterval: 1,
  });
  output.addVideoTrack(source, {frameRate: fps, maximumPacketCount: frames});
  await output.start();
  return {output, source, fps, chunks, frames: 0};
}

async function addFrame(movie: Movie, picture: ImageBitmap): Promise<void> {
  const {source, fps} = movie;
  const sample = new VideoSample(picture, {timestamp: movie.frames / fps, duration: 1 / fps});
  movie.frames += 1;
  await source.add(sample);
  sample.close();
}

/** Rejects if a frame of this size cannot be encoded. */
async function probe(settings: EncoderSettings): Promise<void> {
  const movie = await startMovie({...settings, frames: 1});
  const {width, height} = settings.size;
  const canvas = new OffscreenCanvas(width, height);
  // without a context there is nothing to take
  canvas.getContext('2d')?.fillRect(0, 0, width, height);
  await addFrame(movie, canvas.transferToImageBitmap());
  await movie.output.finalize();
}

function takeWrites({chunks}: Movie): readonly Write[] {
  return chunks.splice(0).map(({position, data}) => ({position, bytes: base64Of(data)}));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // ten times as fast as Uint8Array.from
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return btoa(text);
}

/** As many arguments as a call takes anywhere. */
const SLICE_BYTES = 32_768;

window.encoder = new PageEncoder();

import type {EncoderSettings, Write} from '../../app/movie/stage.ts';
import type {OutputFile} from '../files/outputFile.ts';
import {MovieError, PageObject, type Studio} from './studio.ts';

/** Takes frames (PNG in Base64), writes a file. */
export interface FrameSink {
  add(png: string): Promise<void>;
  finish(): Promise<void>;
}

/** H.264 in MP4 or VP9 in WebM, by Chromium's own encoders. */
export class MovieEncoder {
  readonly #encoder: PageObject;

  private constructor(encoder: PageObject) {
    this.#encoder = encoder;
  }

  static async open(studio: Studio): Promise<MovieEncoder> {
    const devTools = await studio.openPage('movie/encoder.html');
    return new MovieEncoder(await PageObject.find(devTools, 'encoder'));
  }

  /** Undefined if it encodes such frames; otherwise why not. */
  async start(settings: EncoderSettings): Promise<string | undefined> {
    const answer = await this.#encoder.call('open', [settings]);
    const {ok, message} = answer as {ok: boolean; message?: string};
    return ok ? undefined : (message ?? 'it does not work');
  }

  /** @throws MovieError if encoding fails on the way. */
  sink(file: OutputFile): FrameSink {
    const write = async (call: 'add' | 'close', args: readonly unknown[]): Promise<void> => {
      for (const {position, bytes} of (await this.#encoder.call(call, args)) as readonly Write[]) {
        await file.write(Buffer.from(bytes, 'base64'), position);
      }
    };
    return {add: png => write('add', [png]), finish: () => write('close', [])};
  }
}

/** The first of the containers whose encoder works. @throws MovieError if none does. */
export async function startFirstThatWorks(
  encoder: MovieEncoder,
  containers: readonly EncoderSettings['container'][],
  settings: Omit<EncoderSettings, 'container'>,
): Promise<EncoderSettings['container']> {
  const reasons: string[] = [];
  for (const container of containers) {
    const why = await encoder.start({...settings, container});
    if (why === undefined) return container;
    reasons.push(`${CODECS[container]}: ${why}`);
  }
  const {width, height} = settings.size;
  throw new MovieError(`this browser encodes no movie of ${width}x${height} (${reasons.join('; ')})`);
}

const CODECS = {mp4: 'H.264', webm: 'VP9'} as const;

import {createHash} from 'node:crypto';
import type {SceneFrame} from '../../../app/telling/movie/frameTimes.ts';
import type {EncoderAnswer, EncoderSettings, Packet} from '../../../app/telling/movie/movieStage.ts';
import type {MovieOptions} from '../../../app/telling/movie/options.ts';
import type {OutputFile} from '../../files/outputFile.ts';
import {PageObject} from '../studio/pageObject.ts';
import type {Studio} from '../studio/studio.ts';
import {animationSink, checkAnimation} from './animation.ts';
import {startFirstThatWorks} from './codecs.ts';
import {type Frames, scenesOf} from './frameSource.ts';
import {MovieFile} from './movieFile.ts';
import type {SceneStages} from './sceneStages.ts';
import type {StagePage} from './stagePage.ts';

/** Receives frames (PNG in Base64) and writes them to a file. */
export interface FrameSink {
  add(png: string): Promise<void>;
  finish(): Promise<void>;
}

/**
 * Prepares to make the frames as screenshots of stages. A stage is a page that can show any time of a run. It shows one
 * frame at a time. Screenshots are used for GIF and animated WebP, which are made from finished pictures. They are also
 * used for MP4 and WebM if the stages cannot paint their frames themselves.
 * @throws MovieError if such a movie or animation cannot be made
 */
export async function openGrabbed(
  studio: Studio,
  stages: SceneStages,
  movie: MovieOptions,
  frames: readonly SceneFrame[],
): Promise<Frames> {
  const {format, sinkOf} = await openSink(studio, movie, frames.length);
  return {
    format,
    async writeTo(file, onFrame) {
      const sink = await sinkOf(file);
      const digests: string[] = [];
      let adding = Promise.resolve();
      for (const {scene, frames: own} of scenesOf(frames)) {
        for await (const png of picturesOf(await stages.show(scene), own)) {
          digests.push(createHash('sha256').update(png).digest('hex'));
          await adding;
          // The next frame is painted while this frame is encoded.
          adding = sink.add(png);
          adding.catch(() => undefined);
          onFrame();
        }
      }
      await adding;
      await sink.finish();
      return digests;
    },
  };
}

/** Yields the frames of one scene in order, as PNG in Base64. */
async function* picturesOf(stages: readonly StagePage[], frames: readonly SceneFrame[]): AsyncGenerator<string> {
  const underWay: Promise<string>[] = [];
  const take = async (k: number, tNs: number): Promise<string> => {
    const stage = stages[k % stages.length];
    if (stage === undefined) throw new RangeError('invalid stages: none');
    await stage.show(tNs);
    return stage.grab();
  };
  for (let k = 0; k < frames.length + stages.length; k++) {
    const oldest = k >= stages.length ? underWay.shift() : undefined;
    const png = await oldest;
    const next = frames[k];
    if (next !== undefined) {
      const frame = take(k, next.tNs);
      frame.catch(() => undefined); // the error is reported when the frame is awaited
      underWay.push(frame);
    }
    if (png !== undefined) yield png;
  }
}

interface ChosenSink {
  readonly format: MovieOptions['format'];
  readonly sinkOf: (file: OutputFile) => Promise<FrameSink>;
}

async function openSink(studio: Studio, movie: MovieOptions, frames: number): Promise<ChosenSink> {
  const {format, fps, look} = movie;
  if (format === 'gif' || format === 'webp') {
    checkAnimation(movie, frames);
    return {format, sinkOf: async file => animationSink(format, fps, file)};
  }
  const encoder = await PageObject.find(await studio.openPage('movie/encoder.html'), 'encoder');
  const start = async (tried: EncoderSettings): Promise<string | undefined> => {
    const answer = (await encoder.call('open', [tried])) as EncoderAnswer;
    return answer.ok ? undefined : answer.message;
  };
  const settings = await startFirstThatWorks(format, {size: look.size, fps}, start);
  return {
    format: settings.container,
    sinkOf: async file => {
      const movieFile = await MovieFile.open(settings, frames, file);
      let next = 0;
      return {
        add: async png => movieFile.add((await encoder.call('add', [next++, png])) as readonly Packet[]),
        finish: async () => {
          await movieFile.add((await encoder.call('close', [])) as readonly Packet[]);
          await movieFile.finish();
        },
      };
    },
  };
}

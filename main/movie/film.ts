import {frameNs, type Span} from '../../app/movie/frames.ts';
import type {MovieOptions} from '../../app/movie/options.ts';
import {type FrameTime, KEY_FRAME_S} from '../../app/movie/stage.ts';
import {startFirstThatWorks} from './codecs.ts';
import type {Frames} from './frames.ts';
import {MovieFile} from './movieFile.ts';
import type {StagePage} from './stagePage.ts';

/**
 * Frames that the stages paint, and encode themselves: only packets leave the browser. Each stage has every n-th of
 * the parts from one key frame to the next, so that any number of them makes the same movie.
 * @throws MovieError if no such movie can be encoded
 */
export async function openFilm(
  stages: readonly StagePage[],
  format: 'mp4' | 'webm',
  movie: MovieOptions,
  span: Span,
): Promise<Frames> {
  const {fps, look} = movie;
  const [first, ...others] = stages;
  if (first === undefined) throw new RangeError(`invalid stages: ${stages.length} (at least 1)`);
  const settings = await startFirstThatWorks(format, {size: look.size, fps}, tried => first.startFilm(tried));
  await Promise.all(others.map(stage => stage.startFilm(settings)));
  const times = Array.from({length: span.frames}, (_, frame) => ({frame, tNs: frameNs(movie, span, frame)}));
  return {
    format: settings.container,
    async writeTo(file, onFrame) {
      const movieFile = await MovieFile.open(settings, span.frames, file);
      const digests: string[] = [];
      const takeAll = async (stage: StagePage, own: readonly FrameTime[]): Promise<void> => {
        const ask = (at: number) => {
          const frames = own.slice(at, at + AT_ONCE);
          const filmed = frames.length === 0 ? undefined : stage.film(frames);
          filmed?.catch(() => undefined); // told when its turn comes
          return {frames, filmed};
        };
        let {frames, filmed} = ask(0);
        for (let at = AT_ONCE; filmed !== undefined; at += AT_ONCE) {
          // the stage goes on while these are looked at
          const next = ask(at);
          const {packets, digests: own} = await filmed;
          await movieFile.add(packets);
          for (const [i, {frame}] of frames.entries()) {
            digests[frame] = own[i] ?? '';
            onFrame();
          }
          ({frames, filmed} = next);
        }
        await movieFile.add(await stage.endFilm());
      };
      const isOf = (i: number) => (time: FrameTime) =>
        Math.floor(time.frame / (fps * KEY_FRAME_S)) % stages.length === i;
      await Promise.all(stages.map((stage, i) => takeAll(stage, times.filter(isOf(i)))));
      await movieFile.finish();
      return digests;
    },
  };
}

/** Frames that a page is asked for in one call: the call takes no time beside them. */
const AT_ONCE = 4;

import type {SceneFrame} from '../../../app/telling/movie/frameTimes.ts';
import {KEY_FRAME_S} from '../../../app/telling/movie/movieStage.ts';
import type {MovieOptions} from '../../../app/telling/movie/options.ts';
import {startFirstThatWorks} from './codecs.ts';
import {type Frames, scenesOf} from './frameSource.ts';
import {MovieFile} from './movieFile.ts';
import type {SceneStages} from './sceneStages.ts';
import type {StagePage} from './stagePage.ts';

/**
 * Prepares to make the frames in the stages. A stage is a page that can show any time of a run. The stages paint and
 * encode the frames, so that only encoded packets leave the browser. The movie is divided into parts, and each of n
 * stages encodes every n-th part. Each part begins with a key frame and is encoded independently of the others. So the
 * movie does not depend on the number of stages.
 * @throws MovieError if such a movie cannot be encoded
 */
export async function openFilm(
  stages: SceneStages,
  format: 'mp4' | 'webm',
  movie: MovieOptions,
  frames: readonly SceneFrame[],
): Promise<Frames> {
  const {fps, look} = movie;
  const [first] = await stages.show(0);
  if (first === undefined) throw new RangeError('invalid stages: none');
  const settings = await startFirstThatWorks(format, {size: look.size, fps}, tried => first.startFilm(tried));
  return {
    format: settings.container,
    async writeTo(file, onFrame) {
      const movieFile = await MovieFile.open(settings, frames.length, file);
      const digests: string[] = [];
      const takeAll = async (stage: StagePage, own: readonly SceneFrame[]): Promise<void> => {
        const ask = (at: number) => {
          const frames = own.slice(at, at + AT_ONCE);
          const filmed = frames.length === 0 ? undefined : stage.film(frames);
          filmed?.catch(() => undefined); // the error is reported when `filmed` is awaited
          return {frames, filmed};
        };
        if (stage !== first) await stage.startFilm(settings);
        let {frames, filmed} = ask(0);
        for (let at = AT_ONCE; filmed !== undefined; at += AT_ONCE) {
          // The stage encodes the next frames while the packets of the current frames are written.
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
      const partOf = ({frame}: SceneFrame) => Math.floor(frame / (fps * KEY_FRAME_S));
      for (const {scene, frames: all} of scenesOf(frames)) {
        const own = await stages.show(scene);
        await Promise.all(
          own.map((stage, i) =>
            takeAll(
              stage,
              all.filter(each => partOf(each) % own.length === i),
            ),
          ),
        );
      }
      await movieFile.finish();
      return digests;
    },
  };
}

/** Frames per call to a page. Compared with the time for these frames, the time for the call itself is negligible. */
const AT_ONCE = 4;

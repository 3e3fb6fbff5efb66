import type {MovieOptions} from '../../../../app/telling/movie/options.ts';
import type {Frames} from '../../../media/movie/frameSource.ts';
import type {SceneStages} from '../../../media/movie/sceneStages.ts';
import {MovieError, type Studio} from '../../../media/studio/studio.ts';
import {DESKTOP} from '../desktopOnly.ts';

/**
 * Replaces main/media/movie/framesByScreenshot.ts in the web edition, which cannot take screenshots.
 * @throws MovieError
 */
export async function openGrabbed(_studio: Studio, _stages: SceneStages, {format}: MovieOptions): Promise<Frames> {
  const what =
    format === 'mp4' || format === 'webm'
      ? 'this browser cannot paint this page; movies of it'
      : `movies of the format ${format}`;
  throw new MovieError(`${what} need ${DESKTOP}`);
}

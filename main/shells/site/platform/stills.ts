import {MovieError} from '../../../media/studio/studio.ts';
import {DESKTOP} from '../desktopOnly.ts';

/** Replaces main/media/movie/stills.ts in the web edition, which can take no screenshots. @throws MovieError */
export async function takeStill(): Promise<never> {
  throw new MovieError(`stills and filmstrips need ${DESKTOP}`);
}

export const takeFilmstrip = takeStill;

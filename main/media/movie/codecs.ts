import type {EncoderSettings} from '../../../app/telling/movie/movieStage.ts';
import {MovieError} from '../studio/studio.ts';

/**
 * Returns the first encoder settings that work. `start` tries settings, and returns undefined if they work, or else the
 * reason why they do not. If H.264 cannot be encoded, the movie becomes a WebM instead of an MP4.
 * @throws MovieError if no settings work
 */
export async function startFirstThatWorks(
  format: 'mp4' | 'webm',
  settings: Omit<EncoderSettings, 'container'>,
  start: (settings: EncoderSettings) => Promise<string | undefined>,
): Promise<EncoderSettings> {
  const reasons: string[] = [];
  for (const container of format === 'mp4' ? (['mp4', 'webm'] as const) : (['webm'] as const)) {
    const tried = {...settings, container};
    const why = await start(tried);
    if (why === undefined) return tried;
    reasons.push(`${CODECS[container]}: ${why}`);
  }
  const {width, height} = settings.size;
  throw new MovieError(`this browser cannot encode a movie of ${width}x${height} (${reasons.join('; ')})`);
}

const CODECS = {mp4: 'H.264', webm: 'VP9'} as const;

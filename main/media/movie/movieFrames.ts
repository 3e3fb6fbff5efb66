import type {SceneFrame} from '../../../app/telling/movie/frameTimes.ts';
import type {MovieFormat} from '../../../app/telling/movie/options.ts';
import type {OutputFile} from '../../files/outputFile.ts';

/** A way to take all frames of a movie. */
export interface Frames {
  /** The format that they are encoded in. */
  readonly format: MovieFormat;
  /**
   * Takes each frame once and writes the movie. Calls `onFrame` after each. Returns for each frame, in order, a text
   * that depends on its pixels alone.
   * @throws MovieError, FileError
   */
  writeTo(file: OutputFile, onFrame: () => void): Promise<readonly string[]>;
}

/** The frames of each scene, in order. */
export function scenesOf(
  frames: readonly SceneFrame[],
): readonly {readonly scene: number; readonly frames: readonly SceneFrame[]}[] {
  const scenes = [...new Set(frames.map(({scene}) => scene))];
  return scenes.map(scene => ({scene, frames: frames.filter(frame => frame.scene === scene)}));
}

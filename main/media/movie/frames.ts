import type {SceneFrame} from '../../../app/telling/movie/frameTimes.ts';
import type {MovieFormat} from '../../../app/telling/movie/options.ts';
import type {OutputFile} from '../../files/outputFile.ts';

/** All frames of a movie, to be taken. */
export interface Frames {
  /** What they are encoded as. */
  readonly format: MovieFormat;
  /**
   * Takes them, each once, and writes the movie. Calls `onFrame` after each; gives a text for each, in their order,
   * that only its pixels make. @throws MovieError, FileError
   */
  writeTo(file: OutputFile, onFrame: () => void): Promise<readonly string[]>;
}

/** The frames of each scene, in their order. */
export function scenesOf(
  frames: readonly SceneFrame[],
): readonly {readonly scene: number; readonly frames: readonly SceneFrame[]}[] {
  const scenes = [...new Set(frames.map(({scene}) => scene))];
  return scenes.map(scene => ({scene, frames: frames.filter(frame => frame.scene === scene)}));
}

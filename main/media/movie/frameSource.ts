import type {SceneFrame} from '../../../app/telling/movie/frameTimes.ts';
import type {MovieFormat} from '../../../app/telling/movie/options.ts';
import type {OutputFile} from '../../files/outputFile.ts';

/** One way to paint and encode all frames of a movie. */
export interface Frames {
  /** The format that the frames are encoded in. */
  readonly format: MovieFormat;
  /**
   * Paints every frame once, and writes the movie to `file`. `onFrame` is called after each frame. The result has one
   * digest for each frame, in order. A digest depends only on the pixels of its frame.
   * @throws MovieError, FileError
   */
  writeTo(file: OutputFile, onFrame: () => void): Promise<readonly string[]>;
}

/** Groups the frames by scene, in order. A movie of a run has one scene. A movie of a story has one for each step. */
export function scenesOf(
  frames: readonly SceneFrame[],
): readonly {readonly scene: number; readonly frames: readonly SceneFrame[]}[] {
  const scenes = [...new Set(frames.map(({scene}) => scene))];
  return scenes.map(scene => ({scene, frames: frames.filter(frame => frame.scene === scene)}));
}

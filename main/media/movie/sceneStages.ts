import type {MeasuredPage, Scene} from '../../../app/telling/movie/movieStage.ts';
import type {Size} from '../../../app/telling/movie/options.ts';
import {MovieError, type Studio} from '../studio/studio.ts';
import {StagePage} from './stagePage.ts';

/** A scene of a movie and the page of its run. The page's visual quality has been measured. */
export interface SurveyedScene {
  readonly scene: Scene;
  readonly page: MeasuredPage;
}

interface SceneStagesOptions {
  readonly studio: Studio;
  readonly scenes: readonly SurveyedScene[];
  /** How many pages to open for each scene. */
  readonly count: number;
  /** Size of the frames if the pages paint them themselves. Null if the frames are screenshots. */
  readonly filmed: Size | null;
  /** A page that is already open and shows nothing yet. It becomes the first stage. */
  readonly blank: StagePage | null;
}

/**
 * Opens and closes the stages of a movie, one scene after the other. A stage is a page that shows one scene. A movie of
 * a run has one scene, and a movie of a story has one for each step.
 */
export class SceneStages {
  readonly #studio: Studio;
  readonly #scenes: readonly SurveyedScene[];
  readonly #count: number;
  readonly #filmed: Size | null;
  #blank: StagePage | null;
  #shown: {readonly scene: number; readonly stages: readonly StagePage[]} | null = null;

  constructor({studio, scenes, count, filmed, blank}: SceneStagesOptions) {
    if (!(count >= 1)) throw new RangeError(`invalid stages: ${count} (at least 1)`);
    this.#studio = studio;
    this.#scenes = scenes;
    this.#count = count;
    this.#filmed = filmed;
    this.#blank = blank;
  }

  /**
   * Opens the stages of scene k, and closes the stages of any other scene. Returns null if `filmed` is not null, but
   * the stages cannot paint their frames themselves.
   * @throws MovieError
   */
  async open(k: number): Promise<readonly StagePage[] | null> {
    if (this.#shown?.scene === k) return this.#shown.stages;
    await this.close();
    const surveyed = this.#scenes[k];
    if (surveyed === undefined) throw new RangeError(`invalid scene: ${k} (of ${this.#scenes.length})`);
    const {scene, page} = surveyed;
    const stages = await Promise.all(Array.from({length: this.#count}, () => this.#openStage()));
    this.#shown = {scene: k, stages};
    const filmed = this.#filmed;
    if (filmed !== null) {
      const prepared = await Promise.all(stages.map(stage => stage.prepareFilm(filmed)));
      if (!prepared.every(Boolean)) return null;
    }
    await Promise.all(stages.map(stage => stage.openScene(scene, page)));
    return stages;
  }

  /**
   * Like {@link open}, but throws instead of returning null. Use it if `filmed` is null, or if `open` has returned
   * stages for the first scene.
   * @throws MovieError
   */
  async show(k: number): Promise<readonly StagePage[]> {
    const stages = await this.open(k);
    if (stages === null) throw new MovieError('the browser can no longer paint frames in its pages');
    return stages;
  }

  #openStage(): StagePage | Promise<StagePage> {
    const blank = this.#blank;
    this.#blank = null;
    return blank ?? StagePage.open(this.#studio);
  }

  async close(): Promise<void> {
    const stages = this.#shown?.stages ?? [];
    this.#shown = null;
    await Promise.all(stages.map(stage => stage.close()));
  }
}

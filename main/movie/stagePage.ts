import type {Look, MovieOptions, Size} from '../../app/movie/options.ts';
import type {
  EncoderAnswer,
  EncoderSettings,
  Filmed,
  FrameTime,
  Packet,
  Scene,
  Stage,
  StageAnswer,
  SurveyAnswer,
} from '../../app/movie/stage.ts';
import type {Json} from '../../app/scenario/document.ts';
import {type DevTools, MovieError, PageObject, type Studio} from './studio.ts';

/** A run that is laid out. */
type StagedRun = Extract<StageAnswer, {ok: true}>;

/** A page that shows a run at any t, and the pixels that Chromium paints of it. */
export class StagePage {
  readonly #devTools: DevTools;
  readonly #stage: PageObject;

  private constructor(devTools: DevTools, stage: PageObject) {
    this.#devTools = devTools;
    this.#stage = stage;
  }

  static async open(studio: Studio): Promise<StagePage> {
    const devTools = await studio.openPage('movie/stage.html');
    return new StagePage(devTools, await PageObject.find(devTools, 'stage'));
  }

  /**
   * Before a run is opened: the page will draw its frames itself, many times as fast as they can be grabbed. False
   * where the browser cannot.
   */
  async prepareFilm(size: Size): Promise<boolean> {
    await this.#resize(size, 1);
    return (await this.#stage.call('prepareFilm', [size])) as boolean;
  }

  /** Of each scenario's run what is to be known before a movie of it. What is wrong with one is its answer. */
  async survey(scenarios: readonly Json[]): Promise<readonly SurveyAnswer[]> {
    return (await this.#stage.call('survey', [scenarios])) as readonly SurveyAnswer[];
  }

  /** @throws MovieError if the run cannot be computed. */
  async open(scenario: Json, movie: MovieOptions, scale = 1): Promise<StagedRun> {
    await this.#resize(movie.look.size, scale);
    return this.#ask('open', [{scenario, movie, telling: null} satisfies Scene, null]);
  }

  /** As {@link open}, of the page that another stage has opened, by its hash. */
  async openScene(scene: Scene, hash: string): Promise<StagedRun> {
    await this.#resize(scene.movie.look.size, 1);
    return this.#ask('open', [scene, hash]);
  }

  /** @throws MovieError if the run cannot be computed, or is too large for a picture. */
  async openFilmstrip(
    scenario: Json,
    look: Look,
    timesNs: readonly number[],
    scale: number,
  ): Promise<StagedRun> {
    await this.#resize(look.size, scale);
    const run = await this.#ask('openFilmstrip', [scenario, look, timesNs]);
    await this.#resize(run.size, scale);
    return run;
  }

  /** Kept when the page shows t; what was painted before is not. */
  async show(tNs: number): Promise<void> {
    await this.#stage.call('show', [tNs]);
  }

  /** What the page shows, as a PNG in Base64. */
  async grab(): Promise<string> {
    const options = {format: 'png', optimizeForSpeed: true, captureBeyondViewport: false};
    return ((await this.#devTools.send('Page.captureScreenshot', options)) as {data: string}).data;
  }

  /** Undefined if it encodes such frames; otherwise why not. */
  async startFilm(settings: EncoderSettings): Promise<string | undefined> {
    const answer = (await this.#stage.call('startFilm', [settings])) as EncoderAnswer;
    return answer.ok ? undefined : answer.message;
  }

  async film(frames: readonly FrameTime[]): Promise<Filmed> {
    return (await this.#stage.call('film', [frames])) as Filmed;
  }

  async endFilm(): Promise<readonly Packet[]> {
    return (await this.#stage.call('endFilm', [])) as readonly Packet[];
  }

  async timelineSvg(): Promise<string> {
    return (await this.#stage.call('timelineSvg', [])) as string;
  }

  close(): Promise<void> {
    return this.#devTools.close();
  }

  async #ask(call: keyof Stage, args: readonly unknown[]): Promise<StagedRun> {
    const answer = (await this.#stage.call(call, args)) as StageAnswer;
    if (!answer.ok) throw new MovieError(answer.message);
    return answer;
  }

  async #resize({width, height}: Size, scale: number): Promise<void> {
    const [across, down] = [Math.ceil(width * scale), Math.ceil(height * scale)];
    if (across > MOST_PX || down > MOST_PX || across * down > MOST_PIXELS) {
      throw new MovieError(
        `a picture of ${across}x${down} px is too large: at most ${MOST_PX} px a side and ${MOST_PIXELS / 1e6} megapixels`,
      );
    }
    const metrics = {width, height, deviceScaleFactor: scale, mobile: false};
    await this.#devTools.send('Emulation.setDeviceMetricsOverride', metrics);
  }
}

/** What Chromium paints whole: of larger ones, parts stayed white. */
const MOST_PX = 16_384;
const MOST_PIXELS = 64e6;

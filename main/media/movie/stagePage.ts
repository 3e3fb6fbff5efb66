import type {Json} from '../../../app/base/json.ts';
import type {Refusal} from '../../../app/host/contract.ts';
import {missingLoss} from '../../../app/run/cause/losses.ts';
import type {
  EncoderAnswer,
  EncoderSettings,
  Filmed,
  FrameTime,
  MeasuredAnswer,
  MeasuredPage,
  MovieStage,
  OpenedAnswer,
  Packet,
  Scene,
  StageAnswer,
  SurveyAnswer,
} from '../../../app/telling/movie/movieStage.ts';
import type {Look, MovieOptions, Size} from '../../../app/telling/movie/options.ts';
import {cacheKey, qualityOnce} from '../quality/qualityCache.ts';
import {PageObject} from '../studio/pageObject.ts';
import {type DevTools, MovieError, type Studio} from '../studio/studio.ts';

/** The answer of a page that shows a run. */
type StagedRun = Extract<StageAnswer, {ok: true}>;

/** The answers to successful calls, for all calls that a page can refuse. */
interface Answers {
  readonly openPage: Extract<OpenedAnswer, {ok: true}>;
  readonly measure: Extract<MeasuredAnswer, {ok: true}>;
  readonly open: StagedRun;
  readonly openFilmstrip: StagedRun;
}

/** A page in Chromium that can show any time t of a run. */
export class StagePage {
  readonly #browser: string;
  readonly #devTools: DevTools;
  readonly #stage: PageObject;

  private constructor(browser: string, devTools: DevTools, stage: PageObject) {
    this.#browser = browser;
    this.#devTools = devTools;
    this.#stage = stage;
  }

  static async open(studio: Studio): Promise<StagePage> {
    const devTools = await studio.openPage('movie/stage.html');
    return new StagePage(studio.browser, devTools, await PageObject.find(devTools, 'stage'));
  }

  /**
   * Prepares the page to paint its frames itself, which is many times as fast as taking screenshots. Call this before a
   * run is opened. Returns false if the browser does not support it.
   */
  async prepareFilm(size: Size): Promise<boolean> {
    await this.#resize(size, 1);
    return (await this.#stage.call('prepareFilm', [size])) as boolean;
  }

  /**
   * Computes the run of each scenario, and returns what must be known of each run before a movie is made. The answer
   * for an invalid scenario says what is wrong with the scenario.
   */
  async survey(scenarios: readonly Json[]): Promise<readonly SurveyAnswer[]> {
    return (await this.#stage.call('survey', [scenarios])) as readonly SurveyAnswer[];
  }

  /** Opens a scenario's page, and returns the hash of its content. @throws MovieError if it cannot be opened */
  async openPage(scenario: Json): Promise<string> {
    return (await this.#ask('openPage', [scenario])).hash;
  }

  /**
   * Measures the visual quality of a page that a stage has opened or surveyed. If the page was measured before with
   * this browser, the result is read from the cache. Call this before a run is opened. `onProgress` receives the
   * number of measured objects and the number of all objects.
   * @throws MovieError
   */
  async measure(hash: string, onProgress?: (done: number, all: number) => void): Promise<MeasuredPage> {
    const quality = await qualityOnce(cacheKey(hash, this.#browser), async () => {
      const asking = setInterval(async () => {
        // if the browser has ended, the call below reports that
        const progress = await this.#stage.call('measuring', []).catch(() => undefined);
        const {done, all} = (progress ?? {done: 0, all: 0}) as ReturnType<MovieStage['measuring']>;
        if (all > 0) onProgress?.(done, all);
      }, ASK_MS);
      try {
        return (await this.#ask('measure', [hash])).page.quality;
      } finally {
        clearInterval(asking);
      }
    });
    return {hash, quality};
  }

  /** @throws MovieError if the run cannot be computed, or if the picture would be too large */
  async open(scenario: Json, movie: MovieOptions, scale = 1): Promise<StagedRun> {
    checkSize(movie.look.size, scale);
    const page = await this.measure(await this.openPage(scenario));
    await this.#resize(movie.look.size, scale);
    return this.#ask('open', [{scenario, movie, storyStep: null}, page]);
  }

  /** Like {@link open}, for a page that a stage has opened and measured before. */
  async openScene(scene: Scene, page: MeasuredPage): Promise<StagedRun> {
    await this.#resize(scene.movie.look.size, 1);
    return this.#ask('open', [scene, page]);
  }

  /** @throws MovieError if the run cannot be computed, or if the picture would be too large */
  async openFilmstrip(scenario: Json, look: Look, timesNs: readonly number[], scale: number): Promise<StagedRun> {
    checkSize(look.size, scale);
    const page = await this.measure(await this.openPage(scenario));
    await this.#resize(look.size, scale);
    const run = await this.#ask('openFilmstrip', [scenario, look, timesNs, page]);
    await this.#resize(run.size, scale);
    return run;
  }

  /**
   * Shows the run at time t. Resolves when the document has changed, which may be before Chromium has painted the
   * change. A screenshot that is taken afterwards shows the change.
   */
  async show(tNs: number): Promise<void> {
    await this.#stage.call('show', [tNs]);
  }

  /** Takes a screenshot of the page, as PNG in Base64. */
  async grab(): Promise<string> {
    const options = {format: 'png', optimizeForSpeed: true, captureBeyondViewport: false};
    return ((await this.#devTools.send('Page.captureScreenshot', options)) as {data: string}).data;
  }

  /** Starts to encode frames in the page. Returns undefined on success, or else the reason for the failure. */
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

  async #ask<C extends keyof Answers>(call: C, args: Parameters<MovieStage[C]>): Promise<Answers[C]> {
    const answer = (await this.#stage.call(call, args)) as Answers[C] | Refusal;
    if (!answer.ok) throw new MovieError(answer.message);
    return answer;
  }

  async #resize({width, height}: Size, scale: number): Promise<void> {
    checkSize({width, height}, scale);
    const metrics = {width, height, deviceScaleFactor: scale, mobile: false};
    await this.#devTools.send('Emulation.setDeviceMetricsOverride', metrics);
  }
}

const ASK_MS = 200;

/** @throws MovieError */
function checkSize({width, height}: Size, scale: number): void {
  const [across, down] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  if (across <= MOST_PX && down <= MOST_PX && across * down <= MOST_PIXELS) return;
  throw new MovieError(
    `a picture of ${across}x${down} px is too large: at most ${MOST_PX} px a side and ${MOST_PIXELS / 1e6} megapixels`,
  );
}

/** The longest side and the largest number of pixels that Chromium paints. In larger pictures, parts stayed white. */
const MOST_PX = 16_384;
const MOST_PIXELS = 64e6;

/**
 * Checks that the run has the loss that the picture should explain (`look.loss`). `losses` holds the number of lost
 * packets of each pane.
 * @throws MovieError if there is no such loss
 */
export function checkLoss({loss}: Look, losses: readonly number[]): void {
  const problem = loss === null ? null : missingLoss(loss, losses);
  if (problem !== null) throw new MovieError(problem);
}

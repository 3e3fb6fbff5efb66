import type {ReactNode} from 'react';
import {flushSync} from 'react-dom';
import {createRoot} from 'react-dom/client';
import type {Json} from '../../app/base/json.ts';
import {refusal, refusalOf} from '../../app/base/refusal.ts';
import {messageOf} from '../../app/base/text.ts';
import type {Host, Refusal} from '../../app/host/contract.ts';
import {pageStamp} from '../../app/page/page.ts';
import {conversionsOf} from '../../app/pipelines/index.ts';
import type {PageQuality} from '../../app/run/quality/pageQuality.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {panesOfFiles} from '../../app/run/trace/joinRuns.ts';
import {runEndNs} from '../../app/run/trace/trace.ts';
import {isFilmable} from '../../app/telling/movie/filmable.ts';
import {resultsFromNs} from '../../app/telling/movie/frameTimes.ts';
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
} from '../../app/telling/movie/movieStage.ts';
import {heldRunOf} from '../../app/telling/movie/movieStage.ts';
import type {Look, MovieOptions, Size} from '../../app/telling/movie/options.ts';
import {filmstripFontPx, pictureFontPx} from '../../app/telling/movie/pictureFont.ts';
import {speedOf} from '../../app/telling/movie/speed.ts';
import {openHost} from '../host/openHost.ts';
import {loadFonts} from '../kit/fonts.ts';
import {measureQuality} from '../run/quality/measureQuality.ts';
import {timelinePanes} from '../run/timeline/timelinePanes.ts';
import {timelineSvg} from '../run/timeline/timelineSvg.ts';
import {type LoadResult, Loads, type ShownRun} from '../session/loads.ts';
import {Player} from '../session/player.ts';
import {unalikeOf} from '../session/sources.ts';
import {TraceRuns} from '../session/traceRuns.ts';
import {ResultsCard, TitleCard} from './Cards.tsx';
import {DrawnPicture} from './drawnPicture.ts';
import {Filmstrip} from './Filmstrip.tsx';
import type {FrameEncoder} from './frameEncoder.ts';
import {Presentation} from './Presentation.tsx';
import {StoryPresentation} from './StoryPresentation.tsx';
import {stepRunOf} from './stepRun.ts';
import '../kit/theme.css';
import './movie.css';

declare global {
  interface Window {
    stage?: MovieStage;
  }
}

/** Lays out a run on the page, shows it at any time, and encodes the frames of movies. */
class PageStage implements MovieStage {
  readonly #host: Host;
  readonly #fonts = loadFonts();
  readonly #picture = document.getElementById('picture') ?? document.body;
  readonly #root = createRoot(this.#picture, {
    onUncaughtError: thrown => {
      this.#failure ??= {thrown};
    },
  });
  /** The error that was thrown while the picture rendered. React has then removed the picture. */
  #failure: {readonly thrown: unknown} | undefined;
  #run: ShownRun | undefined;
  #movie: MovieOptions | undefined;
  #eye: Eye | null = null;
  #player = new Player();
  #drawn: DrawnPicture | undefined;
  #encoder: FrameEncoder | undefined;
  #taken: Promise<unknown> = Promise.resolve();
  #measuring = {done: 0, all: 0};
  /** What the last drawn frame shows, and the digest of its pixels. */
  #filmed: {readonly looks: string; readonly digest: Promise<string>} | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  async survey(scenarios: readonly Json[]): Promise<readonly SurveyAnswer[]> {
    const answers: SurveyAnswer[] = [];
    // one after the other, because a run can take much of a machine's memory
    for (const scenario of scenarios) {
      const loaded = await this.#load(scenario, null);
      answers.push(loaded.ok ? surveyOf(loaded.run) : loaded);
    }
    return answers;
  }

  async openPage(document: Json): Promise<OpenedAnswer> {
    const held = heldRunOf(document);
    if (held !== undefined) {
      const loaded = await this.#loadHeld(held);
      return loaded.ok ? {ok: true, hash: loaded.run.page.hash} : loaded;
    }
    const parsed = parsedOf(document);
    if (!parsed.ok) return parsed;
    const opened = await this.#host.openPage(
      scenarioDocument(parsed.scenario)['page'] ?? null,
      'stage',
      conversionsOf(parsed.scenario.panes),
    );
    return opened.ok ? {ok: true, hash: opened.page.hash} : opened;
  }

  async measure(hash: string): Promise<MeasuredAnswer> {
    const held = await this.#host.heldPage(hash);
    if (!held.ok) return held;
    const onProgress = (done: number, all: number): void => {
      this.#measuring = {done, all};
    };
    return {ok: true, page: {hash, quality: await measureQuality(held.page, {onProgress})}};
  }

  measuring(): {readonly done: number; readonly all: number} {
    return this.#measuring;
  }

  async open({scenario, movie, storyStep}: Scene, {hash, quality}: MeasuredPage): Promise<StageAnswer> {
    const loaded = await this.#load(scenario, hash);
    if (!loaded.ok) return loaded;
    const {run} = loaded;
    const {look} = movie;
    const eye = eyeOf(run, quality, look);
    const endNs = endOf(run);
    const speed = speedOf(movie.speed, endNs);
    this.#run = run;
    this.#movie = movie;
    this.#eye = eye;
    this.#player = playerAt(0, endNs);
    const shown = {run, look, eye, player: this.#player, speed};
    const picture =
      storyStep === null ? (
        <>
          <Presentation {...shown} />
          <TitleCard run={run} eye={eye} title={look.pageTitle} />
          <ResultsCard run={run} movie={movie} eye={eye} />
        </>
      ) : (
        <StoryPresentation {...shown} storyStep={storyStep} />
      );
    await this.#render(look, pictureFontPx(look.size), picture);
    return {ok: true, ...stampOf(run), size: look.size, isFilmable: areFilmable(run)};
  }

  async openFilmstrip(
    scenario: Json,
    look: Look,
    timesNs: readonly number[],
    {hash, quality}: MeasuredPage,
  ): Promise<StageAnswer> {
    const loaded = await this.#load(scenario, hash);
    if (!loaded.ok) return loaded;
    const {run} = loaded;
    const eye = eyeOf(run, quality, look);
    const rows = timesNs.map(tNs => ({tNs, player: playerAt(tNs, endOf(run))}));
    await this.#render(look, filmstripFontPx(look.size), <Filmstrip run={run} look={look} eye={eye} rows={rows} />);
    await Promise.all(rows.map(({tNs, player}) => player.seek(tNs)));
    // the height of the document cannot be used, because it is never less than the window's height
    const height = document.querySelector('.filmstrip')?.getBoundingClientRect().height ?? 0;
    return {
      ok: true,
      ...stampOf(run),
      size: {width: look.size.width, height: Math.ceil(height)},
      isFilmable: false,
    };
  }

  async show(tNs: number): Promise<void> {
    this.#filmed = undefined;
    await this.#player.seek(tNs);
    const [card, {dataset}] = [this.#cardAt(tNs), document.documentElement];
    // setting the same value again would count as a change of the whole picture
    if (dataset['card'] !== card) dataset['card'] = card;
    this.#checkPicture();
  }

  /** @throws Error if the picture could not be rendered, because an empty picture would be recorded instead. */
  #checkPicture(): void {
    if (this.#failure !== undefined)
      throw new Error(`the picture could not be shown: ${messageOf(this.#failure.thrown)}`);
  }

  #cardAt(tNs: number): 'title' | 'results' | 'none' {
    const movie = this.#movie;
    if (movie?.title === true && tNs < 0) return 'title';
    const isOver = movie?.results === true && tNs >= resultsFromNs(movie, this.#player.state.endNs);
    return isOver ? 'results' : 'none';
  }

  async prepareFilm(size: Size): Promise<boolean> {
    this.#drawn = await DrawnPicture.around(this.#picture, size);
    return this.#drawn !== undefined;
  }

  async startFilm(settings: EncoderSettings): Promise<EncoderAnswer> {
    // imported here, because stills need no encoder
    const {openEncoder} = await import('./frameEncoder.ts');
    return openEncoder(settings, encoder => {
      this.#encoder = encoder;
    });
  }

  async film(frames: readonly FrameTime[]): Promise<Filmed> {
    const encoder = this.#encoder;
    if (encoder === undefined) throw new Error('no film has begun');
    const taken = this.#taken.then(() => this.#take(frames, encoder));
    this.#taken = taken;
    const digests = await Promise.all(await taken);
    return {packets: encoder.takePackets(), digests};
  }

  /** Draws and encodes these frames. Resolves with the digest of each frame when the encoder has all frames. */
  async #take(frames: readonly FrameTime[], encoder: FrameEncoder): Promise<readonly Promise<string>[]> {
    const drawn = this.#drawn;
    if (drawn === undefined) throw new Error('no film is prepared');
    const digests: Promise<string>[] = [];
    for (const {frame, tNs} of frames) {
      // all frames before the run are the same, and so are those after its end and those under a card
      const looks = `${Math.min(Math.max(tNs, 0), this.#player.state.endNs)} ${this.#cardAt(tNs)}`;
      if (looks !== this.#filmed?.looks) {
        await this.show(tNs);
        this.#filmed = {looks, ...(await drawn.draw())};
      }
      digests.push(this.#filmed.digest);
      await encoder.add(frame, drawn.canvas);
    }
    return digests;
  }

  async endFilm(): Promise<readonly Packet[]> {
    const packets = await this.#encoder?.close();
    this.#encoder = undefined;
    return packets ?? [];
  }

  timelineSvg(): string {
    const [run, movie] = [this.#run, this.#movie];
    if (run === undefined || movie === undefined) throw new Error('no run is open');
    const {scenario} = run;
    return timelineSvg({panes: timelinePanes(run), scenario, look: movie.look, eye: this.#eye, tNs: this.#player.tNs});
  }

  async #load(document: Json, hash: string | null): Promise<LoadResult> {
    const held = heldRunOf(document);
    if (held !== undefined) return this.#loadHeld(held);
    const parsed = parsedOf(document);
    if (!parsed.ok) return parsed;
    return new Promise(resolve => {
      const loads = new Loads(this.#host, resolve);
      if (hash === null) loads.request(parsed.scenario);
      else loads.requestHeld(parsed.scenario, hash);
    });
  }

  /** Loads a run that the host keeps under `name`, because it cannot be computed again. */
  async #loadHeld(name: string): Promise<LoadResult> {
    const held = await this.#host.heldRun(name);
    if (!held.ok) return held;
    const read = panesOfFiles([{name: 'the run', bytes: held.run}]);
    if (!read.ok) return refusal(read.message);
    const traces = new TraceRuns(this.#host);
    const coming = traces.runOf(traces.stand({all: read.panes, shown: read.panes}));
    if (coming === undefined) throw new Error('the run of a trace file cannot be shown');
    return coming.then(
      run => ({ok: true, run}),
      (error: unknown) => refusalOf(error),
    );
  }

  /** Renders the picture. Resolves when it is laid out and its elements have measured themselves. */
  async #render(look: Look, fontPx: number, picture: ReactNode): Promise<void> {
    // otherwise the first frames would depend on how fast the machine is
    await this.#fonts;
    document.documentElement.dataset['theme'] = look.theme;
    document.documentElement.dataset['card'] = 'none';
    document.documentElement.style.fontSize = `${fontPx}px`;
    this.#failure = undefined;
    flushSync(() => this.#root.render(picture));
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    this.#checkPicture();
  }
}

/** The quality with which the run is shown. Null if its panes load different pages. */
function eyeOf(run: ShownRun, quality: PageQuality, {thresholds}: Look): Eye | null {
  return unalikeOf(run).page ? null : {quality, thresholds};
}

function parsedOf(document: Json): {readonly ok: true; readonly scenario: Scenario} | Refusal {
  const parsed = parseScenario(document);
  if (parsed.ok) return parsed;
  return {ok: false, problems: parsed.problems, message: parsed.problems[0]?.message ?? 'not a scenario'};
}

function surveyOf(run: ShownRun): SurveyAnswer {
  return {ok: true, ...stampOf(run), ...stepRunOf(run), isFilmable: areFilmable(run)};
}

/** What the recorder must know about a run: its page, its end and its losses. */
function stampOf(run: ShownRun) {
  const {endNs, losses} = stepRunOf(run);
  return {page: pageStamp(run.page), endNs, losses};
}

function playerAt(tNs: number, endNs: number): Player {
  const player = new Player();
  player.setEnd(endNs);
  void player.seek(tNs);
  return player;
}

function areFilmable({page, sources = []}: ShownRun): boolean {
  return [page, ...sources.map(({snapshot}) => snapshot)].every(isFilmable);
}

function endOf(run: ShownRun): number {
  return runEndNs(run.traces);
}

void openHost().then(host => {
  window.stage = new PageStage(host);
});

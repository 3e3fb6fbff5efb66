import {commandLine, quoted} from '../../app/run/scenario/commandLine.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {DEFAULT_MOVIE, lossName, type MovieOptions, sizeText} from '../../app/telling/movie/options.ts';
import {pageTitle} from '../../app/telling/narration/likeness.ts';

/** The command line that records this movie of the scenario. */
export function recordCommand(scenario: Scenario, movie: MovieOptions): string {
  return withMovie(commandLine('record', scenario), movie);
}

/**
 * The command of {@link recordCommand} for the results card. {@link FILE} replaces the scenario if the command is too
 * long, has JSON, which an audience cannot read, or would show another name of the page ({@link hidesPage}).
 */
export function cardCommand(
  scenario: Scenario,
  movie: MovieOptions,
): {readonly command: string; readonly isOfFile: boolean} {
  const whole = recordCommand(scenario, movie);
  if (whole.length <= MOST_CHARS && !whole.includes('{') && !hidesPage(scenario, movie))
    return {command: whole, isOfFile: false};
  return {command: withMovie(`npx interleave record --scenario ${FILE}`, movie), isOfFile: true};
}

/**
 * Whether the command would contain another name of the page than the picture shows. The card must then not show the
 * command, because the page's own name may be a path of this machine.
 */
function hidesPage({page}: Scenario, {look}: MovieOptions): boolean {
  return page.kind !== 'synthetic' && (look.pageTitle !== null || pageTitle(page) !== page.name);
}

/** The placeholder for the file name of the saved scenario. */
export const FILE = 'FILE';

/** The length at which a command fills four lines of the card. */
const MOST_CHARS = 400;

function withMovie(command: string, movie: MovieOptions): string {
  return [command, ...movieWords(movie), `--out demo.${movie.format}`].join(' ');
}

/** The command's options for the settings that differ from the defaults. */
function movieWords({look, fps, speed, fromS, toS, title, results}: MovieOptions): readonly string[] {
  const {size, theme, timeline, axis, thresholds, loss, captions, reveal, waiting} = look;
  const {recognisable, good} = thresholds;
  const usual = DEFAULT_MOVIE;
  const words: readonly (readonly [isUnusual: boolean, word: string])[] = [
    [sizeText(size) !== sizeText(usual.look.size), `--size ${sizeText(size)}`],
    [theme !== usual.look.theme, `--theme ${theme}`],
    [timeline !== usual.look.timeline, `--timeline ${timeline}`],
    [axis !== usual.look.axis, `--axis ${axis}`],
    [recognisable !== usual.look.thresholds.recognisable, `--recognisable ${recognisable}`],
    [good !== usual.look.thresholds.good, `--good ${good}`],
    [loss !== null, `--loss ${loss === null ? '' : lossName(loss)}`],
    [fps !== usual.fps, `--fps ${fps}`],
    [speed !== usual.speed, `--speed ${speed}`],
    [fromS !== null, `--from=${fromS}s`],
    [toS !== null, `--to=${toS}s`],
    [!captions, '--no-captions'],
    [reveal, '--reveal'],
    [waiting, '--waiting'],
    [look.pageTitle !== null, `--title ${quoted(look.pageTitle ?? '')}`],
    [!title, '--no-title'],
    [!results, '--no-results'],
  ];
  return words.filter(([isUnusual]) => isUnusual).map(([, word]) => word);
}

import {DEFAULT_MOVIE, type Look, type MovieOptions} from '../../app/movie/options.ts';
import type {Json} from '../../app/scenario/document.ts';
import {StagePage} from './stagePage.ts';
import type {Studio} from './studio.ts';

/** A run, and how its pictures look. */
export interface StillOptions {
  readonly scenario: Json;
  readonly look: Look;
  /** px of the picture per CSS px. */
  readonly scale: number;
}

/** The presentation at t (ns), as PNG. @throws MovieError */
export async function takeStill(studio: Studio, options: StillOptions, tNs: number): Promise<Uint8Array> {
  const stage = await StagePage.open(studio);
  await stage.open(options.scenario, withoutCards(options.look), options.scale);
  await stage.show(tNs);
  return Buffer.from(await stage.grab(), 'base64');
}

/** The timeline with its cursor at t (ns), as SVG. @throws MovieError */
export async function takeTimeline(studio: Studio, options: StillOptions, tNs: number): Promise<Uint8Array> {
  const stage = await StagePage.open(studio);
  await stage.open(options.scenario, withoutCards(options.look), options.scale);
  await stage.show(tNs);
  return Buffer.from(await stage.timelineSvg());
}

/** The panes at each of the times (ns) in one PNG. @throws MovieError */
export async function takeFilmstrip(
  studio: Studio,
  {scenario, look, scale}: StillOptions,
  timesNs: readonly number[],
): Promise<Uint8Array> {
  const stage = await StagePage.open(studio);
  await stage.openFilmstrip(scenario, look, timesNs, scale);
  return Buffer.from(await stage.grab(), 'base64');
}

function withoutCards(look: Look): MovieOptions {
  return {...DEFAULT_MOVIE, look, title: false, results: false};
}

import type {Json} from '../../../app/base/json.ts';
import {signedSvg} from '../../../app/export/signedSvg.ts';
import type {PageStamp} from '../../../app/page/page.ts';
import {DEFAULT_MOVIE, type Look} from '../../../app/telling/movie/options.ts';
import {program} from '../../files/program.ts';
import {signedPng} from '../../files/signedPicture.ts';
import {MovieError, type Studio} from '../studio/studio.ts';
import {checkLoss, StagePage} from './stagePage.ts';

/** A run and the look of its pictures. */
export interface StillOptions {
  readonly scenario: Json;
  readonly look: Look;
  /** Pixels of the picture per CSS px. */
  readonly scale: number;
  /** Called with the page that the picture shows. */
  readonly onPage?: (page: PageStamp) => void;
}

/** Takes a picture of the presentation at t (ns), as PNG. @throws MovieError */
export async function takeStill(studio: Studio, options: StillOptions, tNs: number): Promise<Uint8Array> {
  const stage = await openAt(studio, options, tNs);
  return signedPng(Buffer.from(await stage.grab(), 'base64'));
}

/** Takes a picture of the timeline with its cursor at t (ns), as SVG. @throws MovieError */
export async function takeTimeline(studio: Studio, options: StillOptions, tNs: number): Promise<Uint8Array> {
  const stage = await openAt(studio, options, tNs);
  return Buffer.from(signedSvg(await stage.timelineSvg(), program()));
}

/** Takes pictures of the panes at each of the times (ns), in one PNG. @throws MovieError */
export async function takeFilmstrip(
  studio: Studio,
  {scenario, look, scale, onPage}: StillOptions,
  timesNs: readonly number[],
): Promise<Uint8Array> {
  const stage = await StagePage.open(studio);
  const {page, endNs, losses} = await stage.openFilmstrip(scenario, look, timesNs, scale);
  checkTimes(timesNs, endNs);
  checkLoss(look, losses);
  onPage?.(page);
  return signedPng(Buffer.from(await stage.grab(), 'base64'));
}

async function openAt(studio: Studio, {scenario, look, scale, onPage}: StillOptions, tNs: number): Promise<StagePage> {
  const stage = await StagePage.open(studio);
  const movie = {...DEFAULT_MOVIE, look, speed: 1, title: false, results: false};
  const {page, endNs, losses} = await stage.open(scenario, movie, scale);
  checkTimes([tNs], endNs);
  checkLoss(look, losses);
  onPage?.(page);
  await stage.show(tNs);
  return stage;
}

/** @throws MovieError if a time is not within the run */
export function checkTimes(timesNs: readonly number[], endNs: number): void {
  const [wrong] = timesNs.filter(tNs => tNs < 0 || tNs > endNs);
  if (wrong === undefined) return;
  // the end is rounded down, so that a picture can be taken at the time that the message names
  const endS = Math.floor(endNs / 1e6) / 1000;
  throw new MovieError(`there is no picture at ${wrong / 1e9} s: the run is from 0 to ${endS} s`);
}

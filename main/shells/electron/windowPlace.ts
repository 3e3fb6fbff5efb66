import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {BrowserWindow, Rectangle} from 'electron';

/** Where the window is on the screens, and how large it is. */
export interface WindowPlace {
  /** The place and size of the window when it is not maximized. Without `x` and `y` the system chooses a place. */
  readonly bounds: {readonly width: number; readonly height: number; readonly x?: number; readonly y?: number};
  readonly isMaximized: boolean;
}

/**
 * Reads the place that the window had when the program ended. `areas` are the parts of the screens that windows can
 * use, the main screen first. If the screen of the window is gone, or if the window would be out of reach, it gets a
 * new place. Its size is reduced if it does not fit on the screen. Electron's option `windowStatePersistence` does the
 * same, but it is experimental, and no version of Electron that we could try has it.
 */
export function readWindowPlace(userFolder: string, areas: readonly Rectangle[]): WindowPlace {
  const {bounds, isMaximized} = stored(userFolder);
  const isKnown = [bounds?.x, bounds?.y, bounds?.width, bounds?.height].every(each => Number.isInteger(each));
  const area = isKnown ? areas.find(each => isReachable(bounds as Rectangle, each)) : undefined;
  const [main] = areas;
  const {width, height} = isKnown ? (bounds as Rectangle) : USUAL;
  const {width: mostWidth, height: mostHeight} = area ?? main ?? USUAL;
  const size = {
    width: Math.max(Math.min(width, mostWidth), LEAST.width),
    height: Math.max(Math.min(height, mostHeight), LEAST.height),
  };
  const place = area === undefined ? {} : {x: (bounds as Rectangle).x, y: (bounds as Rectangle).y};
  return {bounds: {...size, ...place}, isMaximized: isMaximized === true};
}

/** Stores the window's place when the window is closed. */
export function keepWindowPlace(window: BrowserWindow, userFolder: string): void {
  window.on('close', () => {
    const place: WindowPlace = {bounds: window.getNormalBounds(), isMaximized: window.isMaximized()};
    try {
      mkdirSync(userFolder, {recursive: true, mode: 0o700});
      writeFileSync(join(userFolder, FILE), JSON.stringify(place));
    } catch {
      // a folder that cannot be written to must not keep the window open
    }
  });
}

/** Whether enough of the upper edge of a window is within an area, so that it can be moved with the pointer. */
function isReachable({x, y, width}: Rectangle, area: Rectangle): boolean {
  const shown = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return shown >= GRIP.width && y >= area.y && y + GRIP.height <= area.y + area.height;
}

function stored(userFolder: string): {readonly bounds?: Partial<Rectangle>; readonly isMaximized?: unknown} {
  try {
    const place = JSON.parse(readFileSync(join(userFolder, FILE), 'utf8')) as unknown;
    return typeof place === 'object' && place !== null ? place : {};
  } catch {
    return {};
  }
}

const FILE = 'place.json';
const USUAL = {width: 1280, height: 800};
/**
 * The smallest size with which the window opens, px. At this width the page has one column (WCAG 2.2, success criterion
 * 1.4.10).
 */
const LEAST = {width: 390, height: 300};
/** The part of the title bar that must be reachable, px. */
const GRIP = {width: 100, height: 30};

import type {PathOfCell} from './path.ts';
import type {Protocol} from './servers.ts';

/** One cell of the validation: which page is loaded by which browser from which server, and over which path. */
export interface Cell {
  readonly page: string;
  readonly browser: 'chromium' | 'firefox';
  readonly server: string;
  readonly protocol: Protocol;
  readonly path: PathOfCell;
}

/** The name of a cell, by which results are found again: `today chromium nginx h2 10 Mbit/s 100 ms 2 %`. */
export function cellName({page, browser, server, protocol, path}: Cell): string {
  const {rateBps, rttMs, loss} = path;
  return `${page} ${browser} ${server} ${protocol} ${rateBps / 1e6} Mbit/s ${rttMs} ms ${100 * loss} %`;
}

const RATES = [1, 10, 50];
const ROUND_TRIPS = [30, 100, 300];
const LOSSES = [0, 0.02, 0.05];
const PAGES = ['gallery', 'today', 'manual-kicad', 'manual-octave', 'manual-python'];

/** The ways to serve a page that the table compares. */
const SERVED = [
  ['nginx', 'h1'],
  ['nginx', 'h2'],
  ['caddy', 'h2'],
  ['caddy', 'h3'],
  ['caddy-2.11', 'h2'],
  ['caddy-2.11', 'h3'],
  ['h2o', 'h2'],
  ['apache', 'h2'],
] as const;

/** All cells, which take days. */
export function allCells(): readonly Cell[] {
  return PAGES.flatMap(page =>
    (['chromium', 'firefox'] as const).flatMap(browser =>
      SERVED.flatMap(([server, protocol]) =>
        RATES.flatMap(mbps =>
          ROUND_TRIPS.flatMap(rttMs => LOSSES.map(loss => cell(page, browser, server, protocol, mbps, rttMs, loss))),
        ),
      ),
    ),
  );
}

/**
 * The cells of the table, which take some three hours. The middle path has 10 Mbit/s and 100 ms.
 *
 * 1. Chromium loads `gallery` and `today` in every way to serve: over five paths without loss, and over the middle path
 *    with a loss of 2 and of 5 %.
 * 2. Firefox loads the same pages in three ways to serve: over three of these paths without loss, and over the middle
 *    path with both losses.
 * 3. Chromium loads the three manuals in three ways to serve: over the middle path, without loss and with 2 %.
 */
export function tableCells(): readonly Cell[] {
  const demos = ['gallery', 'today'];
  const some = SERVED.filter(
    ([server, protocol]) =>
      `${server} ${protocol}` === 'nginx h1' || server + protocol === 'nginxh2' || server + protocol === 'caddyh3',
  );
  const clean = [
    [10, 100],
    [1, 100],
    [10, 30],
    [10, 300],
    [50, 100],
  ] as const;
  return [
    ...demos.flatMap(page =>
      SERVED.flatMap(([server, protocol]) => [
        ...clean.map(([mbps, rttMs]) => cell(page, 'chromium', server, protocol, mbps, rttMs, 0)),
        ...[0.02, 0.05].map(loss => cell(page, 'chromium', server, protocol, 10, 100, loss)),
      ]),
    ),
    ...demos.flatMap(page =>
      some.flatMap(([server, protocol]) => [
        ...clean
          .filter(([mbps, rttMs]) => mbps !== 10 || rttMs === 100)
          .map(([mbps, rttMs]) => cell(page, 'firefox', server, protocol, mbps, rttMs, 0)),
        ...[0.02, 0.05].map(loss => cell(page, 'firefox', server, protocol, 10, 100, loss)),
      ]),
    ),
    ...PAGES.slice(2).flatMap(page =>
      some.flatMap(([server, protocol]) =>
        [0, 0.02].map(loss => cell(page, 'chromium', server, protocol, 10, 100, loss)),
      ),
    ),
  ];
}

function cell(
  page: string,
  browser: Cell['browser'],
  server: string,
  protocol: Protocol,
  mbps: number,
  rttMs: number,
  loss: number,
): Cell {
  return {page, browser, server, protocol, path: {rateBps: mbps * 1e6, rttMs, loss}};
}

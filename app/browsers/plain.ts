import {type Browser, type BrowserRules, NO_TIMES} from './browser.ts';

/**
 * The browser that the loads in the papers have (docs/papers.md). It requests each object as soon as it is found, in
 * the order of the page.
 */
export const plain: Browser<'plain'> = {
  name: 'plain',
  label: 'plain browser',
  about: 'requests each object as soon as it is found, in the order of the page; scripts hold up nothing',
};

/**
 * The rules by which the times of painting and of the load event are computed for a load in the plain browser. They do
 * not affect its requests. Style sheets of the head hold up painting, and scripts hold up nothing.
 */
export const PLAIN_RULES: BrowserRules = {
  levelOf: () => 0,
  onScreen: null,
  mayGo: () => true,
  priorityOf: () => ({urgency: 0, isIncremental: false}),
  firstFoundFirst: false,
  keepsPlace: false,
  backupMs: null,
  hasChain: false,
  runsScripts: false,
  scansAlways: true,
  lazyMarginPx: Number.POSITIVE_INFINITY,
  scansSheets: false,
  isolatesAnonymous: false,
  writesFramesApart: false,
  rttvarFactor: 4,
  firstTimeoutMs: null,
  ...NO_TIMES,
};

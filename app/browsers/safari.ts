import {type Browser, LEVEL, type Level, NO_TIMES, type RequestFacts, type Running, type Situation} from './browser.ts';

/**
 * Safari. This model follows published descriptions, because no Safari was available for measurements. Its levels are
 * WebKit's (`CachedResource::defaultPriorityForResourceType`). R. Marx observed what Safari states to servers, and that
 * less urgent requests wait for urgent ones. docs/browsers.md names the sources.
 */
export const safari: Browser<'safari'> = {
  name: 'safari',
  label: 'Safari (by descriptions)',
  about:
    'by published descriptions, not measured: while the parser is in the head, pictures, fonts and scripts with ' +
    'async or defer wait for style sheets and other scripts; the scanner reads ahead only while a script, or a style ' +
    'sheet in the body, holds up the parser',
  rules: {
    levelOf,
    onScreen: null,
    mayGo,
    priorityOf,
    firstFoundFirst: false,
    keepsPlace: false,
    backupMs: null,
    hasChain: false,
    runsScripts: true,
    scansAlways: false,
    lazyMarginPx: 100,
    scansSheets: false,
    isolatesAnonymous: false,
    writesFramesApart: false,
    rttvarFactor: 4,
    firstTimeoutMs: null,
    ...NO_TIMES,
    paintMs: 16,
  },
};

function levelOf({kind, mode, fetchPriority, isForScreen}: RequestFacts): Level {
  const level = usualLevel(kind, mode, isForScreen);
  if (fetchPriority === 'high') return Math.max(0, level - 1) as Level;
  return fetchPriority === 'low' ? (Math.min(4, level + 1) as Level) : level;
}

function usualLevel(kind: RequestFacts['kind'], mode: RequestFacts['mode'], isForScreen: boolean): Level {
  switch (kind) {
    case 'document':
      return LEVEL.veryHigh;
    case 'sheet':
      return isForScreen ? LEVEL.high : LEVEL.veryLow;
    case 'script':
      return mode === 'sync' || mode === 'module' ? LEVEL.high : LEVEL.medium;
    case 'font':
    case 'fetch':
      return LEVEL.medium;
    case 'picture':
      return LEVEL.low;
  }
}

/**
 * Until the parser has reached the body, requests below High wait while a request of level High or above is running.
 */
function mayGo({level}: Running, {isInHead, running}: Situation): boolean {
  return level <= LEVEL.high || !isInHead || running.every(each => each.level > LEVEL.high);
}

/** All requests are incremental. Their urgencies are 0, 1, 3, 5 and 7. */
function priorityOf(_facts: RequestFacts, level: Level) {
  return {urgency: URGENCIES[level], isIncremental: true};
}

const URGENCIES = [0, 1, 3, 5, 7] as const;

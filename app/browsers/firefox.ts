import type {StatedPriority} from '../http/priority.ts';
import {type Browser, LEVEL, type Level, NO_TIMES, type RequestFacts} from './browser.ts';

/**
 * Firefox 153. It states a weight for each request of HTTP/2 and no dependencies. It holds back no request; requests
 * that are found together are sent in the order of their levels. docs/browsers.md names the source of each rule.
 */
export const firefox: Browser<'firefox'> = {
  name: 'firefox',
  label: 'Firefox 153',
  about:
    'finds objects ahead of the parser and requests them at once, pictures after scripts and style sheets; no request ' +
    'becomes more urgent after it was made',
  rules: {
    levelOf,
    onScreen: null,
    mayGo: () => true,
    priorityOf,
    firstFoundFirst: false,
    keepsPlace: false,
    // `network.http.connection-retry-timeout`
    backupMs: 250,
    hasChain: false,
    runsScripts: true,
    scansAlways: true,
    // Firefox was seen to request a lazy picture on the screen, but not one that was 1,430 px below it. This number lies
    // between the two.
    lazyMarginPx: 600,
    scansSheets: false,
    isolatesAnonymous: false,
    writesFramesApart: true,
    rttvarFactor: 4,
    // neqo, the QUIC stack of Firefox, first assumes an RTT of 100 ms (`INITIAL_RTT`) with a variation of 50 ms, which
    // counts four times (RFC 9002 §6.2.1)
    firstTimeoutMs: 300,
    ...NO_TIMES,
    // these times were measured without a GPU and without other work on the machine (docs/browsers.md)
    startMs: 7,
    commitMs: 28,
    sendMs: 33,
    paintMs: 21,
  },
};

/** The order in which requests that are found together are sent. */
function levelOf({kind, mode, by, fetchPriority, isForScreen}: RequestFacts): Level {
  const isPicture = kind === 'picture';
  if (kind === 'document' || (by === 'preload' && !isPicture)) return LEVEL.veryHigh;
  if (fetchPriority === 'low') return LEVEL.veryLow;
  if (isPicture) return fetchPriority === 'high' ? LEVEL.medium : LEVEL.low;
  if (kind === 'sheet') return isForScreen ? LEVEL.high : LEVEL.veryLow;
  return kind === 'script' && mode === 'sync' ? LEVEL.high : LEVEL.medium;
}

/** The urgencies and weights that Firefox states (measured: docs/browsers.md). */
function priorityOf(facts: RequestFacts): StatedPriority {
  const {kind, by, isForScreen, fetchPriority} = facts;
  switch (kind) {
    case 'document':
      return stated(0, 42, true);
    case 'sheet':
      if (!isForScreen) return stated(4, 22);
      return by === 'preload' ? stated(0, 42) : stated(2, 22);
    case 'script':
      if (fetchPriority === 'high') return stated(2, 32);
      if (fetchPriority === 'low') return stated(4, 12);
      if (by === 'preload') return stated(1, 42);
      return facts.mode === 'sync' && !facts.isInBody ? stated(2, 22) : stated(3, 22);
    case 'font':
      return by === 'preload' ? stated(2, 32) : stated(3, 32);
    case 'fetch':
      if (fetchPriority === 'low') return stated(5, 12);
      return fetchPriority === 'high' ? stated(3, 32) : stated(4, 22);
    case 'picture':
      if (by === 'style') return stated(4, 23, true);
      if (fetchPriority === 'high') return stated(3, 32, true);
      return fetchPriority === 'low' ? stated(6, 2, true) : stated(5, 12, true);
  }
}

function stated(urgency: number, weight: number, isIncremental = false): StatedPriority {
  return {urgency, isIncremental, weight};
}

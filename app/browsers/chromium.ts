import {type Browser, LEVEL, type Level, type RequestFacts, type Running, type Situation} from './browser.ts';

/** Chromium 156. docs/browsers.md names the source of each rule. */
export const chromium: Browser<'chromium'> = {
  name: 'chromium',
  label: 'Chromium 156',
  about:
    'finds objects ahead of the parser; scripts and style sheets hold up parsing and painting; while scripts in the head ' +
    'load, less urgent requests wait; pictures on the first screen become urgent after layout',
  rules: {
    levelOf,
    // `ResourceFetcher::ComputeLoadPriority`: visible resources get a boost to High
    onScreen: LEVEL.high,
    mayGo,
    priorityOf,
    firstFoundFirst: true,
    keepsPlace: true,
    // `kMaxConnectRetryIntervalMs`
    backupMs: 250,
    hasChain: true,
    runsScripts: true,
    scansAlways: true,
    // `lazy_loading_distance_threshold_px` of a fast connection
    lazyMarginPx: 1250,
    scansSheets: true,
    isolatesAnonymous: true,
    writesFramesApart: true,
    // `kPtoRttvarMultiplier` of QUICHE
    rttvarFactor: 2,
    decimatesAcks: true,
    // captured: docs/browsers.md
    sendsRequestsApart: true,
    // `kPtoMultiplierWithoutRttSamples` times `kInitialRttMs`
    firstTimeoutMs: 300,
    // startMs, commitMs, sendMs and paintMs were measured without a GPU and without other work on the machine; sheetMs,
    // resumeMs and layoutMs come from captures (docs/browsers.md)
    startMs: 8,
    commitMs: 6.6,
    sendMs: 9,
    sheetMs: 3.5,
    resumeMs: 4,
    layoutMs: 9,
    // `kMaxFCPDelayMsForRenderBlockingFonts` and `kMaxBlockingTimeMsForRenderBlockingFonts`
    fontWait: {afterOthersMs: 100, sinceStartMs: 1500},
    paintMs: 23.5,
  },
};

/** The priority of a request (`ResourceFetcher::ComputeLoadPriority`). */
function levelOf(facts: RequestFacts): Level {
  return withHint(unhintedLevel(facts), facts);
}

function unhintedLevel(facts: RequestFacts): Level {
  const {kind, by, mode, isLate, isForScreen, isLazy} = facts;
  switch (kind) {
    case 'document':
      return LEVEL.veryHigh;
    case 'sheet':
      if (!isForScreen) return LEVEL.veryLow;
      return by === 'scanner' && isLate ? LEVEL.medium : LEVEL.veryHigh;
    case 'font':
      // a preloaded font does not precede the style sheets in the head
      return by === 'preload' ? LEVEL.high : LEVEL.veryHigh;
    case 'script':
      if (mode === 'async' || mode === 'defer' || (by === 'script' && mode === undefined)) return LEVEL.low;
      return by === 'scanner' && mode === 'sync' && isLate ? LEVEL.medium : LEVEL.high;
    case 'fetch':
      return LEVEL.high;
    case 'picture':
      return by === 'scanner' && !isLazy && isBoosted(facts) ? LEVEL.medium : LEVEL.low;
  }
}

/** `AdjustImagePriority`: the first five pictures that are not small, or whose size is not stated, are Medium. */
function isBoosted({before, area, fetchPriority}: RequestFacts): boolean {
  return fetchPriority === 'auto' && before < BOOSTED_PICTURES && (area === undefined || area > SMALL_AREA);
}

/** `AdjustPriorityWithPriorityHintAndRenderBlocking` */
function withHint(level: Level, {kind, fetchPriority}: RequestFacts): Level {
  if (fetchPriority === 'high') return level > LEVEL.high ? LEVEL.high : level;
  if (fetchPriority === 'low') {
    if (kind === 'sheet' && level === LEVEL.veryHigh) return LEVEL.high;
    return level < LEVEL.low ? LEVEL.low : level;
  }
  return level;
}

/**
 * In the head, requests below High wait for others (`ResourceLoadScheduler`, 'tight mode'): they are sent while fewer
 * than two requests are running, and up to two requests of Medium priority are sent in any case. Later, the limits of
 * the network service apply to servers without HTTP priorities (`ResourceScheduler`): a request below High waits while
 * ten such requests run. If each connection carries one request at a time, it also waits while any six requests to its
 * origin run.
 */
function mayGo({level, origin}: Running, {isInHead, running, hasPriorities, carriesOne}: Situation): boolean {
  if (level <= LEVEL.high) return true;
  if (isInHead) {
    const medium = running.filter(each => each.level === LEVEL.medium).length;
    return running.length < TIGHT_LIMIT || (level === LEVEL.medium && medium < TIGHT_MEDIUM_LIMIT);
  }
  if (hasPriorities) return true;
  const delayable = running.filter(each => each.level > LEVEL.high).length;
  const ofOrigin = carriesOne ? running.filter(each => each.origin === origin).length : 0;
  return delayable < MOST_DELAYABLE && ofOrigin < MOST_OF_ORIGIN;
}

/**
 * The level is the urgency (`ConvertRequestPriorityToQuicPriority`). A request is incremental if its response can be
 * used in parts.
 */
function priorityOf({kind}: RequestFacts, level: Level) {
  // `ShouldLoadIncremental`
  return {urgency: level, isIncremental: kind === 'document' || kind === 'picture' || kind === 'fetch'};
}

/** `kBoostImagePriorityImageCount` */
const BOOSTED_PICTURES = 5;
/** `kBoostImagePriorityImageSize`, px² */
const SMALL_AREA = 10_000;
/** `kTightLimitForRendererSideResourceScheduler` */
const TIGHT_LIMIT = 2;
/** `kBoostImagePriorityTightMediumLimit` */
const TIGHT_MEDIUM_LIMIT = 2;
/** `kDefaultMaxNumDelayableRequestsPerClient` */
const MOST_DELAYABLE = 10;
/** `kMaxNumDelayableRequestsPerHostPerClient` */
const MOST_OF_ORIGIN = 6;

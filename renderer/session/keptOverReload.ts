import {check} from '../../app/base/schema.ts';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {wrongThreshold} from '../../app/run/quality/states.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {AXES, parseSpeed, TIMELINE_NAMES} from '../../app/telling/movie/options.ts';
import type {Speed} from '../../app/telling/movie/speed.ts';
import {debounced} from '../kit/debounced.ts';
import type {Player} from './player.ts';
import {FIRST_VIEW, type ViewSettings} from './viewSettings.ts';

/** What the window restores when its page is loaded again (F5). */
export interface Kept {
  /**
   * Identifies the document that the host was asked to open. If the host has a newer document, the window opens that
   * document instead.
   */
  readonly openedMark: string;
  readonly scenario: Scenario;
  readonly tNs: number;
  readonly speed: Speed;
  readonly view: Omit<ViewSettings, 'isPresenting' | 'dialog' | 'panel' | 'isBlank'>;
}

/** A short text that identifies a document. */
export function markOf(opened: OpenedDocument | null): string {
  return opened === null ? '' : `${opened.text.length} ${opened.name}`;
}

/** Reads the stored session. Returns null if there is none or it is not valid. */
export function readKept(storage: Pick<Storage, 'getItem'>): Kept | null {
  try {
    const {scenario, openedMark, tNs, speed, view} = JSON.parse(storage.getItem(KEY) ?? '{}');
    const parsed = scenario === undefined ? undefined : parseScenario(scenario);
    if (!parsed?.ok || typeof openedMark !== 'string' || typeof tNs !== 'number') return null;
    return {openedMark, scenario: parsed.scenario, tNs, speed: knownSpeed(speed), view: knownView(view)};
  } catch {
    return null;
  }
}

function knownSpeed(speed: unknown): Speed {
  const checked = check(parseSpeed, speed);
  return checked.ok ? checked.value : 'auto';
}

/** The stored view, or {@link FIRST_VIEW} if another version stored values that this version does not know. */
function knownView(stored: Kept['view']): Kept['view'] {
  const {isPresenting: _p, dialog: _d, panel: _s, isBlank: _b, ...first} = FIRST_VIEW;
  // a view that an older version stored lacks the newest settings
  const view = {...first, ...stored};
  const {paneShare, foldedPanes, isDrawerHigh} = view;
  const {timeline, axis, layout, theme, thresholds, openSections, desk, presented} = view;
  const {recognisable = 0, good = 0} = thresholds ?? {};
  const isKnown =
    TIMELINE_NAMES.includes(timeline) &&
    AXES.includes(axis) &&
    wrongThreshold({recognisable, good}) === undefined &&
    ['stacked', 'overlaid'].includes(layout) &&
    [null, 'light', 'dark'].includes(theme) &&
    Array.isArray(openSections) &&
    (paneShare === null || (paneShare > 0 && paneShare < 1)) &&
    Array.isArray(foldedPanes) &&
    foldedPanes.every(pane => Number.isInteger(pane)) &&
    typeof isDrawerHigh === 'boolean' &&
    [desk, presented].every(isStage);
  return isKnown ? view : first;
}

function isStage(stage: unknown): boolean {
  if (typeof stage !== 'object' || stage === null) return false;
  const own: {readonly [key: string]: unknown} = {...stage};
  return Object.keys(FIRST_VIEW.desk).every(key => typeof own[key] === 'boolean');
}

/**
 * Stores the session when the page is left. A page that crashes sends no event. So a change of the scenario, the view
 * or the speed also stores the session, as soon as no further change has followed for `restMs`. While a slider moves,
 * changes follow each other faster, so nothing is stored.
 */
export function storeForReload(
  {store, player, keep}: Keeper,
  storage: Pick<Storage, 'setItem'>,
  restMs = REST_MS,
): void {
  const write = (): void => {
    const kept = keep();
    if (kept === null) return;
    try {
      storage.setItem(KEY, JSON.stringify({...kept, scenario: scenarioDocument(kept.scenario)}));
    } catch {
      // the browser's storage is full or cannot be used, so the session is not stored
    }
  };
  const writeSoon = debounced(write, restMs);
  store.subscribe((now, before) => {
    if (now.scenario !== before.scenario || now.view !== before.view) writeSoon();
  });
  let {chosenSpeed} = player.state;
  player.onState(() => {
    if (player.state.chosenSpeed === chosenSpeed) return;
    chosenSpeed = player.state.chosenSpeed;
    writeSoon();
  });
  window.addEventListener('pagehide', write);
}

/** The parts of a session that {@link storeForReload} needs: what it listens to, and what it stores. */
interface Keeper {
  readonly store: {subscribe(listener: (now: Shown, before: Shown) => void): unknown};
  readonly player: Pick<Player, 'state' | 'onState'>;
  /** What to store; null for nothing. */
  keep(): Kept | null;
}

interface Shown {
  readonly scenario: Scenario;
  readonly view: ViewSettings;
}

/** The session is stored when it has not changed for this time, ms. A moving slider changes it more often. */
const REST_MS = 200;

const KEY = 'interleave';

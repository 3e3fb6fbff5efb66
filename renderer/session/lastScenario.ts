import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {type ParsedScenario, parseScenario} from '../../app/run/scenario/scenario.ts';
import type {Theme} from '../kit/objectColours.ts';
import {liveServers} from './liveServers.ts';
import type {Remembered} from './remembered.ts';
import type {Session} from './session.ts';
import type {ViewSettings} from './viewSettings.ts';

/** What a window starts with. */
interface Last {
  /** The scenario that the last window showed; null if none is remembered. */
  readonly scenario: ParsedScenario | null;
  readonly view: Partial<Pick<ViewSettings, 'areControlsOpen' | 'theme'>>;
}

/** Reads what the last window showed. Values that another version of the program has stored can be invalid. */
export function readLast(remembered: Remembered): Last {
  const [scenario, controls, theme] = ['scenario', 'controls', 'theme'].map(name => remembered.get(name));
  return {
    scenario: scenario === undefined ? null : parseScenario(scenario),
    view: {
      ...(typeof controls === 'boolean' ? {areControlsOpen: controls} : {}),
      ...(THEMES.some(each => each === theme) ? {theme: theme as Theme | null} : {}),
    },
  };
}

/**
 * Remembers the scenario on screen, the theme, and whether the controls are open, whenever they change. Returns a
 * function that ends this. Some scenarios are not remembered:
 *
 * - the first scenario if nothing else was ever remembered, because the next window shall show the start screen again
 * - the scenario behind the start screen
 * - scenarios of a story's steps, because a step makes sense only within its story
 * - trace files, because they are too large
 * - live loads, because a window that opens must not send requests to a server
 */
export function rememberWindow({store, remembered, display, screen, traces}: Session): () => void {
  const first = store.getState().scenario;
  return store.subscribe((now, before) => {
    if (now.view !== before.view) {
      if (now.view.theme !== before.view.theme) remembered.set('theme', now.view.theme);
      const isKnown = remembered.get('controls') === display.hasControls;
      if (now.view.areControlsOpen !== before.view.areControlsOpen && !isKnown)
        remembered.set('controls', display.hasControls);
    }
    const {scenario, run, story} = now;
    if (run === before.run || run?.scenario !== scenario || story !== null) return;
    if ((remembered.isFirstUse && scenario === first) || screen.isAside(scenario)) return;
    if (traces.panesOf(scenario) !== undefined || liveServers(scenario).length > 0) return;
    remembered.set('scenario', scenarioDocument(scenario));
  });
}

const THEMES: readonly (Theme | null)[] = ['light', 'dark', null];

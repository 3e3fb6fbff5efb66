import type {Trace} from '../../app/run/trace/trace.ts';
import {type Feature, KEY_GROUPS, type Shortcut} from '../features/feature.ts';
import {shortcutKey} from '../kit/keyNames.ts';
import {VIEWS} from '../run/timeline/views/list.ts';
import type {Session} from '../session/session.ts';
import {panned, wholeRun, zoomed} from '../session/zoom.ts';
import {closeFront} from './closeFront.ts';
import {faster, nextEventNs, previousEventNs, slower} from './playing.ts';
import {toggleModel} from './toggleModel.ts';
import {turnBackwards, turnForwards} from './turning.ts';

/** All keys of a window with these features, in the order of the help dialog. */
export function shortcutsOf(features: readonly Feature[]): readonly Shortcut[] {
  const all = [...features.flatMap(({keys = []}) => keys), ...windowKeys(features)];
  return KEY_GROUPS.flatMap(group => all.filter(shortcut => shortcut.group === group));
}

/** The keys that belong to no feature: for playing, the timeline, and how the window shows the run. */
function windowKeys(features: readonly Feature[]): readonly Shortcut[] {
  return [
    ...grouped('play', WATCHING, [
      [' ', 'play or pause', session => playOrPause(session, features)],
      ['ArrowRight', 'go to the next event, or to the next packet if one is shown', session => turn(session, 1)],
      [
        'ArrowLeft',
        'go to the previous event, or to the previous packet if one is shown',
        session => turn(session, -1),
      ],
      ['.', 'explain the next loss', ({highlights}) => highlights.stepLoss(1)],
      [',', 'explain the previous loss', ({highlights}) => highlights.stepLoss(-1)],
      ['z', 'freeze at losses and show the data that waits, or do not freeze', ({display}) => display.toggleFreezes()],
    ]),
    ...grouped('play', OTHERS, [
      [
        'i',
        'show the contents of the packet at t, then of the next packet',
        ({highlights}) => highlights.stepPacket(1),
      ],
      ['Delete', 'drop the shown packet in every pane, or deliver it', ({whatIf}) => whatIf.applyToChosen()],
      [
        'Shift Delete',
        'drop the shown packet only in its own pane, or deliver it',
        ({whatIf}) => whatIf.applyOwnToChosen(),
      ],
    ]),
    ...grouped('play', WATCHING, [
      ['Home', 'go to the start', session => step(session, () => 0)],
      ['End', 'go to the end', session => step(session, () => session.player.state.endNs)],
      [
        'PageDown',
        'play to the next stop, or jump there if the run is playing',
        session => turnForwards(session, features),
      ],
      ['PageUp', 'go back to the previous stop', session => turnBackwards(session, features)],
      ['[', 'slower', ({player}) => player.setSpeed(slower(player.state.speed))],
      [']', 'faster', ({player}) => player.setSpeed(faster(player.state.speed))],
    ]),
    ...grouped('timeline', OTHERS, [['l', 'load again from the start', ({screen}) => screen.reload()]]),
    ...grouped('timeline', WATCHING, [
      ...VIEWS.map(
        ({name, label, key}): Key => [key, `timeline: ${label}`, ({display}) => display.set({timeline: name})],
      ),
      ['y', 'timeline: switch between percent of bytes, of scans and visual', ({display}) => display.nextAxis()],
      ['+', 'timeline: zoom in around t', session => zoom(session, 1 / 1.5)],
      ['-', 'timeline: zoom out', session => zoom(session, 1.5)],
      ['0', 'timeline: show the whole run', ({display}) => display.set({zoom: null})],
      ['Shift ArrowRight', 'timeline: move to later times', session => pan(session, 0.25)],
      ['Shift ArrowLeft', 'timeline: move to earlier times', session => pan(session, -0.25)],
      ['o', 'timeline: all panes in one graph, or each in its own', ({display}) => display.toggleLayout()],
      [
        'h',
        'timeline: fold the graphs to strips with their losses, or unfold them',
        ({display, store}) => display.toggleAllFolded(store.getState().run?.traces.length ?? 0),
      ],
      ['t', 'switch between the light and the dark theme', ({display}) => display.toggleTheme()],
      ['u', 'timeline: show the run up to t, or the whole run', ({display}) => display.toggleStage('isUpToT')],
      ['g', 'timeline: show or hide the previous run (the ghost)', ({display}) => display.toggleStage('hasGhost')],
      [
        'x',
        'timeline: keep the axis long enough for the previous run, too',
        ({display}) => display.toggleStage('isAxisLocked'),
      ],
      ['m', 'timeline: show or hide the page time that a model predicts (L06)', toggleModel],
      ['k', 'show or hide captions', ({display}) => display.toggleStage('hasCaptions')],
    ]),
    ...grouped('timeline', OTHERS, [
      ['f', 'apply changes from t on, or to the whole run', ({display}) => display.toggleFromNow()],
      ['c', 'show or hide settings and metrics', ({display}) => display.toggleControls()],
    ]),
    ...grouped('show', WATCHING, [
      [
        'p',
        'enter or leave presenter mode',
        ({display, store}) => display.present(!store.getState().view.isPresenting),
      ],
    ]),
    ...grouped('present', WATCHING, [
      [
        'b',
        'presenter mode: turn the screen black, or show the run again',
        ({display, store}) => display.blank(!store.getState().view.isBlank),
      ],
    ]),
    ...grouped('window', OTHERS, [['?', 'show this help', ({display}) => display.openDialog('help')]]),
    ...grouped('window', WATCHING, [
      [
        'Escape',
        'close what is open, end a live load or the story, or leave presenter mode',
        session => closeFront(session, features),
      ],
    ]),
  ];
}

type Key = readonly [key: string, text: string, act: Shortcut['act']];

function grouped(group: Shortcut['group'], isForWatching: boolean, keys: readonly Key[]): readonly Shortcut[] {
  return keys.map(([key, text, act]) => ({key, group, text, isForWatching, act}));
}

/** Values of {@link Shortcut.isForWatching}. */
const WATCHING = true;
const OTHERS = false;

export {KEY_NAMES} from '../kit/keyNames.ts';

/** The device with which the user last moved the focus. */
export type FocusedBy = 'pointer' | 'keyboard';

/**
 * Runs the shortcut of a key. Runs none if Alt is held, if the focused element uses the key itself and neither Ctrl nor
 * Meta is held, or if a dialog is open and the key is not Escape. Returns true if a shortcut was run.
 */
export function handleKey(
  session: Session,
  shortcuts: readonly Shortcut[],
  event: KeyboardEvent,
  focusedBy: FocusedBy,
): boolean {
  const isCtrl = event.ctrlKey || event.metaKey;
  if (event.altKey || (!isCtrl && isOwnKey(event, focusedBy))) return false;
  // while a dialog is open, no key except Escape has an effect behind the dialog
  if (event.key !== 'Escape' && document.querySelector('dialog[open]') !== null) return false;
  const shortcut = shortcuts.find(each => each.key === shortcutKey(event, isCtrl));
  shortcut?.act(session);
  return shortcut !== undefined;
}

/** Whether this element takes typed text. */
export function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(TEXT_FIELDS);
}

/**
 * Whether the focused control acts on this key: a slider moves, a select chooses, a button is pressed. A control that
 * was clicked keeps the focus, but later keys are not meant for it, so `focusedBy` is needed. `:focus-visible` does not
 * tell how the control got the focus, because any key press sets it.
 */
function isOwnKey({key, target}: KeyboardEvent, focusedBy: FocusedBy): boolean {
  if (key === 'Escape' || !(target instanceof HTMLElement)) return false;
  if (isTextField(target)) return true;
  // a page turner sends these keys; the control gets them only if the user moved the focus with the keyboard
  if (focusedBy === 'pointer' && TURNING_KEYS.has(key)) return false;
  if (target.matches('input[type=range]')) return MOVING_KEYS.has(key);
  if (target.matches('select')) return MOVING_KEYS.has(key) || key === 'Enter' || key.length === 1;
  if (focusedBy === 'pointer') return false;
  if (target.matches('input[type=radio]')) return key === ' ' || key.startsWith('Arrow');
  return key === ' ' && target.matches('button, input[type=checkbox]');
}

/** Goes to the next or previous event, or, while a packet's contents are shown, to the next or previous packet. */
function turn(session: Session, steps: 1 | -1): void {
  if (session.store.getState().chosenPacket !== null) session.highlights.stepPacket(steps);
  else step(session, steps > 0 ? nextEventNs : previousEventNs);
}

function playOrPause(session: Session, features: readonly Feature[]): void {
  const {player} = session;
  if (features.some(feature => feature.playOrPause?.(session))) return;
  if (player.state.isPlaying) player.pause();
  else player.play();
}

function step({player, store}: Session, to: (traces: readonly Trace[], tNs: number) => number): void {
  player.pause();
  void player.seek(to(store.getState().run?.traces ?? [], player.tNs));
}

/** Zooms around t if the timeline shows t, otherwise around the middle of the timeline. */
function zoom(session: Session, factor: number): void {
  const {endNs} = session.player.state;
  const shown = session.store.getState().view.zoom ?? wholeRun(endNs);
  const [fromNs, toNs] = shown;
  const {tNs} = session.player;
  const aroundNs = tNs >= fromNs && tNs <= toNs ? tNs : (fromNs + toNs) / 2;
  session.display.set({zoom: zoomed(shown, factor, aroundNs, endNs)});
}

function pan(session: Session, share: number): void {
  const {endNs} = session.player.state;
  const shown = session.store.getState().view.zoom ?? wholeRun(endNs);
  session.display.set({zoom: panned(shown, share, endNs)});
}

const TEXT_FIELDS = 'textarea, input:not([type=range]):not([type=radio]):not([type=checkbox])';
const TURNING_KEYS = new Set(['PageUp', 'PageDown']);
const MOVING_KEYS = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', ...TURNING_KEYS]);

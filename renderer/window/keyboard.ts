import type {Trace} from '../../app/run/trace/trace.ts';
import {type Feature, KEY_GROUPS, type Shortcut} from '../features/feature.ts';
import {VIEWS} from '../run/timeline/views/list.ts';
import type {Session} from '../session/session.ts';
import {panned, wholeRun, zoomed} from '../session/zoom.ts';
import {closeFront} from './closeFront.ts';
import {faster, nextEventNs, previousEventNs, slower} from './playing.ts';
import {toggleModel} from './toggleModel.ts';
import {turnBack, turnOn} from './turning.ts';

/** All keys of a window with these features, in the order in which the help lists them. */
export function shortcutsOf(features: readonly Feature[]): readonly Shortcut[] {
  const all = [...features.flatMap(({keys = []}) => keys), ...windowKeys(features)];
  return KEY_GROUPS.flatMap(group => all.filter(shortcut => shortcut.group === group));
}

/** The keys that belong to no feature: playing, the timeline, how the window shows the run. */
function windowKeys(features: readonly Feature[]): readonly Shortcut[] {
  return [
    ...grouped('play', WATCHING, [
      [' ', 'play or pause', ({player}) => (player.state.isPlaying ? player.pause() : player.play())],
      ['ArrowRight', 'to the next event, or packet that is looked into', session => turn(session, 1)],
      ['ArrowLeft', 'to the event before, or packet', session => turn(session, -1)],
      ['.', 'explain the next loss', ({highlights}) => highlights.stepLoss(1)],
      [',', 'explain the loss before', ({highlights}) => highlights.stepLoss(-1)],
    ]),
    ...grouped('play', OTHERS, [
      ['i', 'look into the packet at t, then into the next', ({highlights}) => highlights.stepPacket(1)],
    ]),
    ...grouped('play', WATCHING, [
      ['Home', 'to the start', session => step(session, () => 0)],
      ['End', 'to the end', session => step(session, () => session.player.state.endNs)],
      ['PageDown', 'play to the next stop; there at once if it plays', session => turnOn(session, features)],
      ['PageUp', 'back to the stop before', session => turnBack(session, features)],
      ['[', 'slower', ({player}) => player.setSpeed(slower(player.state.speed))],
      [']', 'faster', ({player}) => player.setSpeed(faster(player.state.speed))],
    ]),
    ...grouped('timeline', OTHERS, [['l', 'load again from the start', ({screen}) => screen.reload()]]),
    ...grouped('timeline', WATCHING, [
      ...VIEWS.map(({name, key}): Key => [key, `timeline: ${name}`, ({display}) => display.set({timeline: name})]),
      ['y', 'timeline: percent of bytes, of scans, visual', ({display}) => display.nextAxis()],
      ['+', 'timeline: less time, around t', session => zoom(session, 1 / 1.5)],
      ['-', 'timeline: more time', session => zoom(session, 1.5)],
      ['0', 'timeline: the whole run', ({display}) => display.set({zoom: null})],
      ['Shift ArrowRight', 'timeline: later', session => pan(session, 0.25)],
      ['Shift ArrowLeft', 'timeline: earlier', session => pan(session, -0.25)],
      ['o', 'panes in one graph, or apart', ({display}) => display.toggleLayout()],
      ['t', 'light or dark', ({display}) => display.toggleTheme()],
      ['u', 'timeline: up to t, or the whole run', ({display}) => display.toggleStage('isUpToT')],
      ['g', 'timeline: the run before as a ghost', ({display}) => display.toggleStage('hasGhost')],
      ['x', 'timeline: room for the run before, too', ({display}) => display.toggleStage('isAxisLocked')],
      ['m', 'timeline: when a model has the page complete (L06)', toggleModel],
      ['k', 'captions', ({display}) => display.toggleStage('hasCaptions')],
    ]),
    ...grouped('timeline', OTHERS, [
      ['f', 'changes from t on, or for the whole run', ({display}) => display.toggleFromNow()],
      ['c', 'settings and metrics', ({display}) => display.toggleControls()],
    ]),
    ...grouped('show', WATCHING, [
      ['p', 'presenter mode, or back', ({display, store}) => display.present(!store.getState().view.isPresenting)],
    ]),
    ...grouped('tell', WATCHING, [
      ['b', 'presenter mode: black, or back', ({display, store}) => display.blank(!store.getState().view.isBlank)],
    ]),
    ...grouped('window', OTHERS, [['?', 'this help', ({display}) => display.openDialog('help')]]),
    ...grouped('window', WATCHING, [
      [
        'Escape',
        'close, end a live load or the story, or leave presenter mode',
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

/** The names of keys for people, for keys whose `Shortcut.key` is not the name. */
export const KEY_NAMES: {readonly [key: string]: string} = {
  ' ': 'Space',
  ArrowRight: '→',
  ArrowLeft: '←',
  'Shift ArrowRight': 'Shift →',
  'Shift ArrowLeft': 'Shift ←',
  N: 'Shift n',
  'Ctrl Z': 'Ctrl Shift z',
  PageDown: 'Page Down',
  PageUp: 'Page Up',
  Escape: 'Esc',
};

/** What moved the focus last. */
export type FocusedBy = 'pointer' | 'keyboard';

/** Runs the shortcut of a key, unless the focused element uses the key itself. Returns true if the key was used. */
export function handleKey(
  session: Session,
  shortcuts: readonly Shortcut[],
  event: KeyboardEvent,
  focusedBy: FocusedBy,
): boolean {
  const isCtrl = event.ctrlKey || event.metaKey;
  if (event.altKey || (!isCtrl && isOwnKey(event, focusedBy))) return false;
  // while a dialog is open, keys change nothing behind it
  if (event.key !== 'Escape' && document.querySelector('dialog[open]') !== null) return false;
  const shortcut = shortcuts.find(each => each.key === shortcutKey(event, isCtrl));
  shortcut?.act(session);
  return shortcut !== undefined;
}

/** Whether this element takes typed text. */
export function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(TEXT_FIELDS);
}

function shortcutKey({key, shiftKey}: KeyboardEvent, isCtrl: boolean): string {
  // for other keys, Shift changes the key itself, as in ?
  const isShift = shiftKey && key.startsWith('Arrow');
  // Caps Lock must not count as Shift
  const letter = shiftKey ? key.toUpperCase() : key.toLowerCase();
  return `${isCtrl ? 'Ctrl ' : ''}${isShift ? 'Shift ' : ''}${key.length === 1 ? letter : key}`;
}

/**
 * Whether the focused control acts on this key: a slider moves, a select chooses, a button is pressed. A control that
 * was clicked keeps the focus, but later keys are not meant for it. `:focus-visible` does not show how the control got
 * the focus, because every key press sets it again.
 */
function isOwnKey({key, target}: KeyboardEvent, focusedBy: FocusedBy): boolean {
  if (key === 'Escape' || !(target instanceof HTMLElement)) return false;
  if (isTextField(target)) return true;
  // a page turner sends these keys; they are meant for the control only if the focus came by keyboard
  if (focusedBy === 'pointer' && TURNING_KEYS.has(key)) return false;
  if (target.matches('input[type=range]')) return MOVING_KEYS.has(key);
  if (target.matches('select')) return MOVING_KEYS.has(key) || key === 'Enter' || key.length === 1;
  if (focusedBy === 'pointer') return false;
  if (target.matches('input[type=radio]')) return key === ' ' || key.startsWith('Arrow');
  return key === ' ' && target.matches('button, input[type=checkbox]');
}

/**
 * Goes to the next or previous event, or, while a packet's contents are shown, to the next or previous packet.
 */
function turn(session: Session, steps: 1 | -1): void {
  if (session.store.getState().chosenPacket !== null) session.highlights.stepPacket(steps);
  else step(session, steps > 0 ? nextEventNs : previousEventNs);
}

function step({player, store}: Session, to: (traces: readonly Trace[], tNs: number) => number): void {
  player.pause();
  void player.seek(to(store.getState().run?.traces ?? [], player.tNs));
}

/** Zooms around t if the timeline shows t, otherwise around its middle. */
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

import type {Trace} from '../../app/run/trace/trace.ts';
import {focusAddress} from '../features/opening/AddressBar.tsx';
import {findTypicalSeed} from '../features/seeds/findTypicalSeed.ts';
import {faster, nextEventNs, previousEventNs, slower} from '../kit/events.ts';
import {VIEWS} from '../run/timeline/views/list.ts';
import {panned, wholeRun, zoomed} from '../run/timeline/zoom.ts';
import {saveShown} from '../session/files.ts';
import {toggleModel} from '../session/model.ts';
import type {Session} from '../session/session.ts';
import {turnBack, turnOn} from './turning.ts';

/** One key and what it does, as the help says it. */
export interface Shortcut {
  /** `KeyboardEvent.key`, with `Ctrl ` before it where that is held (⌘ on a Mac), `Shift ` before arrows. */
  readonly key: string;
  readonly text: string;
  readonly act: (session: Session) => void;
}

export const SHORTCUTS: readonly Shortcut[] = [
  {
    key: ' ',
    text: 'play or pause',
    act: ({player}) => (player.state.isPlaying ? player.pause() : player.play()),
  },
  {
    key: 'ArrowRight',
    text: 'to the next event, or packet that is looked into',
    act: session => turn(session, 1),
  },
  {key: 'ArrowLeft', text: 'to the event before, or packet', act: session => turn(session, -1)},
  {key: '.', text: 'explain the next loss', act: session => session.chosen.stepLoss(1)},
  {key: ',', text: 'explain the loss before', act: session => session.chosen.stepLoss(-1)},
  {
    key: 'i',
    text: 'look into the packet at t, then into the next',
    act: session => session.chosen.stepPacket(1),
  },
  {key: 'Home', text: 'to the start', act: session => step(session, () => 0)},
  {key: 'End', text: 'to the end', act: session => step(session, () => session.player.state.endNs)},
  {key: 'PageDown', text: 'play to the next stop; there at once if it plays', act: turnOn},
  {key: 'PageUp', text: 'back to the stop before', act: turnBack},
  {key: '[', text: 'slower', act: ({player}) => player.setSpeed(slower(player.state.speed))},
  {key: ']', text: 'faster', act: ({player}) => player.setSpeed(faster(player.state.speed))},
  {key: 'n', text: 'another seed', act: session => session.anotherSeed()},
  {key: 'N', text: 'find the typical seed', act: session => void findTypicalSeed(session)},
  {key: 'd', text: 'many seeds: is that luck?', act: session => session.togglePanel('seeds')},
  {key: 'v', text: 'experiment: vary a setting', act: session => session.togglePanel('experiment')},
  {
    key: 'a',
    text: 'advice: how many streams, what would help',
    act: session => void (session.tellsOfNoSeeds() || session.display.set({isAdviceOpen: true})),
  },
  {key: 'l', text: 'load again from the start', act: session => session.reload()},
  ...VIEWS.map(({name, key}) => ({
    key,
    text: `timeline: ${name}`,
    act: (session: Session) => session.display.set({timeline: name}),
  })),
  {
    key: 'y',
    text: 'timeline: percent of bytes, of scans, visual',
    act: session => session.display.nextAxis(),
  },
  {key: '+', text: 'timeline: less time, around t', act: session => zoom(session, 1 / 1.5)},
  {key: '-', text: 'timeline: more time', act: session => zoom(session, 1.5)},
  {key: '0', text: 'timeline: the whole run', act: session => session.display.set({zoom: null})},
  {key: 'Shift ArrowRight', text: 'timeline: later', act: session => pan(session, 0.25)},
  {key: 'Shift ArrowLeft', text: 'timeline: earlier', act: session => pan(session, -0.25)},
  {key: 'o', text: 'panes in one graph, or apart', act: session => session.display.toggleLayout()},
  {key: 't', text: 'light or dark', act: session => session.display.toggleTheme()},
  {
    key: 'u',
    text: 'timeline: up to t, or the whole run',
    act: session => session.display.toggleStage('isUpToT'),
  },
  {
    key: 'g',
    text: 'timeline: the run before as a ghost',
    act: session => session.display.toggleStage('hasGhost'),
  },
  {
    key: 'x',
    text: 'timeline: room for the run before, too',
    act: session => session.display.toggleStage('isAxisLocked'),
  },
  {
    key: 'm',
    text: 'timeline: when a model has the page complete (L06)',
    act: toggleModel,
  },
  {key: 'k', text: 'captions', act: session => session.display.toggleStage('hasCaptions')},
  {
    key: 'f',
    text: 'changes from t on, or for the whole run',
    act: session => session.display.toggleFromNow(),
  },
  {key: 'c', text: 'settings and metrics', act: session => session.display.toggleControls()},
  {key: 'r', text: 'record a movie or a picture', act: session => session.display.set({isRecordOpen: true})},
  {key: 'q', text: 'quality by bytes', act: session => session.display.set({isQualityOpen: true})},
  {
    key: 'p',
    text: 'presenter mode, or back',
    act: session => session.display.present(!session.store.getState().view.isPresenting),
  },
  {key: 's', text: 'stories', act: ({story}) => story.openMenu(true)},
  {key: 'e', text: 'write the story', act: ({story}) => story.togglePanel()},
  {
    key: 'b',
    text: 'presenter mode: black, or back',
    act: session => session.display.blank(!session.store.getState().view.isBlank),
  },
  {key: 'Ctrl z', text: 'undo', act: session => session.settings.undo()},
  {key: 'Ctrl Z', text: 'redo', act: session => session.settings.redo()},
  {key: 'Ctrl s', text: 'save the scenario', act: saveShown},
  {
    key: 'Ctrl o',
    text: 'open a page, scenario, trace or story',
    act: ({opener}) => opener.openMenu(true),
  },
  {key: 'Ctrl l', text: 'the address of a page', act: focusAddress},
  {key: '?', text: 'this help', act: session => session.display.set({isHelpOpen: true})},
  {
    key: 'Escape',
    text: 'close, end a live load or the story, or leave presenter mode',
    act: session => session.escape(),
  },
];

/** What people call a key, where that is not `Shortcut.key`. */
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

/** Acts on a key, unless what has the focus has its own use for it. True if it was one of ours. */
export function handleKey(session: Session, event: KeyboardEvent, focusedBy: FocusedBy): boolean {
  const isCtrl = event.ctrlKey || event.metaKey;
  if (event.altKey || (!isCtrl && isOwnKey(event, focusedBy))) return false;
  // nothing changes behind a dialog
  if (event.key !== 'Escape' && document.querySelector('dialog[open]') !== null) return false;
  const shortcut = SHORTCUTS.find(each => each.key === shortcutKey(event, isCtrl));
  shortcut?.act(session);
  return shortcut !== undefined;
}

/** Whether what is typed goes into this element. */
export function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(TEXT_FIELDS);
}

function shortcutKey({key, shiftKey}: KeyboardEvent, isCtrl: boolean): string {
  // elsewhere the key itself tells: ?
  const isShift = shiftKey && key.startsWith('Arrow');
  // Caps Lock is no Shift
  const letter = shiftKey ? key.toUpperCase() : key.toLowerCase();
  return `${isCtrl ? 'Ctrl ' : ''}${isShift ? 'Shift ' : ''}${key.length === 1 ? letter : key}`;
}

/**
 * Whether the focused control acts on this key: a slider moves, a select chooses, a button is pressed. What the
 * pointer pressed keeps the focus, but is done: `:focus-visible` does not tell that, a key brings it back.
 */
function isOwnKey({key, target}: KeyboardEvent, focusedBy: FocusedBy): boolean {
  if (key === 'Escape' || !(target instanceof HTMLElement)) return false;
  if (isTextField(target)) return true;
  // a page turner's buttons, which only a hand on the keyboard means for the control
  if (focusedBy === 'pointer' && TURNING_KEYS.has(key)) return false;
  if (target.matches('input[type=range]')) return MOVING_KEYS.has(key);
  if (target.matches('select')) return MOVING_KEYS.has(key) || key === 'Enter' || key.length === 1;
  if (focusedBy === 'pointer') return false;
  if (target.matches('input[type=radio]')) return key === ' ' || key.startsWith('Arrow');
  return key === ' ' && target.matches('button, input[type=checkbox]');
}

/** While a packet is looked into to another, and t stays where it is. */
function turn(session: Session, steps: 1 | -1): void {
  if (session.store.getState().chosenPacket !== null) session.chosen.stepPacket(steps);
  else step(session, steps > 0 ? nextEventNs : previousEventNs);
}

function step({player, store}: Session, to: (traces: readonly Trace[], tNs: number) => number): void {
  player.pause();
  void player.seek(to(store.getState().run?.traces ?? [], player.tNs));
}

/** Around t, if the timeline shows it; around its middle otherwise. */
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

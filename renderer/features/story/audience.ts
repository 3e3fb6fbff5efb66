import {runEndNs} from '../../../app/run/trace/trace.ts';
import {spanOfStep, stepDurationS} from '../../../app/telling/story/stepTimes.ts';
import type {Step} from '../../../app/telling/story/story.ts';
import {plainText} from '../../../app/telling/story/storyNumbers.ts';
import type {Theme} from '../../kit/objectColours.ts';
import type {Session} from '../../session/session.ts';
import {
  type AudienceMessage,
  type AudienceState,
  messageIn,
  type ShownStep,
  type ShownStory,
  SPEAKER_CHANNEL,
  SPEAKER_KEYS,
  type SpeakerChannel,
} from '../../speaker/messages.ts';
import {STORY_PLAYER} from './sessionStoryPlayer.ts';
import {StepRuns} from './stepRuns.ts';
import {stepStill} from './stepStill.ts';

/** Opens the speaker view in a second window, or shows the one that is open. */
export function openSpeaker({notices}: Session): void {
  if (window.open('?speaker', 'interleave-speaker', 'popup,width=1180,height=760') !== null) return;
  notices.showMessage('The second window was blocked: allow it in the browser, or open ?speaker in another tab');
}

/** Connects this window with speaker views for as long as its page is open. */
export function beginAudience(session: Session): void {
  const press = (key: string) => {
    const shiftKey = key.startsWith(SHIFT);
    window.dispatchEvent(new KeyboardEvent('keydown', {key: shiftKey ? key.slice(SHIFT.length) : key, shiftKey}));
  };
  const audience = new Audience(session, new BroadcastChannel(SPEAKER_CHANNEL), press);
  window.addEventListener('pagehide', () => audience.close());
}

/**
 * Tells speaker views what this window shows to its audience, and presses the keys that they send. See
 * speaker/messages.ts. While there is no speaker view, no state is sent and no run is computed.
 */
export class Audience {
  readonly #session: Session;
  readonly #channel: SpeakerChannel;
  readonly #press: (key: string) => void;
  readonly #runs: StepRuns;
  readonly #name = crypto.randomUUID();
  readonly #openedMs = Date.now();
  readonly #stills = new WeakMap<Step, {readonly theme: Theme; readonly svg: string}>();
  #theme: Theme = 'light';
  #heardMs = Number.NEGATIVE_INFINITY;
  #toldMs = Number.NEGATIVE_INFINITY;
  /** The state that was sent after the last change, as JSON, without `revision`, `openedMs` and `tS`. */
  #told = '';
  #revision = 0;

  /** `press` acts on a key as if it was pressed in this window. */
  constructor(session: Session, channel: SpeakerChannel, press: (key: string) => void) {
    this.#session = session;
    this.#channel = channel;
    this.#press = press;
    this.#runs = new StepRuns(session.host, () => this.#tell());
    channel.onmessage = ({data}) => this.#hear(data);
    const {player, store} = session;
    session.stateOf(STORY_PLAYER).store.subscribe(() => this.#tell());
    store.subscribe((now, before) => {
      if (now.view !== before.view || now.run !== before.run) this.#tell();
    });
    player.onState(() => this.#tell());
    player.onTime(tNs => this.#tellTime(tNs));
  }

  close(): void {
    this.#send({kind: 'gone', from: this.#name});
    this.#channel.close();
  }

  get #isHeard(): boolean {
    return performance.now() - this.#heardMs <= SILENT_MS;
  }

  #hear(data: unknown): void {
    const message = messageIn(data);
    if (message?.kind === 'key' && message.to === this.#name && SPEAKER_KEYS.includes(message.key))
      this.#press(message.key);
    if (message?.kind !== 'hello') return;
    this.#heardMs = performance.now();
    this.#theme = message.theme;
    const before = this.#revision;
    this.#tell();
    if (message.seen[this.#name] === this.#revision) this.#tellTime(this.#session.player.tNs);
    // a state that has changed was sent just now
    else if (this.#revision === before)
      this.#send({kind: 'state', from: this.#name, state: this.#state(this.#shown())});
  }

  /** Sends the state if it has changed. */
  #tell(): void {
    if (!this.#isHeard) return;
    const shown = this.#shown();
    const told = JSON.stringify(shown);
    if (told === this.#told) return;
    this.#told = told;
    this.#revision += 1;
    this.#send({kind: 'state', from: this.#name, state: this.#state(shown)});
  }

  #tellTime(tNs: number): void {
    const nowMs = performance.now();
    if (!this.#isHeard || nowMs - this.#toldMs < TIME_MS) return;
    this.#toldMs = nowMs;
    this.#send({kind: 'time', from: this.#name, tS: tNs / 1e9});
  }

  #state(shown: Shown): AudienceState {
    const tS = this.#session.player.tNs / 1e9;
    return {revision: this.#revision, openedMs: this.#openedMs, tS, ...shown};
  }

  #shown(): Shown {
    const {player, store} = this.#session;
    const {isPresenting, isBlank, dialog} = store.getState().view;
    const {isPlaying} = player.state;
    return {story: this.#story(), isPlaying, isPresenting, isBlank, hasDialog: dialog !== null};
  }

  #story(): ShownStory | null {
    const {story, step, startedMs} = this.#session.stateOf(STORY_PLAYER).store.getState();
    if (story === null) return null;
    const near = [step, step + 1];
    const scenarios = story.steps.map(({scenario}) => scenario);
    this.#runs.want([...near.flatMap(k => scenarios[k] ?? []), ...scenarios]);
    const steps = story.steps.map((each, k) => this.#step(each, near.includes(k)));
    return {title: story.title, startedMs, step, steps};
  }

  #step(step: Step, isNear: boolean): ShownStep {
    const told = {text: plainText(step), notes: step.notes};
    const run = this.#runs.runOf(step.scenario);
    if (run === undefined) return {...told, spanS: null, plannedS: null, still: null};
    const endNs = runEndNs(run.traces);
    const {fromNs, toNs} = spanOfStep(step, endNs);
    const plannedS = stepDurationS(step, endNs);
    return {...told, spanS: [fromNs / 1e9, toNs / 1e9], plannedS, still: isNear ? this.#still(step) : null};
  }

  #still(step: Step): string | null {
    const kept = this.#stills.get(step);
    if (kept?.theme === this.#theme) return kept.svg;
    const run = this.#runs.runOf(step.scenario);
    if (run === undefined) return null;
    const svg = stepStill(step, run, this.#theme);
    this.#stills.set(step, {theme: this.#theme, svg});
    return svg;
  }

  #send(message: AudienceMessage): void {
    this.#channel.postMessage(message);
  }
}

/** Precedes a key that is pressed with Shift ({@link SPEAKER_KEYS}). */
const SHIFT = 'Shift ';
/** A speaker view counts as open until this time after its last `hello`, ms. */
const SILENT_MS = 4000;
/** The shortest time between two messages about t, ms. */
const TIME_MS = 200;

/** What the window shows, except t. */
type Shown = Omit<AudienceState, 'revision' | 'openedMs' | 'tS'>;

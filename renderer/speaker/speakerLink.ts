import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Theme} from '../kit/objectColours.ts';
import {type AudienceState, messageIn, type SpeakerChannel, type SpeakerMessage} from './messages.ts';
import {type HeardWindow, leaderOf} from './speakerTimes.ts';

export interface LinkState {
  /** The windows that answer, in the order in which they were heard first. */
  readonly windows: readonly HeardWindow[];
}

/** Connects a speaker view with the windows that show runs. See messages.ts. */
export class SpeakerLink {
  readonly store: StoreApi<LinkState> = createStore(() => ({windows: []}));
  readonly #channel: SpeakerChannel;
  readonly #nowMs: () => number;
  readonly #heardMs = new Map<string, number>();
  #theme: Theme = 'light';

  constructor(channel: SpeakerChannel, nowMs: () => number = () => performance.now()) {
    this.#channel = channel;
    this.#nowMs = nowMs;
    channel.onmessage = ({data}) => this.#hear(data);
  }

  /** Asks all windows for their state, and forgets the windows that have not answered for some seconds. */
  greet(): void {
    const nowMs = this.#nowMs();
    const {windows} = this.store.getState();
    const present = windows.filter(([name]) => nowMs - (this.#heardMs.get(name) ?? nowMs) <= SILENT_MS);
    if (present.length < windows.length) this.store.setState({windows: present});
    const seen = Object.fromEntries(present.map(([name, {revision}]) => [name, revision]));
    this.#send({kind: 'hello', seen, theme: this.#theme});
  }

  /** Sets the theme of the pictures that the windows send. */
  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.greet();
  }

  /** Sends a key to the window that the speaker view follows ({@link leaderOf}). */
  press(key: string): void {
    const leader = leaderOf(this.store.getState().windows);
    if (leader !== null) this.#send({kind: 'key', to: leader[0], key});
  }

  close(): void {
    this.#channel.close();
  }

  #hear(data: unknown): void {
    const message = messageIn(data);
    if (message === undefined || message.kind === 'hello' || message.kind === 'key') return;
    const {windows} = this.store.getState();
    const {from} = message;
    if (message.kind === 'gone') {
      this.store.setState({windows: windows.filter(([name]) => name !== from)});
      return;
    }
    this.#heardMs.set(from, this.#nowMs());
    const before = windows.find(([name]) => name === from)?.[1];
    const state = message.kind === 'state' ? message.state : before && {...before, tS: message.tS};
    if (state === undefined || state === before) return;
    this.store.setState({windows: withWindow(windows, from, state)});
  }

  #send(message: SpeakerMessage): void {
    this.#channel.postMessage(message);
  }
}

function withWindow(windows: readonly HeardWindow[], name: string, state: AudienceState): readonly HeardWindow[] {
  const isNew = windows.every(([each]) => each !== name);
  if (isNew) return [...windows, [name, state]];
  return windows.map(each => (each[0] === name ? [name, state] : each));
}

/** How long a window may be silent, ms. Windows answer once a second. */
const SILENT_MS = 4000;

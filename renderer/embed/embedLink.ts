import {messageOf} from '../../app/base/text.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {STORY_PLAYER} from '../features/story/sessionStoryPlayer.ts';
import {editWholeRun} from '../session/editScenario.ts';
import type {Session} from '../session/session.ts';
import {type EmbedCommand, type EmbedEvent, type EmbedState, isForEmbed, readCommand} from './messages.ts';

/** The part of a browser's window that the link uses. */
export interface EmbedWindow {
  readonly parent: {postMessage(message: EmbedEvent, target: string): void};
  addEventListener(type: 'message', listener: (event: EmbedMessage) => void): void;
}

export interface EmbedMessage {
  readonly source: unknown;
  readonly origin: string;
  readonly data: unknown;
}

/**
 * Lets the page around an embedded window drive the session. Only messages of that page itself count, and if `origin`
 * is not null, only while the page has this origin. The window sends nothing before the first message with the key
 * `interleave`, which marks commands. Its answers and events go only to the origin of the last such message, if this
 * origin can be named. Otherwise they go to the page whatever its origin is.
 */
export function linkEmbed(session: Session, frame: EmbedWindow, origin: string | null): void {
  const {player, store} = session;
  const storyPlayer = session.stateOf(STORY_PLAYER);
  /** The origin that gets the events, or `*` for every origin; null before the first command. */
  let target: string | null = null;
  let lastMs = Number.NEGATIVE_INFINITY;
  const send = (event: EmbedEvent) => {
    if (target !== null) frame.parent.postMessage(event, target);
  };
  const sendState = () => {
    lastMs = performance.now();
    send({interleave: 1, event: 'state', state: stateOf(session)});
  };
  frame.addEventListener('message', ({source, origin: from, data}) => {
    if (source !== frame.parent || (origin !== null && from !== origin) || !isForEmbed(data)) return;
    // a page in a sandboxed iframe, or a page that was opened from a file, has no origin that can be named
    target = from === 'null' ? '*' : from;
    const read = readCommand(data);
    const refused = read.ok ? carryOut(session, read.command) : read.message;
    if (refused === null) sendState();
    else send({interleave: 1, event: 'refused', message: refused});
  });
  player.onState(sendState);
  player.onTime(() => {
    if (player.state.isPlaying && performance.now() - lastMs > LEAST_MS) sendState();
  });
  store.subscribe(({run, isComputing}, before) => {
    if (run !== before.run || isComputing !== before.isComputing) sendState();
  });
  storyPlayer.store.subscribe(({step, story}, before) => {
    if (step !== before.step || story !== before.story) sendState();
  });
}

/** Carries out a command. Returns why it cannot be carried out, or null if it was carried out. */
function carryOut(session: Session, command: EmbedCommand): string | null {
  const {player} = session;
  const storyPlayer = session.stateOf(STORY_PLAYER);
  switch (command.command) {
    case 'state':
      return null;
    case 'play':
      player.play();
      return null;
    case 'pause':
      player.pause();
      return null;
    case 'next':
      return storyPlayer.next() ? null : NO_STORY;
    case 'back':
      return storyPlayer.back() ? null : NO_STORY;
    case 'seek':
      if (player.state.isPlaying) player.pause();
      void player.seek(command.tS * 1e9);
      return null;
    case 'set':
      return setKeyOf(session, command);
  }
}

function setKeyOf({history, store}: Session, {key, value}: Extract<EmbedCommand, {command: 'set'}>): string | null {
  try {
    const parsed = editWholeRun(store.getState().scenario, key, value);
    if (!parsed.ok) return parsed.problems[0]?.message ?? 'the scenario is not valid';
    history.chooseScenario(parsed.scenario);
    return null;
  } catch (error) {
    // the key names an item that a list does not have
    return messageOf(error);
  }
}

function stateOf(session: Session): EmbedState {
  const {run, isComputing, scenario} = session.store.getState();
  const {story, step} = session.stateOf(STORY_PLAYER).store.getState();
  const {isPlaying, endNs} = session.player.state;
  return {
    isReady: run !== null && !isComputing,
    isPlaying,
    tS: session.player.tNs / 1e9,
    endS: endNs / 1e9,
    step: story === null ? null : step + 1,
    steps: story === null ? null : story.steps.length,
    scenario: scenarioDocument(scenario),
  };
}

const NO_STORY = 'no story is open';

/** While the run plays, its new time is reported only if the last state was sent more than this many ms ago. */
const LEAST_MS = 200;

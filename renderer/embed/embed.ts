import type {Feature} from '../features/feature.ts';
import {quality} from '../features/quality/index.tsx';
import {story} from '../features/story/index.tsx';
import type {Session} from '../session/session.ts';
import {type EmbedWindow, linkEmbed} from './embedLink.ts';
import './embed.css';

/** How a window is embedded, as the fragment of its address says. */
export interface EmbedOptions {
  /** Whether the run plays by itself. Otherwise it waits for the play button. */
  readonly plays: boolean;
  /**
   * Whether the whole window is shown. Otherwise only the panes, the timeline, the play button and the time are shown,
   * and with a story the text of the current step and the buttons for the previous and the next step.
   */
  readonly hasSettings: boolean;
  /** The only origin whose commands count; null if the page around the window may have any origin. */
  readonly origin: string | null;
}

/** Reads the options that the fragment has besides `scenario` or `story`: `play`, `settings` and `origin=ORIGIN`. */
export function readEmbedOptions(fragment: string): EmbedOptions {
  const keys = new URLSearchParams(fragment.replace(/^#/, ''));
  return {plays: keys.has('play'), hasSettings: keys.has('settings'), origin: keys.get('origin')};
}

/** The features of an embedded window without settings. */
export const EMBEDDED_FEATURES: readonly Feature[] = [story, quality];

/** Prepares the session of an embedded window. Call this before the session is started. */
export function beginEmbed(session: Session, frame: EmbedWindow, {plays, hasSettings, origin}: EmbedOptions): void {
  if (hasSettings) document.documentElement.dataset['settings'] = '';
  linkEmbed(session, frame, origin);
  if (!plays) pauseFirst(session);
}

/** Pauses the first run, which plays by itself in other windows, or the first step of a story. */
function pauseFirst({player}: Session): void {
  const end = player.onState(() => {
    if (!player.state.isPlaying) return;
    end();
    // the run waits at the time at which it began to play: a story's step at its start, any other run at the first time
    // at which something of the page can be seen
    const {tNs} = player;
    queueMicrotask(() => {
      player.pause();
      void player.seek(tNs);
    });
  });
}

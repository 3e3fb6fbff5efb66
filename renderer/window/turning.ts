import {stopsOf} from '../../app/telling/narration/stops.ts';
import type {Feature} from '../features/feature.ts';
import type {Session} from '../session/session.ts';

// Two buttons of a page turner. On: from the title through the stops to the end, each played; pressed while it plays,
// it is there at once. Back: to the stop before, where it stands. Either first gives back a screen that is black.
// A feature may take them first: while a story is told, they tell its steps.

/** Plays to the next stop, or is there at once if it plays. Stays at the end: nothing starts again by itself. */
export function turnOn(session: Session, features: readonly Feature[]): void {
  const {player} = session;
  if (giveBack(session) || features.some(({turn}) => turn?.(session, 1))) return;
  const {isPlaying, endNs} = player.state;
  const next = stops(session).find(ns => ns > player.tNs) ?? endNs;
  if (isPlaying) {
    player.pause();
    void player.seek(next);
  } else if (player.tNs < endNs) player.play(next);
}

/** To the stop before t, where it stands. */
export function turnBack(session: Session, features: readonly Feature[]): void {
  const {player} = session;
  if (giveBack(session) || features.some(({turn}) => turn?.(session, -1))) return;
  player.pause();
  void player.seek(stops(session).findLast(ns => ns < player.tNs) ?? 0);
}

function giveBack(session: Session): boolean {
  const {isBlank} = session.store.getState().view;
  session.display.blank(false);
  return isBlank;
}

function stops({store}: Session): readonly number[] {
  const {run, quality, view} = store.getState();
  return stopsOf(run?.traces ?? [], quality === null ? null : {quality, thresholds: view.thresholds});
}

import {stopsOf} from '../../app/telling/narration/stops.ts';
import type {Feature} from '../features/feature.ts';
import type {Session} from '../session/session.ts';

// A page turner has two buttons, forwards and back. Forwards plays to the next stop (stops.ts); the last stop is the
// end of the run. If the run is playing, forwards jumps to the next stop. Back jumps to the previous stop and pauses.
// If the screen is black, either button only shows the run again. A feature may handle the buttons instead: while a
// story is shown, forwards jumps to the end of a step that plays, and goes on to the next step if the step has ended.

/** Plays to the next stop, or jumps there if the run is playing. Does nothing at the end, so that no run restarts. */
export function turnForwards(session: Session, features: readonly Feature[]): void {
  const {player} = session;
  if (unblank(session) || features.some(({turn}) => turn?.(session, 1))) return;
  const {isPlaying, endNs} = player.state;
  const next = stops(session).find(ns => ns > player.tNs) ?? endNs;
  if (isPlaying) {
    player.pause();
    void player.seek(next);
  } else if (player.tNs < endNs) player.play(next);
}

/** Jumps to the last stop before t, or to the start, and pauses there. */
export function turnBackwards(session: Session, features: readonly Feature[]): void {
  const {player} = session;
  if (unblank(session) || features.some(({turn}) => turn?.(session, -1))) return;
  player.pause();
  void player.seek(stops(session).findLast(ns => ns < player.tNs) ?? 0);
}

function unblank(session: Session): boolean {
  const {isBlank} = session.store.getState().view;
  session.display.blank(false);
  return isBlank;
}

function stops({store}: Session): readonly number[] {
  const {run, quality, view} = store.getState();
  return stopsOf(run?.traces ?? [], quality === null ? null : {quality, thresholds: view.thresholds});
}

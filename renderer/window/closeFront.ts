import type {Feature} from '../features/feature.ts';
import {closePopover} from '../kit/Popover.tsx';
import type {Session} from '../session/session.ts';

/**
 * Closes or ends what is in front, such as a dialog, a notice or a panel. Each call closes one of them. If there is
 * none, this leaves presenter mode.
 */
export function closeFront(session: Session, features: readonly Feature[]): void {
  const {display, notices, screen, highlights} = session;
  const {view, notice} = session.store.getState();
  if (closePopover()) return;
  if (view.isBlank) display.blank(false);
  else if (view.dialog !== null) display.closeDialog(view.dialog);
  else if (notice !== null) notices.dismiss();
  else if (screen.stopLive() || highlights.clearOne()) return;
  else if (view.panel !== null) display.set({panel: null});
  else if (features.some(feature => feature.escape?.(session))) return;
  else if (view.isPresenting) display.present(false);
}

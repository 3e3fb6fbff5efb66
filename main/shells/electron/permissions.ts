import {session} from 'electron';

/** Refuses every permission, because the window needs none. */
export function setupPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
}

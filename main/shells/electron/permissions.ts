import {session} from 'electron';

/** The window needs no permission, so it gets none. */
export function setupPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
}

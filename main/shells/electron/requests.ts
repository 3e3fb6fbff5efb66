import {app, session} from 'electron';

/** Blocks all requests, also those of Chromium's own services, except the requests to the program itself. */
export function setupRequests(): void {
  session.defaultSession.webRequest.onBeforeRequest(({url}, answer) => answer({cancel: !isOfThisProgram(url)}));
}

/** Blocks the requests that Chromium makes outside of a session. Call this before Electron is ready. */
export function setupQuiet(): void {
  const {commandLine} = app;
  commandLine.appendSwitch('disable-background-networking');
  commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  // No server listens at port 1. Without `<-loopback>`, requests to loopback and link-local addresses would bypass the
  // proxy.
  commandLine.appendSwitch('proxy-server', 'http://127.0.0.1:1');
  commandLine.appendSwitch('proxy-bypass-list', '<-loopback>');
}

/**
 * Whether a URL's scheme cannot lead to a network. `app:` serves the built renderer only, and `devtools:` is for
 * developers.
 */
function isOfThisProgram(url: string): boolean {
  return /^(app|blob|data|about|devtools):/.test(url);
}

/** Refuses every permission, because the window needs none. */
export function setupPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
}

import {app, session} from 'electron';

/** The window loads nothing but what the program itself serves: no page, no service of Chromium's is asked for more. */
export function setupRequests(): void {
  session.defaultSession.webRequest.onBeforeRequest(({url}, answer) => answer({cancel: !isOfThisProgram(url)}));
}

/** The same for what Chromium asks outside of a session. Before Electron is ready. */
export function setupQuiet(): void {
  const {commandLine} = app;
  commandLine.appendSwitch('disable-background-networking');
  commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  // nobody is there; without the rule that loopback and link-local addresses need no proxy
  commandLine.appendSwitch('proxy-server', 'http://127.0.0.1:1');
  commandLine.appendSwitch('proxy-bypass-list', '<-loopback>');
}

/** By schemes that lead to no network. Of `app:` the assets say what there is; `devtools:` is a developer's. */
function isOfThisProgram(url: string): boolean {
  return /^(app|blob|data|about|devtools):/.test(url);
}

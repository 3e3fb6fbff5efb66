import {app, type BrowserWindow, protocol, shell, type WebContents} from 'electron';
import {moviesFolder, userFolder} from '../desktop.ts';
import {ShellHost} from '../host.ts';
import {setupAssets, WINDOW_URL} from './assets.ts';
import {setupIpc} from './ipc.ts';
import {setupNavigation} from './navigation.ts';
import {readOpened, setupOpening} from './opening.ts';
import {setupPermissions} from './permissions.ts';
import {setupQuitting} from './quitting.ts';
import {setupQuiet, setupRequests} from './requests.ts';
import {openElectronStudio} from './studio.ts';
import {setupWindow} from './window.ts';

export interface ElectronOptions {
  /** The repository, or where the program is installed. */
  readonly root: string;
  readonly version: string;
  /** `engineWorker.ts`, bundled. */
  readonly worker: URL;
  /** The module of the gateway's process, bundled. */
  readonly gateway: URL;
  /** `liveLoad.ts`, bundled. */
  readonly live: URL;
  /** `preload.ts`, bundled. */
  readonly preload: string;
  /** The built renderer. */
  readonly renderer: string;
}

/** The product's shell. Call it at once: a scheme has its privileges before Electron is ready, or never. */
export async function startElectron(options: ElectronOptions): Promise<void> {
  const {root, version, worker, gateway, live, preload, renderer} = options;
  if (!app.requestSingleInstanceLock()) return app.quit();
  protocol.registerSchemesAsPrivileged([{scheme: 'app', privileges: {standard: true, secure: true}}]);
  // movies are the same each time: chromiumStudio.ts says why
  app.commandLine.appendSwitch('disable-partial-raster');
  setupQuiet();
  setupNavigation();
  const opened = readOpened(process.argv, process.cwd());
  const studioPages = new Set<WebContents>();
  let window: BrowserWindow | undefined;
  const host = new ShellHost({
    shell: 'electron',
    root,
    version,
    worker,
    gateway,
    live,
    opened,
    openStudio: () => openElectronStudio(preload, studioPages),
    moviesFolder: moviesFolder(),
    userFolder: userFolder(),
    showFile: path => shell.showItemInFolder(path),
    // a page may not ask for it: it is a permission
    setFullScreen: isFull => {
      window?.setFullScreen(isFull);
      return true;
    },
  });
  setupOpening(host);
  setupQuitting(host);
  await app.whenReady();
  setupPermissions();
  setupRequests();
  setupAssets(renderer);
  window = setupWindow(preload);
  setupIpc(host, window, studioPages);
  await window.loadURL(WINDOW_URL);
}

import {app, type BrowserWindow, protocol, shell, type WebContents} from 'electron';
import {moviesFolder, userFolder} from '../desktop.ts';
import {ShellHost} from '../shellHost.ts';
import {setupAssets, WINDOW_URL} from './assets.ts';
import {openElectronStudio} from './electronStudio.ts';
import {setupIpc} from './ipc.ts';
import {setupMenu} from './menu.ts';
import {setupNavigation} from './navigation.ts';
import {readOpened, setupOpening} from './opening.ts';
import {setupQuitting} from './quitting.ts';
import {setupPermissions, setupQuiet, setupRequests} from './requests.ts';
import {startUtilityProcess} from './utilityProcess.ts';
import {setupWindow} from './window.ts';

export interface ElectronOptions {
  /** The repository, or the folder where the program is installed. */
  readonly root: string;
  readonly version: string;
  /** The bundled module `engineWorker.ts`. */
  readonly worker: URL;
  /** The bundled module of the gateway's process. */
  readonly gateway: URL;
  /** The bundled module `liveLoad.ts`. */
  readonly live: URL;
  /** Path of the bundled `preload.ts`. */
  readonly preload: string;
  /** Folder of the built renderer. */
  readonly renderer: string;
}

/**
 * Starts the program in Electron. Call it immediately, because a scheme can get its privileges only before Electron is
 * ready.
 */
export async function startElectron(options: ElectronOptions): Promise<void> {
  const {root, version, worker, gateway, live, preload, renderer} = options;
  if (!app.requestSingleInstanceLock()) return app.quit();
  protocol.registerSchemesAsPrivileged([{scheme: 'app', privileges: {standard: true, secure: true}}]);
  // with this switch the frames of a movie are always the same: see chromiumStudio.ts
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
    startProcess: startUtilityProcess,
    live,
    opened,
    openStudio: () => openElectronStudio(preload, studioPages),
    moviesFolder: moviesFolder(),
    userFolder: userFolder(),
    showFile: path => shell.showItemInFolder(path),
    // the page itself would need a permission to do this
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
  window = setupWindow(preload, userFolder());
  setupMenu(window);
  setupIpc(host, window, studioPages);
  await window.loadURL(WINDOW_URL);
}

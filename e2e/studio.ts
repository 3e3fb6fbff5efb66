import {StagePage} from '../main/media/movie/stagePage.ts';
import {openChromiumStudio} from '../main/media/studio/chromiumStudio.ts';
import type {DevTools, Studio} from '../main/media/studio/studio.ts';
import type {WebShell} from '../main/shells/webShell.ts';
import {openShell} from './window.ts';

/**
 * What recording a movie needs: the web shell, which is the local server of the program's pages, and a browser without
 * a window (the studio). The studio opens movie stages, which are pages that show a run.
 */
export interface TestStudio {
  readonly shell: WebShell;
  readonly studio: Studio;
  close(): Promise<void>;
}

export async function openStudio(): Promise<TestStudio> {
  const shell = await openShell();
  const studio = await openChromiumStudio(shell);
  return {
    shell,
    studio,
    close: async () => {
      await studio.close();
      await shell.close();
    },
  };
}

/** Opens a movie stage. Returns the stage and the connection to its page. */
export async function openStage(studio: Studio): Promise<{stage: StagePage; devTools: DevTools}> {
  const devTools = await studio.openPage('movie/stage.html');
  return {stage: await StagePage.open({...studio, openPage: () => Promise.resolve(devTools)}), devTools};
}

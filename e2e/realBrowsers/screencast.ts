import type {DevTools} from '../../main/pages/record/devTools.ts';

/** A frame, which the screen of a browser showed from `atMs` on. */
export interface ScreenFrame {
  /** Time from the navigation's start, ms. It is negative for a frame from before the navigation. */
  readonly atMs: number;
  /** A JPEG. */
  readonly picture: Buffer;
}

export interface Screencast {
  /** Stops the recording. Times count from the start of the newest navigation. */
  stop(): Promise<readonly ScreenFrame[]>;
}

/**
 * Records each frame that the page of a DevTools session paints. Chromium takes the frames itself and sends them with
 * their times, so the page does not wait for them.
 */
export async function startScreencast(tools: Pick<DevTools, 'send' | 'listen'>, session: string): Promise<Screencast> {
  const frames: {readonly atS: number; readonly data: string}[] = [];
  const stop = tools.listen(({method, params, sessionId}) => {
    if (sessionId !== session || method !== 'Page.screencastFrame') return;
    frames.push({atS: params['metadata'].timestamp, data: params['data']});
    tools.send('Page.screencastFrameAck', {sessionId: params['sessionId']}, session).catch(() => undefined);
  });
  await tools.send('Page.startScreencast', {format: 'jpeg', quality: 90, everyNthFrame: 1}, session);
  return {
    stop: async () => {
      await tools.send('Page.stopScreencast', {}, session);
      stop();
      const origin = {expression: 'performance.timeOrigin', returnByValue: true};
      const {result} = await tools.send('Runtime.evaluate', origin, session);
      const originMs = (result as {value: number}).value;
      return frames.map(({atS, data}) => ({atMs: 1000 * atS - originMs, picture: Buffer.from(data, 'base64')}));
    },
  };
}

import {messageOf} from '../../../app/base/text.ts';
/**
 * The part of a Chrome DevTools Protocol session that pictures need. Playwright and Electron provide it. In the web
 * edition, an iframe provides the only command that movies need there.
 */
export interface DevTools {
  send(method: string, params?: object): Promise<unknown>;
  /** Closes the page. Calls that have no answer yet fail. */
  close(): Promise<void>;
}

/** Opens the renderer's pages in a browser to take pictures of them. The user does not see these pages. */
export interface Studio {
  /** A text that identifies the browser. Another browser may decode pictures differently. */
  readonly browser: string;
  /** Opens another page of the renderer, by its path, with a `deviceScaleFactor` of 1. */
  openPage(path: string): Promise<DevTools>;
  close(): Promise<void>;
}

/** Thrown if pictures cannot be taken. The message is one line for the user. */
export class MovieError extends Error {
  override readonly name = 'MovieError';

  /** Converts any other error to a MovieError with the first line of its message. */
  static of(error: unknown): MovieError {
    if (error instanceof MovieError) return error;
    const message = messageOf(error);
    return new MovieError(message.split('\n')[0]);
  }
}

/** Thrown when the work was cancelled. */
export const CANCELLED = new MovieError('it was cancelled');

/**
 * Opens a studio, calls `use` with it, and closes it even after an error. An abort closes the studio immediately, so
 * that `use` ends.
 * @throws MovieError
 */
export async function inStudio<T>(
  open: () => Promise<Studio>,
  signal: AbortSignal,
  use: (studio: Studio) => Promise<T>,
): Promise<T> {
  const studio = await open();
  const close = () => void studio.close();
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    return await use(studio);
  } catch (error) {
    throw signal.aborted ? CANCELLED : error;
  } finally {
    signal.removeEventListener('abort', close);
    await studio.close();
  }
}

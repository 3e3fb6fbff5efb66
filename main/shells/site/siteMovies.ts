import {refusal} from '../../../app/base/refusal.ts';
import type {RecordAnswer, RecordingState, RecordRequest} from '../../../app/host/contract.ts';
import type {Movies} from '../movies.ts';
import {DESKTOP} from './desktopOnly.ts';
import {openSiteStudio, whyNoMovies} from './siteStudio.ts';

interface SiteMoviesOptions {
  /** The address of the site's folder, with a slash at its end. */
  readonly root: URL;
  readonly onRecording: (state: RecordingState) => void;
}

/**
 * Records movies. The pages that paint the pictures of a movie are iframes in the window. The browser saves a finished
 * movie as a download.
 */
export class SiteMovies {
  readonly #options: SiteMoviesOptions;
  #movies: Promise<Movies> | undefined;

  constructor(options: SiteMoviesOptions) {
    this.#options = options;
  }

  async record(request: RecordRequest): Promise<RecordAnswer> {
    const missing = whyNoMovies();
    if (missing === undefined) return (await this.#open()).record(request);
    return refusal(
      `Movies need ${missing}, which this browser does not have: use Chrome or Edge and set ` +
        `chrome://flags/#canvas-draw-element to ‘Enabled’, or use ${DESKTOP}`,
    );
  }

  async cancel(): Promise<void> {
    (await this.#movies)?.cancel();
  }

  /** Loads the code that records movies when it is first needed, because most visitors record no movie. */
  #open(): Promise<Movies> {
    const {root, onRecording} = this.#options;
    this.#movies ??= import('../movies.ts').then(
      ({Movies}) => new Movies({openStudio: async () => openSiteStudio(root), folder: '', showFile: null, onRecording}),
    );
    return this.#movies;
  }
}

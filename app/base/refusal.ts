import type {Problem} from './schema.ts';

/** The answer to a request that could not be carried out. */
export interface Refusal {
  readonly ok: false;
  /** What is wrong with the document that was given. Empty if something else is at fault. */
  readonly problems: readonly Problem[];
  /** One line for people. */
  readonly message: string;
  /** The page that the request names by its hash is no longer held. Opening the page again helps. */
  readonly isPageGone?: true;
}

export function refusal(message: string, problems: readonly Problem[] = []): Refusal {
  return {ok: false, problems, message};
}

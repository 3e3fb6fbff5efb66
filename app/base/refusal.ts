import type {Problem} from './schema.ts';
import {messageOf} from './text.ts';

/** The answer to a request that could not be carried out. */
export interface Refusal {
  readonly ok: false;
  /** The problems of the given document. The list is empty if the request failed for another reason. */
  readonly problems: readonly Problem[];
  /** One line for the user that states why the request failed. */
  readonly message: string;
  /**
   * Set if the page with the hash in the request is no longer in memory. The caller can open the page again and repeat
   * the request.
   */
  readonly isPageGone?: true;
}

/** Refuses a request for a reason other than its document. The message is one line for the user. */
export function refusal(message: string): Refusal {
  return {ok: false, problems: [], message};
}

/** Refuses a request because an error was thrown. */
export function refusalOf(error: unknown): Refusal {
  return refusal(messageOf(error));
}

/**
 * Refuses a document because of its problems, of which a parser reports at most `MOST_PROBLEMS`. A problem's value that
 * is an object or a list becomes null, because some objects cannot be sent between threads.
 */
export function refuseDocument(problems: readonly Problem[]): Refusal {
  const reported = problems.map(problem => {
    const {value} = problem;
    return {...problem, value: typeof value === 'object' ? null : value};
  });
  return {ok: false, problems: reported, message: reported[0]?.message ?? 'not a scenario'};
}

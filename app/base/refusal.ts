import type {Problem} from './schema.ts';
import {messageOf} from './text.ts';

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

/** Refuses a request for another reason than its document. The message is one line for the user. */
export function refusal(message: string): Refusal {
  return {ok: false, problems: [], message};
}

/** Refuses a request because of what was thrown. */
export function refusalOf(error: unknown): Refusal {
  return refusal(messageOf(error));
}

/**
 * Refuses a document because of its problems. The answer has only the first ones, without values that cannot be sent
 * between threads.
 */
export function refuseDocument(problems: readonly Problem[]): Refusal {
  const told = problems.slice(0, MOST_PROBLEMS).map(problem => {
    const {value} = problem;
    return {...problem, value: typeof value === 'object' ? null : value};
  });
  return {ok: false, problems: told, message: told[0]?.message ?? 'not a scenario'};
}

/** Most problems in an answer, and more than a reader takes in. A document may have a million of them. */
const MOST_PROBLEMS = 100;

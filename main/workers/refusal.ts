import type {Problem} from '../../app/base/schema.ts';
import type {Refusal} from '../../app/host/contract.ts';

/** Refuses a call of the contract. The message is one line for the user. */
export function refusal(message: string): Refusal {
  return {ok: false, problems: [], message};
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

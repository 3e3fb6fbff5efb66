import type {Problem} from '../../app/base/schema.ts';
import type {Slice} from './sessionState.ts';

/** A message that the window shows until the user dismisses it. */
export interface Notice {
  readonly title: string;
  readonly lines: readonly string[];
  /** A button that may solve the problem. */
  readonly action?: NoticeAction;
}

export interface NoticeAction {
  readonly label: string;
  readonly act: () => void;
}

/** Shows the notice of a session. A newer notice replaces the previous one. */
export class Notices {
  readonly #state: Slice<{readonly notice: Notice | null}>;

  constructor(state: Slice<{readonly notice: Notice | null}>) {
    this.#state = state;
  }

  /** Shows a notice with the first problems. If there is an action, its button dismisses the notice before it acts. */
  showMessage(title: string, problems: readonly Pick<Problem, 'message'>[] = [], action?: NoticeAction): void {
    this.show({title, lines: fewLines(problems.map(({message}) => message))});
    if (action !== undefined) this.offer(action);
  }

  show(notice: Notice): void {
    this.#state.set({notice});
  }

  /** Adds a button to the notice on screen, if there is a notice. The button dismisses the notice before it acts. */
  offer({label, act}: NoticeAction): void {
    const {notice} = this.#state.get();
    if (notice === null) return;
    const dismissAndAct = (): void => {
      this.dismiss();
      act();
    };
    this.show({...notice, action: {label, act: dismissAndAct}});
  }

  dismiss(): void {
    this.#state.set({notice: null});
  }

  /** Dismisses this notice, unless a newer one has replaced it. */
  dismissOnly(notice: Notice): void {
    if (this.#state.get().notice === notice) this.dismiss();
  }
}

function fewLines(all: readonly string[]): readonly string[] {
  const lines = all.slice(0, MOST_LINES);
  const more = all.length - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

/**
 * The largest number of problems that a notice lists. A file can have a million problems, and nobody corrects more than
 * a few at a time.
 */
const MOST_LINES = 8;

import type {Problem} from '../../app/base/schema.ts';
import type {Slice} from './state.ts';

/** What the window tells its user until it is dismissed. */
export interface Notice {
  readonly title: string;
  readonly lines: readonly string[];
  /** What may help. */
  readonly action?: NoticeAction;
}

export interface NoticeAction {
  readonly label: string;
  readonly act: () => void;
}

/** The one notice of a session: a newer one takes the place of the one before. */
export class Notices {
  readonly #state: Slice<{readonly notice: Notice | null}>;

  constructor(state: Slice<{readonly notice: Notice | null}>) {
    this.#state = state;
  }

  /** The action dismisses the notice first. */
  tell(title: string, problems: readonly Pick<Problem, 'message'>[] = [], action?: NoticeAction): void {
    this.show({title, lines: fewLines(problems.map(({message}) => message))});
    if (action !== undefined) this.offer(action);
  }

  show(notice: Notice): void {
    this.#state.set({notice});
  }

  /** Adds an action to the notice, if there is one. The action dismisses the notice first. */
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
}

function fewLines(all: readonly string[]): readonly string[] {
  const lines = all.slice(0, MOST_LINES);
  const more = all.length - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

/** Nobody mends more at once; a file can have a million problems. */
const MOST_LINES = 8;

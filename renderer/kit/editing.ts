import {createContext, useContext} from 'react';
import type {Json} from '../../app/base/json.ts';
import type {Problem} from '../../app/base/schema.ts';

/** The document whose keys the fields set. A key is written as `--set` writes it (`path.loss.down`). */
export interface Editing {
  /** Sets one key in one step of the history. */
  readonly choose: (key: string, value: Json) => void;
  /** Sets one key; edits of the same key up to {@link endEdit} are one step of the history. */
  readonly edit: (key: string, value: Json) => void;
  readonly endEdit: () => void;
  /** A hook: why the last edit of this key was refused; null if it was not. */
  readonly useProblem: (key: string) => Problem | null;
}

export const EditingContext = createContext<Editing | null>(null);

/** @throws Error outside of an EditingContext. */
export function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (editing === null) throw new Error('no document around this field');
  return editing;
}

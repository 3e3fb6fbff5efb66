import {createContext, useContext} from 'react';
import type {Json} from '../../app/base/json.ts';
import type {Problem} from '../../app/base/schema.ts';

/**
 * Sets the keys of the document that the fields edit, such as a scenario. Keys are written as in `--set`
 * (`path.loss.down`).
 */
export interface Editing {
  /** Sets one key. The user can undo this in one step. */
  readonly choose: (key: string, value: Json) => void;
  /** Sets one key. All edits of the same key until {@link endEdit} are undone in one step. */
  readonly edit: (key: string, value: Json) => void;
  readonly endEdit: () => void;
  /** A hook that returns why the edit of this key was refused; null if it was accepted, or when the edit has ended. */
  readonly useProblem: (key: string) => Problem | null;
}

export const EditingContext = createContext<Editing | null>(null);

/** @throws Error outside of an EditingContext. */
export function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (editing === null) throw new Error('this field is outside of an EditingContext');
  return editing;
}

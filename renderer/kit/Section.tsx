import {createContext, type ReactNode, useContext} from 'react';

/** Where it is kept which sections are open, so that this outlives a page that is loaded again. */
export interface Folding {
  /** A hook: whether the section of this name is open. */
  readonly useIsOpen: (name: string) => boolean;
  readonly setOpen: (name: string, isOpen: boolean) => void;
}

export const FoldingContext = createContext<Folding | null>(null);

interface SectionProps {
  readonly name: string;
  readonly title: string;
  /** What is set in it, shown beside the title. */
  readonly hint?: string;
  readonly children: ReactNode;
}

/** A part of the side that folds. @throws Error outside of a FoldingContext. */
export function Section({name, title, hint = '', children}: SectionProps) {
  const folding = useContext(FoldingContext);
  if (folding === null) throw new Error(`nothing keeps whether the section ${name} is open`);
  const isOpen = folding.useIsOpen(name);
  return (
    <details className="section" open={isOpen} onToggle={event => folding.setOpen(name, event.currentTarget.open)}>
      <summary>
        {title}
        {hint !== '' && <span className="hint">{hint}</span>}
      </summary>
      {children}
    </details>
  );
}

import {createContext, type ReactNode, useContext} from 'react';

/** Remembers which sections are open, also when the window is reloaded. */
export interface Folding {
  /** A hook that returns whether the section with this name is open. */
  readonly useIsOpen: (name: string) => boolean;
  readonly setOpen: (name: string, isOpen: boolean) => void;
}

export const FoldingContext = createContext<Folding | null>(null);

interface SectionProps {
  readonly name: string;
  readonly title: string;
  /** A short text about the section's content. It is shown below the title while the section is closed. */
  readonly hint?: string;
  readonly children: ReactNode;
}

/** A section of the window's side bar that can be opened and closed. @throws Error outside of a FoldingContext */
export function Section({name, title, hint = '', children}: SectionProps) {
  const folding = useContext(FoldingContext);
  if (folding === null) throw new Error(`the section ${name} is outside of a FoldingContext`);
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

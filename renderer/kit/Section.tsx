import type {ReactNode} from 'react';
import {useSession, useSessionState} from '../session/context.ts';
import type {SectionName} from '../session/view.ts';

interface SectionProps {
  readonly name: SectionName;
  readonly title: string;
  /** What is set in it, told while it is folded. */
  readonly hint?: string;
  readonly children: ReactNode;
}

/** A part of the side that folds; whether it is open is the view's, and so outlives a page that is loaded again. */
export function Section({name, title, hint = '', children}: SectionProps) {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.openSections.includes(name));
  const keep = (isNow: boolean) => {
    const {openSections} = session.store.getState().view;
    // the element tells of what it was told, too
    if (openSections.includes(name) === isNow) return;
    const others = openSections.filter(each => each !== name);
    session.display.set({openSections: isNow ? [...others, name] : others});
  };
  return (
    <details className="section" open={isOpen} onToggle={event => keep(event.currentTarget.open)}>
      <summary>
        {title}
        {hint !== '' && <span className="hint">{hint}</span>}
      </summary>
      {children}
    </details>
  );
}

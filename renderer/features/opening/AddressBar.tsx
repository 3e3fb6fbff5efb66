import {useEffect, useState} from 'react';
import {useSessionState, useStateOf} from '../../session/context.tsx';
import {BrowserChoice} from './BrowserChoice.tsx';
import {LeftOutButton} from './LeftOutButton.tsx';
import {OPENER} from './pageOpener.ts';
import {pageAddress, readTypedAddress} from './typedAddress.ts';
import './opening.css';

/** The address of the page on screen. The user can type or paste another address. */
export function AddressBar() {
  const opener = useStateOf(OPENER);
  const page = useSessionState(state => state.scenario.page);
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const value = typed ?? pageAddress(page) ?? '';
  const type = (text: string | null) => {
    setTyped(text);
    setProblem(null);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page on screen replaces the typed text
  useEffect(() => type(null), [page]);
  return (
    <form
      className="address"
      onSubmit={event => {
        event.preventDefault();
        const read = readTypedAddress(value);
        setProblem(read.problem);
        if (read.address !== null) opener.openAddress(read.address);
      }}
    >
      <input
        id="address"
        type="text"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        aria-label="address of a page"
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : 'address-problem'}
        placeholder="address of a page"
        title="the address of a page: Enter fetches it (Ctrl L)"
        value={value}
        onChange={event => type(event.target.value)}
        onFocus={event => event.target.select()}
        onKeyDown={event => {
          if (event.key !== 'Escape') return;
          // Escape discards the typed text, and must not close anything else
          event.stopPropagation();
          type(null);
          event.currentTarget.blur();
        }}
      />
      {/* this element is hidden when the form loses the focus, so a click on the element must keep the focus here */}
      <div className="address-more" tabIndex={-1}>
        {problem !== null && (
          <p className="address-problem" id="address-problem" role="alert">
            {problem}
          </p>
        )}
        <BrowserChoice />
      </div>
      <LeftOutButton />
    </form>
  );
}

export function focusAddress(): void {
  document.getElementById('address')?.focus();
}

/**
 * Puts a pasted text into the address bar. If the start screen is open, the text goes to its field for an address. The
 * page is fetched when the user presses Enter.
 */
export function typeAddress(text: string): void {
  // the start screen has its own field for an address
  const inFront = document.querySelector<HTMLElement>('dialog[open] [data-address]');
  if (inFront === null) focusAddress();
  else inFront.focus();
  // inserted as if it were typed, so that undo works in the field
  document.execCommand('insertText', false, text);
}

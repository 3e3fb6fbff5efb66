import {useId, useRef, useState} from 'react';
import {useSession, useStateOf} from '../../session/context.tsx';
import type {DoorProps} from '../feature.ts';
import {BrowserChoice} from './BrowserChoice.tsx';
import {filesOf, openChosen} from './chosenFiles.ts';
import {ENDINGS} from './OpenDialog.tsx';
import {OPENER, showCompared} from './pageOpener.ts';
import {readTypedAddress} from './typedAddress.ts';

/** Opens the user's own page from the start screen, with the path and the transports that are chosen there. */
export function PageDoor({leave}: DoorProps) {
  const session = useSession();
  const opener = useStateOf(OPENER);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const id = useId();
  const show = showCompared(session);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        const read = readTypedAddress(typed);
        setProblem(read.problem);
        if (read.address === null) return;
        opener.openAddress(read.address, show);
        leave();
      }}
    >
      <label htmlFor={id}>Its address</label>
      <input
        id={id}
        data-address
        type="text"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="example.org"
        value={typed}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${id}-problem`}
        onChange={event => {
          setTyped(event.target.value);
          setProblem(null);
        }}
      />
      {problem !== null && (
        <p className="refused" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      <BrowserChoice />
      <p className="dim">It loads over the transports and the path that ‘Compare transports’ shows.</p>
      <p className="dim drop-here">
        Or drop the page’s files on this window: a folder, .html, .har, .mhtml, .zip, pictures.
      </p>
      <p className="door-buttons">
        <button type="submit" className="primary">
          Open
        </button>
        <button type="button" onClick={() => file.current?.click()}>
          A file…
        </button>
        <input
          ref={file}
          type="file"
          multiple
          hidden
          accept={ENDINGS}
          onChange={({target}) => {
            const files = filesOf(target.files);
            target.value = '';
            if (files.length === 0) return;
            leave();
            void openChosen(session, files, show);
          }}
        />
      </p>
    </form>
  );
}

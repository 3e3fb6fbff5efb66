import {type ChangeEvent, useEffect, useRef} from 'react';
import {useStore} from 'zustand';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {SavePageButton} from '../../session/SavePageButton.tsx';
import {filesOf, openChosen} from './chosenFiles.ts';
import {OPENER} from './pageOpener.ts';
import {AddTraces} from './TraceFilePanes.tsx';

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** Lets the user choose a folder. React supports this attribute, but its types lack it. */
    webkitdirectory?: '';
  }
}

/** A dialog that opens files and folders, and lists the pages that were opened before. */
export function OpenDialog() {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.dialog === 'open');
  const close = () => session.display.closeDialog('open');
  const dialog = useModal(isOpen);
  const [file, folder] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const first = useRef<HTMLButtonElement>(null);
  // otherwise the first page in the list would have the focus
  useEffect(() => {
    if (isOpen) first.current?.focus();
  }, [isOpen]);
  const open = ({target}: ChangeEvent<HTMLInputElement>) => {
    const files = filesOf(target.files);
    // the value is cleared, so that the same file can be chosen again
    target.value = '';
    close();
    void openChosen(session, files);
  };
  return (
    <>
      <dialog ref={dialog} className="open" onClose={close}>
        <h2>Open</h2>
        <p>
          You can open a page, a scenario, a story, trace files or captures. A page is a folder, an .html, .har, .mhtml
          or .zip file, a trace of Chromium (.json), or pictures, which become a gallery. Trace files open side by side,
          and so do captures of other programs: packets (.pcapng, .pcap, with a key log), qlog (.qlog, .sqlog), and
          network logs of Chromium (.json). You can also drop any of these on the window.
        </p>
        <KeptPages />
        <p className="dialog-buttons">
          <button ref={first} type="button" className="primary" onClick={() => file.current?.click()}>
            Files…
          </button>
          <button type="button" onClick={() => folder.current?.click()}>
            A folder…
          </button>
          <AddTraces onChosen={close}>Add traces…</AddTraces>
          <button type="button" onClick={close}>
            Close
          </button>
        </p>
      </dialog>
      <input ref={file} id="open-file" type="file" multiple hidden accept={ENDINGS} onChange={open} />
      <input ref={folder} id="open-folder" type="file" hidden onChange={open} webkitdirectory="" />
    </>
  );
}

function KeptPages() {
  const session = useSession();
  const opener = useStateOf(OPENER);
  const kept = useStore(session.pages.store);
  if (kept.length === 0) return null;
  return (
    <>
      <h3>Opened before</h3>
      <ul className="kept-pages">
        {kept.map(each => (
          <li key={each.page.bundle}>
            <button
              type="button"
              className="kept-page quiet"
              title={each.page.name}
              onClick={() => {
                session.display.closeDialog('open');
                opener.openKept(each);
              }}
            >
              {each.page.name}
            </button>
            <span>{sizeText(each.bytes)}</span>
            <SavePageButton page={each.page} className="quiet">
              Save
            </SavePageButton>
          </li>
        ))}
      </ul>
    </>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The files that the dialog offers: how their names end, and all pictures. */
export const ENDINGS = [
  '.json',
  '.trace',
  '.gz',
  '.html',
  '.htm',
  '.xhtml',
  '.har',
  '.pcapng',
  '.pcap',
  '.qlog',
  '.sqlog',
  '.keys',
  '.log',
  '.txt',
  '.mhtml',
  '.mht',
  '.zip',
  'image/*',
].join(',');

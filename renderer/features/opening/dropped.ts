import {messageOf} from '../../../app/base/text.ts';
import {isScenarioLink} from '../../../app/run/scenario/link.ts';
import type {Session} from '../../session/session.ts';
import {openChosen} from './chosenFiles.ts';
import {OPENER, type PathFile, type Show} from './pageOpener.ts';
import {typedAddress} from './typedAddress.ts';

/**
 * Opens dropped files and folders, or a dropped link. It reads the dropped data before its first `await`, because the
 * browser clears the data when the event has ended. If what was dropped is a page, `show` is called with it. Without
 * `show`, the page is loaded with the path and the panes on screen.
 */
export async function openDropped(session: Session, dropped: DataTransfer, show?: Show): Promise<void> {
  const link = dropped.getData('text/uri-list') || dropped.getData('text/plain');
  const found = [...dropped.items]
    .filter(({kind}) => kind === 'file')
    .map(item => item.webkitGetAsEntry() ?? item.getAsFile());
  if (found.length === 0) return openLink(session, link, show);
  const files: PathFile[] = [];
  try {
    for (const each of found) await collect(each, files);
  } catch (error) {
    session.stateOf(OPENER).fail(`What was dropped cannot be read: ${messageOf(error)}`);
    return;
  }
  if (files.length === 0) session.stateOf(OPENER).fail('What was dropped has no files');
  else await openChosen(session, files, show);
}

/** Opens the link of a scenario or the address of a page. */
function openLink(session: Session, text: string, show?: Show): void {
  // only the first link of a list is opened; lines that begin with # are comments (RFC 2483 §5)
  const link = text.split(/\r?\n/).find(line => line !== '' && !line.startsWith('#')) ?? '';
  // the link of a web edition is an address, too, but not of a page to fetch
  if (isScenarioLink(link)) {
    session.documents.open({name: 'the link', text: link});
    return;
  }
  const address = /^(https?|sctp):/i.test(link) ? typedAddress(link) : null;
  if (address !== null) session.stateOf(OPENER).openAddress(address, show);
}

async function collect(found: FileSystemEntry | File | null, files: PathFile[]): Promise<void> {
  if (found === null) return;
  if (found instanceof File) return add({path: found.name, file: found}, files);
  if (isFile(found)) {
    const file = await new Promise<File>((resolve, reject) => found.file(resolve, reject));
    return add({path: found.fullPath.replace(/^\//, ''), file}, files);
  }
  const reader = (found as FileSystemDirectoryEntry).createReader();
  // each call returns some of the entries; an empty list means that there are no more
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (entries.length === 0) return;
    for (const entry of entries) await collect(entry, files);
  }
}

function add(file: PathFile, files: PathFile[]): void {
  if (files.length === MOST_FILES) throw new RangeError(`there are more than ${MOST_FILES} files`);
  files.push(file);
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

/** The largest number of files in one drop. The host accepts more, but pages have far fewer files. */
const MOST_FILES = 10_000;

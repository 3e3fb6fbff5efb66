import type {Session} from '../../session/session.ts';
import type {PathFile, Show} from './pageOpener.ts';

// The code that recognises files is loaded when the user chooses some.

/** Opens files as a page, captures, trace files, a scenario or a story. The names and contents of the files decide. */
export async function openChosen(session: Session, files: readonly PathFile[], show?: Show): Promise<void> {
  const {openChosen} = await import('./openChosen.ts');
  await openChosen(session, files, show);
}

/** Shows trace files or captures beside the run on screen. */
export async function addChosen(session: Session, files: readonly PathFile[]): Promise<void> {
  const {addChosen} = await import('./openChosen.ts');
  await addChosen(session, files);
}

/** The files that the user chose. The path of a file from a chosen folder begins with the folder's name. */
export function filesOf(list: FileList | null): readonly PathFile[] {
  return [...(list ?? [])].map(file => ({path: file.webkitRelativePath || file.name, file}));
}

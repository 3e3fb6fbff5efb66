import {Icon} from '../../kit/Icon.tsx';
import {useSession} from '../../session/context.tsx';
import type {Session} from '../../session/session.ts';
import type {Feature} from '../feature.ts';
import {PaletteDialog} from './PaletteDialog.tsx';

/** Finds every command, preset, view, page, story and setting by a few letters of its name. */
export const palette: Feature = {
  name: 'palette',
  toolbar: [{group: 'window', Entry: PaletteButton}],
  keys: [
    {key: 'Ctrl k', group: 'window', text: 'find a command, preset, page or setting by its name', act: openPalette},
  ],
  help:
    'Press Ctrl K and type a few letters to find any command, view, preset, story, page or setting. Choosing a setting ' +
    'goes to its field. To set a setting at once, type its name and a value, as in ‘loss 5’.',
  dialogs: [{name: 'palette', region: 'the list of commands', View: PaletteDialog}],
};

function PaletteButton() {
  const session = useSession();
  return (
    <button
      type="button"
      onClick={() => openPalette(session)}
      title="find a command, preset, page or setting (Ctrl K)"
      aria-keyshortcuts="Control+K"
    >
      <Icon name="search" /> Find
    </button>
  );
}

function openPalette({display, pages}: Session): void {
  display.openDialog('palette');
  void pages.read();
}

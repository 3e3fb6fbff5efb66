import {createRoot} from 'react-dom/client';
import {windowStorage} from '../kit/storage.ts';
import {SPEAKER_CHANNEL} from './messages.ts';
import {SpeakerView} from './SpeakerView.tsx';
import {SpeakerLink} from './speakerLink.ts';

/** Shows the speaker view in the page. It has no host: it learns everything from the windows that show runs. */
export function openSpeakerView(holder: HTMLElement): void {
  document.title = 'Speaker view – Interleave';
  const link = new SpeakerLink(new BroadcastChannel(SPEAKER_CHANNEL));
  createRoot(holder).render(<SpeakerView link={link} storage={windowStorage()} />);
  // the view is ready even if no window answers; it says then that there is none
  document.documentElement.dataset['state'] = 'ready';
}

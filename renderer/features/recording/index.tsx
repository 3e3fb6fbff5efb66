import {useSession} from '../../session/context.tsx';
import type {Feature} from '../feature.ts';
import {RecordDialog} from './RecordDialog.tsx';
import {RecordingNotice} from './RecordingNotice.tsx';
import {RECORDER} from './recorder.ts';

/** Records the run on screen as a movie, a still picture, a filmstrip or a drawing of its timeline. */
export const recording: Feature = {
  name: 'recording',
  state: RECORDER,
  toolbar: [{group: 'tools', Entry: RecordButton}],
  keys: [
    {
      key: 'r',
      group: 'show',
      text: 'record a movie or a picture',
      act: session => session.display.openDialog('record'),
    },
  ],
  dialogs: [{name: 'record', region: 'the recording', View: RecordDialog}],
  notice: RecordingNotice,
};

function RecordButton() {
  const {display} = useSession();
  return (
    <button type="button" onClick={() => display.openDialog('record')} title="record a movie or a picture (R)">
      Record
    </button>
  );
}

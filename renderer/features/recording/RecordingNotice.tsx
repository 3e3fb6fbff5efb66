import {useStore} from 'zustand';
import type {RecordingState} from '../../../app/host/contract.ts';
import {useStateOf} from '../../session/context.tsx';
import {RECORDER} from './recorder.ts';

/** The progress of a recording, or its result. */
export function RecordingNotice() {
  const recorder = useStateOf(RECORDER);
  const state = useStore(recorder.store);
  switch (state.kind) {
    case 'idle':
      return null;
    case 'busy':
      return (
        <div className="notice calm" role="status">
          <p>{progressText(state)}</p>
          <progress value={state.frames === 0 ? undefined : state.done} max={state.frames || 1} />
          <button type="button" onClick={() => recorder.cancel()}>
            Cancel
          </button>
        </div>
      );
    case 'done':
      return (
        <div className="notice calm" role="status">
          <p>Recorded {state.path}</p>
          {state.canShow && (
            <button type="button" onClick={() => recorder.showFile(state.path)}>
              Show file
            </button>
          )}
          <button type="button" onClick={() => recorder.dismiss()}>
            Dismiss
          </button>
        </div>
      );
    case 'failed':
      return (
        <div className="notice" role="alert">
          <p>{state.message}.</p>
          <button type="button" onClick={() => recorder.dismiss()}>
            Dismiss
          </button>
        </div>
      );
  }
}

function progressText({done, frames, leftMs}: Extract<RecordingState, {kind: 'busy'}>): string {
  if (frames === 0) return 'Laying out the pictures';
  const left = leftMs === null ? '' : `, ${Math.ceil(leftMs / 1000)} s left`;
  return `Recording frame ${done} of ${frames}${left}`;
}

import {OpeningNotice} from '../features/opening/OpeningNotice.tsx';
import {RecordingNotice} from '../features/recording/RecordingNotice.tsx';
import {SeedsNotice} from '../features/seeds/SeedsNotice.tsx';
import {useSession, useSessionState} from '../session/context.ts';

/** What went wrong, in front of everything until it is dismissed. */
export function Notices() {
  const session = useSession();
  const engine = useSessionState(state => state.engine);
  const notice = useSessionState(state => state.notice);
  return (
    <div className="notices" aria-live="assertive">
      {engine.state !== 'ready' && (
        <div className="notice" role="alert">
          <p>{engine.message} The scenario is kept.</p>
          {engine.state === 'restarted' && (
            <button type="button" onClick={() => session.retry()}>
              Compute it again
            </button>
          )}
        </div>
      )}
      {notice !== null && (
        <div className="notice" role="alert">
          <p>{notice.title}</p>
          <ul>
            {notice.lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two lines can be alike
              <li key={index}>{line}</li>
            ))}
          </ul>
          {notice.action !== undefined && (
            <button type="button" onClick={notice.action.act}>
              {notice.action.label}
            </button>
          )}
          <button type="button" onClick={() => session.dismissNotice()}>
            Dismiss
          </button>
        </div>
      )}
      <OpeningNotice />
      <RecordingNotice />
      <SeedsNotice />
    </div>
  );
}

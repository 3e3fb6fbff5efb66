import {useFeatures} from '../features/feature.ts';
import {useSession, useSessionState} from '../session/context.tsx';

/**
 * Shows messages below the toolbar: that the engine has failed, the session's notice until it is dismissed, and the
 * notices of features.
 */
export function Notices() {
  const {screen, notices} = useSession();
  const features = useFeatures();
  const engine = useSessionState(state => state.engine);
  const notice = useSessionState(state => state.notice);
  return (
    <div className="notices" aria-live="assertive">
      {engine.state !== 'ready' && (
        <div className="notice" role="alert">
          <p>{engine.message} The scenario is kept.</p>
          {engine.state === 'restarted' && (
            <button type="button" onClick={() => screen.retry()}>
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
              // biome-ignore lint/suspicious/noArrayIndexKey: two lines can have the same text
              <li key={index}>{line}</li>
            ))}
          </ul>
          {notice.action !== undefined && (
            <button type="button" onClick={notice.action.act}>
              {notice.action.label}
            </button>
          )}
          <button type="button" onClick={() => notices.dismiss()}>
            Dismiss
          </button>
        </div>
      )}
      {features.map(({name, notice: Own}) => Own !== undefined && <Own key={name} />)}
    </div>
  );
}

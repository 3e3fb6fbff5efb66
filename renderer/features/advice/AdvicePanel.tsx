import {useEffect, useMemo, useState} from 'react';
import {useStore} from 'zustand';
import {type Pane, pipelineOf} from '../../../app/pipelines/index.ts';
import {shortNames} from '../../../app/pipelines/paneLabels.ts';
import {paneDocument} from '../../../app/run/scenario/document.ts';
import {absentHelpText} from '../../../app/study/advice/adviceTexts.ts';
import type {Aim} from '../../../app/study/advice/aims.ts';
import {advisedPane} from '../../../app/study/advice/candidates.ts';
import {Icon} from '../../kit/Icon.tsx';
import type {Theme} from '../../kit/objectColours.ts';
import {useEye, useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {AdviceProgress} from './AdviceProgress.tsx';
import {AimChoice} from './AimChoice.tsx';
import {AimColumn} from './AimColumn.tsx';
import {ADVISER, type AdviceRequest, advisedPanes, browserPanes, isSameRequest} from './adviser.ts';
import {LargestCause} from './LargestCause.tsx';

/**
 * Shows the advice for several aims, side by side. An aim is a time that should be short. Each choice of a setting here
 * can be undone in one step.
 */
export function AdvicePanel({run, theme}: {readonly run: ShownRun; readonly theme: Theme}) {
  const session = useSession();
  const adviser = useStateOf(ADVISER);
  const eye = useEye();
  const isMeasuring = useSessionState(state => state.qualityProgress !== null);
  const {request: asked, answers, helps, problem} = useStore(adviser.store);
  const shown = useStore(adviser.shown);
  const [seeds, setSeeds] = useState(asked?.seeds ?? USUAL_SEEDS);
  const request: AdviceRequest = useMemo(() => ({run, eye, seeds}), [run, eye, seeds]);
  const isOwn = asked !== null && isSameRequest(asked, request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after changes of the request, the user has to ask again
  useEffect(() => {
    if (!isMeasuring && (asked === null || !isSameRequest({...asked, seeds}, request))) void adviser.ask(request);
  }, [isMeasuring]);
  const names = useMemo(() => shortNames(asked?.run.scenario.panes ?? []), [asked]);
  const advised = useMemo(() => advisedPane(run.scenario), [run]);
  const isOfOther = asked !== null && !isSameRequest({...asked, seeds}, request);
  // called only if the advice is for the scenario on screen, so `side` is the index of one of this scenario's panes
  const setSide = (side: number, pane: Pane) => {
    const panes = run.scenario.panes.map(paneDocument);
    session.history.chooseAll([['panes', panes.with(side, paneDocument(pane))]]);
  };
  return (
    <>
      <header className="advice-head">
        <h2>Advice</h2>
        <AimChoice adviser={adviser} />
        <AdviceProgress
          adviser={adviser}
          request={request}
          isOwn={isOwn}
          isMeasuring={isMeasuring}
          seeds={seeds}
          onSeeds={setSeeds}
        />
        <button
          type="button"
          className="quiet"
          onClick={() => session.display.closeDialog('advice')}
          title="close (Esc)"
          aria-label="close the advice"
        >
          <Icon name="close" />
        </button>
      </header>
      {problem !== null && <p className="refused">Stopped: {problem}</p>}
      {isOfOther && (
        <p className="advice-other">This advice is for earlier settings. Press Advise for the current ones.</p>
      )}
      {answers !== null && asked !== null && (
        <div className="advice-aims">
          {answers.streams.aims
            .filter(({aim}) => shown.includes(aim.name))
            .map(own => (
              <AimColumn
                key={own.aim.name}
                own={own}
                answers={answers}
                helps={helps}
                names={names}
                theme={theme}
                isOfOther={isOfOther}
                onSet={pane => session.history.chooseAll([['panes', advisedPanes(run.scenario, advised, pane)]])}
                onSetBrowser={pane => session.history.chooseAll([['panes', browserPanes(run.scenario, pane)]])}
                onSetSide={setSide}
              />
            ))}
        </div>
      )}
      <footer className="dim">
        {answers !== null && !isOfOther && <LargestCause run={run} />}
        <p>
          Browsers offer HTTP/2, HTTP/3, and HTTP/1.1 on six connections. These are computed with TLS, and with every
          scheduler that a server can have. No browser offers {pipelineOf(advised.pane.pipeline).label}: it is computed
          with several numbers of streams, each with every scheduler. All settings have the same seeds. Bars are 95 %
          confidence intervals. Click a point to apply its setting. The settings were chosen on these seeds. The help
          that the program proposes is measured on other seeds.
        </p>
        {helps !== null && helps.plan.absent.length > 0 && (
          <p>{helps.plan.absent.map(each => absentHelpText(each, names)).join('. ')}.</p>
        )}
        {answers?.streams.absent
          .filter(aim => shown.includes(aim.name))
          .map(aim => (
            <p key={aim.name}>{absentText(aim, eye !== null)}</p>
          ))}
      </footer>
    </>
  );
}

/** Why there is no advice for an aim. */
function absentText({isSeen, label}: Aim, isMeasured: boolean): string {
  const why = isSeen && !isMeasured ? 'the page’s pictures are not measured' : 'the page has no pictures';
  return `No advice for ‘${label}’: ${why}.`;
}

const USUAL_SEEDS = 50;

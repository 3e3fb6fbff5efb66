import {useMemo} from 'react';
import type {Pane} from '../../../app/pipelines/index.ts';
import type {AimAdvice, Answers} from '../../../app/study/advice/advice.ts';
import {adviceFigure, candidateAt} from '../../../app/study/advice/adviceFigure.ts';
import {adviceText, browserText, rivalText, standingText} from '../../../app/study/advice/adviceTexts.ts';
import type {Candidate} from '../../../app/study/advice/candidates.ts';
import {FigureView} from '../../kit/figure/FigureView.tsx';
import type {FigurePoint} from '../../kit/figure/pointPlaces.ts';
import type {Theme} from '../../kit/objectColours.ts';
import type {AdviserState} from './adviser.ts';
import {HelpBars} from './HelpBars.tsx';

interface AimColumnProps {
  readonly own: AimAdvice;
  readonly answers: Answers;
  /** The changes that may help. Null until they are measured. */
  readonly helps: AdviserState['helps'];
  /** The names of the sides. */
  readonly names: readonly string[];
  readonly theme: Theme;
  /**
   * Whether the advice is for other settings than those on screen. If so, the changes that {@link HelpBars} shows
   * cannot be applied.
   */
  readonly isOfOther: boolean;
  /** Puts this pane, which has streams, among the sides, as {@link advisedPanes} does. */
  readonly onSet: (pane: Pane) => void;
  /** Puts this pane, whose pipeline is one that browsers offer, among the sides, as {@link browserPanes} does. */
  readonly onSetBrowser: (pane: Pane) => void;
  readonly onSetSide: (side: number, pane: Pane) => void;
}

/**
 * Shows the advice for one aim, which is a time that should be short: a sentence about the pipelines of browsers, a
 * sentence about streams, a chart with the best point marked, and what else would help. Buttons apply the advice.
 */
export function AimColumn({own, answers, helps, names, theme, isOfOther, ...sets}: AimColumnProps) {
  const {streams: advice, browsers} = answers;
  const {onSet, onSetBrowser, onSetSide} = sets;
  const other = browsers.aims.find(({aim}) => aim === own.aim);
  const browser = browsers.candidates[other?.best ?? -1];
  const rival = helps?.rivals.find(({aim}) => aim === own.aim);
  const figure = useMemo(() => adviceFigure(own, advice), [own, advice]);
  const best = advice.candidates[own.best];
  const isBest = (point: FigurePoint) => candidateAt(advice, point) === own.best;
  const textOf = (point: FigurePoint) => {
    const place = candidateAt(advice, point);
    const [candidate, standing] = [advice.candidates[place], own.standings[place]];
    if (candidate === undefined || standing === undefined) return [];
    return [...standingText(candidate, standing), 'Click to apply this setting'];
  };
  const open = (point: FigurePoint) => {
    const candidate = advice.candidates[candidateAt(advice, point)];
    if (candidate !== undefined) onSet(candidate.pane);
  };
  return (
    <section className="advice-aim" data-aim={own.aim.name} aria-label={own.aim.label}>
      <h3>{own.aim.label}</h3>
      <p className="advice-browsers">{other !== undefined && browserText(other, browsers)}</p>
      <SetButton candidate={browser} onSet={onSetBrowser} />
      <p className="advice-streams">
        {adviceText(own, advice)} {rival !== undefined && rivalText(rival)}
      </p>
      <SetButton candidate={best} onSet={onSet} />
      {figure !== null && <FigureView figure={figure} theme={theme} isOnShow={isBest} textOf={textOf} onOpen={open} />}
      {helps !== null && (
        <HelpBars
          names={names}
          isOfOther={isOfOther}
          aim={own.aim}
          helped={helps.helped}
          seeds={advice.seeds}
          onSet={onSetSide}
        />
      )}
    </section>
  );
}

/** A button that puts the candidate's pane among the sides. This can be undone in one step. */
function SetButton({
  candidate,
  onSet,
}: {
  readonly candidate: Candidate | undefined;
  readonly onSet: (pane: Pane) => void;
}) {
  if (candidate === undefined) return <span />;
  return (
    <button type="button" onClick={() => onSet(candidate.pane)} title="apply this setting; Ctrl Z undoes it">
      Set {candidate.name}
    </button>
  );
}

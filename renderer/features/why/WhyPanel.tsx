import {useMemo, useState} from 'react';
import {unbroken} from '../../../app/base/text.ts';
import {durationText, momentText, objectName} from '../../../app/run/trace/traceTexts.ts';
import {causeKind} from '../../../app/run/why/causeKinds.ts';
import {whySentence} from '../../../app/run/why/causeTotals.ts';
import {causeColour} from '../../../app/study/figures/causeColours.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {interventionsIn} from '../../run/why/savedCauses.ts';
import {useSavedCauses} from '../../run/why/useSavedCauses.ts';
import {MOMENTS, type Moment, objectsOf, rowsOf, type Side, sideOf, type WhyRow} from '../../run/why/whyTable.ts';
import {ClosePanelButton} from '../../session/ClosePanelButton.tsx';
import {useEye, useSession, useSessionState} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {namesOf, unalikeOf} from '../../session/sources.ts';
import {ObjectDifferences} from './ObjectDifferences.tsx';
import './why.css';

interface WhyPanelProps {
  readonly run: ShownRun;
  readonly theme: Theme;
}

/** Two panes' times by cause: a bar for each of them, a table with the differences, and one sentence. */
export function WhyPanel({run, theme}: WhyPanelProps) {
  const [moment, setMoment] = useState<Moment>('finish');
  // only `recognisable` depends on the measured quality, and only `object` on the selected object; a change of the
  // quality or the selection must not compute the other moments again
  const ownEye = useEye();
  const eye = moment === 'recognisable' ? ownEye : null;
  const selected = useSessionState(state => (moment === 'object' ? state.selected : null));
  const [picked, setChosen] = useState<readonly [number, number] | null>(null);
  const chosen = picked ?? ([0, firstOther(run)] as const);
  const last = run.traces.length - 1;
  const [one, other] = [Math.min(chosen[0], last), Math.min(chosen[1], last)];
  const sides = useMemo(() => {
    const of = (pane: number) => sideOf(run, pane, moment, eye, selected);
    return [of(one), of(other)] as const;
  }, [run, one, other, moment, eye, selected]);
  const shown = useMemo(() => (one === other ? sides.slice(0, 1) : sides), [sides, one, other]);
  const rows = rowsOf(sides);
  const names = namesOf(run);
  const isAlone = one === other;
  const hasOtherPage = unalikeOf(run).page;
  const problem = absenceOf(sides);
  return (
    <section className="why" aria-label="where the time went">
      <header className="why-head">
        <p className="why-sentence" aria-live="polite">
          {hasOtherPage && !isAlone && 'The sides load different pages. '}
          {problem !== '' ? problem : isAlone ? aloneText(sides[0]) : unbroken(whySentence(sides[0], sides[1]))}
        </p>
        <div className="why-controls">
          <select
            aria-label="the moment"
            title="which moment is explained"
            value={moment}
            onChange={event => setMoment(MOMENTS.find(each => each === event.target.value) ?? 'finish')}
          >
            {MOMENTS.map(each => (
              <option key={each} value={each}>
                {MOMENT_WORDS[each]}
              </option>
            ))}
          </select>
          {run.traces.length > 2 &&
            ([0, 1] as const).map(place => (
              <select
                key={place}
                aria-label={place === 0 ? 'the first side' : 'the second side'}
                value={[one, other][place]}
                onChange={event => {
                  const pane = Number(event.target.value);
                  setChosen(place === 0 ? [pane, other] : [one, pane]);
                }}
              >
                {names.map((name, pane) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
                  <option key={pane} value={pane}>
                    {name}
                  </option>
                ))}
              </select>
            ))}
          <ClosePanelButton shortcut="Shift W" />
        </div>
      </header>
      {(problem === '' || !isAlone) && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls, so the keyboard must reach it
        <section className="why-body" aria-label="causes of the time" tabIndex={0}>
          {problem === '' && <Bars sides={shown} theme={theme} />}
          {problem === '' && <CausesTable rows={rows} sides={sides} theme={theme} />}
          {!isAlone && <ObjectDifferences run={run} sides={sides} />}
          {problem === '' && <Saved run={run} sides={shown} />}
          {problem === '' && <PathObjects run={run} sides={hasOtherPage ? sides.slice(0, 1) : sides} theme={theme} />}
        </section>
      )}
    </section>
  );
}

/** The pane with which pane 0 is compared by default: the first pane of another file, or else pane 1. */
function firstOther({sources}: ShownRun): number {
  const other = sources?.findIndex(({file}) => file !== sources[0]?.file) ?? -1;
  return other < 0 ? 1 : other;
}

function absenceOf(sides: readonly Side[]): string {
  return [
    ...new Set(sides.flatMap(({name, absence}) => (absence === '' ? [] : [`${name} has no time: ${absence}.`]))),
  ].join(' ');
}

function aloneText({name, totalNs}: Side): string {
  return `${name} needs ${momentText(totalNs)}.`;
}

/** A bar for each side. All bars have the same scale. Their parts are causes, in the order of `CAUSE_KINDS`. */
function Bars({sides, theme}: {readonly sides: readonly Side[]; readonly theme: Theme}) {
  const longestNs = Math.max(...sides.map(({totalNs}) => totalNs), 1);
  return (
    // the table has the same numbers
    <div className="why-bars" aria-hidden="true">
      {sides.map(({pane, name, totals, totalNs}) => (
        <div className="why-bar" key={pane}>
          <span className="why-name">{name}</span>
          <span className="why-parts">
            {totals.map(({name: cause, ns}) => (
              <span
                key={cause}
                title={`${causeKind(cause).label}: ${durationText(ns)}`}
                style={{width: `${(100 * ns) / longestNs}%`, background: causeColour(cause, theme)}}
              />
            ))}
            <b>{momentText(totalNs)}</b>
          </span>
        </div>
      ))}
    </div>
  );
}

interface CausesTableProps {
  readonly rows: readonly WhyRow[];
  readonly sides: readonly [Side, Side];
  readonly theme: Theme;
}

function CausesTable({rows, sides, theme}: CausesTableProps) {
  const [first, second] = sides;
  const isAlone = first.pane === second.pane;
  const mostNs = Math.max(...rows.map(({moreNs}) => Math.abs(moreNs)), 1);
  const totalNs = second.totalNs - first.totalNs;
  return (
    <table className="why-table">
      <thead>
        <tr>
          <th scope="col">cause</th>
          <th scope="col">{first.name}</th>
          {!isAlone && <th scope="col">{second.name}</th>}
          {!isAlone && (
            <th scope="col" colSpan={2}>
              difference
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {(isAlone ? rows : bySize(rows)).map(({name, label, ns, moreNs}) => (
          <tr key={name}>
            <th scope="row" title={causeKind(name).about}>
              <span style={{color: causeColour(name, theme)}}>■</span> {label}
            </th>
            <td>{timeText(ns[0])}</td>
            {!isAlone && <td>{timeText(ns[1])}</td>}
            {!isAlone && <td>{differenceText(moreNs)}</td>}
            {!isAlone && (
              <td aria-hidden="true">
                <Difference share={moreNs / mostNs} colour={causeColour(name, theme)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">total</th>
          <td>{timeText(first.totalNs)}</td>
          {!isAlone && <td>{timeText(second.totalNs)}</td>}
          {!isAlone && <td>{differenceText(totalNs)}</td>}
          {!isAlone && <td />}
        </tr>
      </tfoot>
    </table>
  );
}

/** The rows with the largest difference first, because the sentence names these. */
function bySize(rows: readonly WhyRow[]): readonly WhyRow[] {
  return rows.toSorted((a, b) => Math.abs(b.moreNs) - Math.abs(a.moreNs));
}

function timeText(ns: number): string {
  return ns === 0 ? '–' : durationText(ns);
}

/** Returns a text such as `+ 1.10 s` or `− 52 ms`; `=` if there is no difference. */
function differenceText(ns: number): string {
  return ns === 0 ? '=' : `${ns < 0 ? '−' : '+'} ${durationText(Math.abs(ns))}`;
}

/** A bar to the left (less) or to the right (more) of a middle line. */
function Difference({share, colour}: {readonly share: number; readonly colour: string}) {
  const [from, width] = share < 0 ? [50 + 50 * share, -50 * share] : [50, 50 * share];
  return (
    <span className="why-difference">
      <span style={{left: `${from}%`, width: `${width}%`, background: colour}} />
    </span>
  );
}

/**
 * A button that loads the page again for each cause that can be taken away, without this cause. Afterwards the button
 * is replaced by a table with the time that each of these loads saves, and the time that was attributed to its cause.
 */
function Saved({run, sides}: {readonly run: ShownRun; readonly sides: readonly Side[]}) {
  const [asked, setAsked] = useState<readonly Side[] | null>(null);
  // for other sides, for example after the run has changed, the user has to press the button again
  const isAsked = asked === sides;
  const found = useSavedCauses(run, isAsked ? sides : null);
  const hasAny = useMemo(() => sides.some(side => interventionsIn(run, side).length > 0), [run, sides]);
  if (!hasAny) return null;
  if (!isAsked)
    return (
      <p className="why-ask">
        <button
          type="button"
          onClick={() => setAsked(sides)}
          title="for each cause that can be taken away, load the page again without it"
        >
          What would be saved without a cause?
        </button>
      </p>
    );
  if (found === null) return <p className="why-ask">For each cause, the page is loaded again without it…</p>;
  if ('problem' in found) return <p className="refused">{found.problem}</p>;
  return (
    <table className="why-table why-saved">
      <caption>
        What a load without a cause saves, and what is attributed to this cause. The two need not be equal.
      </caption>
      <thead>
        <tr>
          <th scope="col">if</th>
          <th scope="col">on</th>
          <th scope="col">saved</th>
          <th scope="col">attributed</th>
        </tr>
      </thead>
      <tbody>
        {found.map(({name, pane, label, attributedNs, savedNs}) => (
          <tr key={`${pane} ${name}`}>
            <th scope="row">{label}</th>
            <td>{sides.find(side => side.pane === pane)?.name}</td>
            <td>{savedNs === null ? 'never complete' : differenceText(savedNs).replace(/^\+ /, '')}</td>
            <td>{durationText(attributedNs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The objects on the critical paths. An object is highlighted while the pointer or the focus is on it. */
function PathObjects({
  run,
  sides,
  theme,
}: {
  readonly run: ShownRun;
  readonly sides: readonly Side[];
  readonly theme: Theme;
}) {
  const {hover, select} = useSession().highlights;
  const selected = useSessionState(state => state.selected);
  const trace = run.traces[sides[0]?.pane ?? 0];
  return (
    <p className="why-objects">
      The critical path goes through{' '}
      {objectsOf(sides).map(object => (
        <button
          key={object}
          type="button"
          className="quiet"
          aria-pressed={object === selected}
          title="highlight this object; to explain its time, choose the moment ‘the chosen object’"
          onFocus={() => hover([object])}
          onBlur={() => hover([])}
          onMouseEnter={() => hover([object])}
          onMouseLeave={() => hover([])}
          onClick={() => select(object === selected ? null : object)}
        >
          <span style={{color: objectColour(object, theme)}}>■</span>{' '}
          {trace === undefined ? '' : objectName(trace, object)}
        </button>
      ))}
    </p>
  );
}

const MOMENT_WORDS: {readonly [M in Moment]: string} = {
  finish: 'page complete',
  recognisable: 'all pictures recognisable',
  lcp: 'largest paint (LCP)',
  object: 'the chosen object',
};

import {useMemo} from 'react';
import {showName} from '../../../app/base/text.ts';
import {durationText, momentText} from '../../../app/run/trace/traceTexts.ts';
import {causeKind} from '../../../app/run/why/causeKinds.ts';
import {byDifference, diffRuns, type ObjectDiff} from '../../../app/run/why/runDiff.ts';
import type {Side} from '../../run/why/whyTable.ts';
import type {ShownRun} from '../../session/loads.ts';
import {whyOf} from '../../session/sources.ts';

interface ObjectDifferencesProps {
  readonly run: ShownRun;
  readonly sides: readonly [Side, Side];
}

/**
 * Compares each object of one side with the object of the other side that has the same address. Shows the objects whose
 * times differ most, and why they differ.
 */
export function ObjectDifferences({run, sides: [first, second]}: ObjectDifferencesProps) {
  const [one, other] = [first.pane, second.pane];
  const objects = useMemo(() => {
    const [own, their] = [run.traces[one], run.traces[other]];
    if (own === undefined || their === undefined) return [];
    return diffRuns({trace: own, options: whyOf(run, one)}, {trace: their, options: whyOf(run, other)}).objects;
  }, [run, one, other]);
  const differing = byDifference(objects).filter(({moreNs}) => moreNs !== 0);
  const apart = [first, second].flatMap(({name}, i) => {
    const missing = objects.filter(({isThere}) => isThere[i] === false);
    return missing.length === 0 ? [] : [`${namesOf(missing)} ${missing.length === 1 ? 'is' : 'are'} not in ${name}`];
  });
  if (differing.length === 0 && apart.length === 0) return null;
  return (
    <table className="why-table why-differing">
      <caption>
        When each object was complete, the largest differences first.{apart.length > 0 && ` ${apart.join('; ')}.`}
      </caption>
      <thead>
        <tr>
          <th scope="col">object</th>
          <th scope="col">{first.name}</th>
          <th scope="col">{second.name}</th>
          <th scope="col">difference</th>
          <th scope="col">mostly</th>
        </tr>
      </thead>
      <tbody>
        {differing.slice(0, MOST_ROWS).map(each => (
          <tr key={each.url}>
            <th scope="row">{showName(each.url, LONGEST_URL)}</th>
            {each.sides.map((side, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a side is identified by its position
              <td key={i}>{side === null ? '–' : momentText(side.ns)}</td>
            ))}
            <td>{signedText(each.moreNs)}</td>
            <td>{mostlyText(each)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The cause that has most of an object's difference: `window: slow start − 300 ms`. */
function mostlyText({causes}: ObjectDiff): string {
  const [largest] = causes.toSorted((a, b) => Math.abs(b.ns) - Math.abs(a.ns));
  return largest === undefined ? '' : `${causeKind(largest.name).label} ${signedText(largest.ns)}`;
}

function signedText(ns: number): string {
  return `${ns < 0 ? '−' : '+'} ${durationText(Math.abs(ns))}`;
}

function namesOf(objects: readonly ObjectDiff[]): string {
  const more = objects.length - MOST_NAMES;
  const names = objects.slice(0, MOST_NAMES).map(({url}) => showName(url, LONGEST_URL));
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The largest number of rows. `interleave diff --json` gives all rows. */
const MOST_ROWS = 20;
const MOST_NAMES = 3;
const LONGEST_URL = 40;

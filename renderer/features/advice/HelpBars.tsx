import type {Pane} from '../../../app/pipelines/index.ts';
import {doubtText, helpText, seconds, withInterval} from '../../../app/study/advice/adviceTexts.ts';
import type {Aim} from '../../../app/study/advice/aims.ts';
import {type Helped, isSignificant} from '../../../app/study/advice/helps.ts';

interface HelpBarsProps {
  readonly aim: Aim;
  /** What each change saves, for all aims. */
  readonly helped: readonly Helped[];
  /** The number of seeds on which the savings were measured. */
  readonly seeds: number;
  /** The names of the sides. */
  readonly names: readonly string[];
  /** Whether the changes cannot be applied, because another scenario is on screen. */
  readonly isOfOther: boolean;
  readonly onSet: (side: number, pane: Pane) => void;
}

/** Shows how much each change improves an aim, as bars on one scale. A click on a bar applies the change. */
export function HelpBars({aim, helped, seeds, names, isOfOther, onSet}: HelpBarsProps) {
  const own = helped.filter(each => each.aim === aim).toSorted((a, b) => b.savedMs - a.savedMs);
  const most = Math.max(1, ...own.map(({savedMs}) => Math.abs(savedMs)));
  return (
    <>
      <p>{helpText(own, names, seeds)}</p>
      <ul className="advice-helps">
        {own.map(each => (
          <li key={`${each.side} ${each.help}`}>
            <button
              type="button"
              disabled={isOfOther}
              className={isSignificant(each) ? 'advice-help' : 'advice-help unsure'}
              title={`${savedText(each)} of ${seconds(each.ofMs)}; click to apply it`}
              onClick={() => onSet(each.side, each.pane)}
            >
              <span>
                {names[each.side]}: {each.label}
              </span>
              <span className="dim">{savedText(each)}</span>
              <span className="advice-scale">
                <span
                  className={each.savedMs < 0 ? 'advice-bar later' : 'advice-bar'}
                  style={{width: `${(100 * Math.abs(each.savedMs)) / most}%`}}
                />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** For example `saves 1.97 ± 0.12 s` or `0.40 ± 0.10 s later`. The text says if the difference may be chance. */
function savedText(each: Helped): string {
  const time = withInterval(Math.abs(each.savedMs), each.ci95Ms);
  const text = each.savedMs < 0 ? `${time} later` : `saves ${time}`;
  const doubt = doubtText(each);
  return doubt === '' ? text : `${text}, ${doubt}`;
}

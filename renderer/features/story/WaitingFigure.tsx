import {objectColour} from '../../kit/objectColours.ts';
import {useTheme} from '../../kit/useTheme.ts';
import {useSessionState} from '../../session/context.tsx';

/**
 * A figure of what the story on the start screen is about: packets of four pictures, one of which is lost. If all data
 * has one order, every packet after the lost packet waits. If each picture has its own stream, only later packets of
 * the same picture wait.
 */
export function WaitingFigure() {
  const theme = useTheme(useSessionState(state => state.view.theme));
  return (
    <svg className="waiting-figure" viewBox="0 0 300 118" role="img" aria-label={LABEL}>
      {ROWS.map(({title, waits}, row) => (
        <g key={title} transform={`translate(0 ${row * ROW_HEIGHT})`}>
          <text y={14}>{title}</text>
          {Array.from({length: PACKETS}, (_, k) => {
            const state = k === LOST ? 'lost' : k > LOST && waits(k) ? 'waits' : 'there';
            const colour = objectColour(FIRST_COLOUR + (k % PICTURES), theme);
            const x = k * STEP + 1;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a packet is identified by its place
              <g key={k} data-state={state} style={{color: colour}}>
                <rect x={x} y={22} width={STEP - 7} height={STEP - 7} rx={3} />
                {state === 'lost' && <path d={`M${x + 6} 28l14 14m0-14l-14 14`} />}
              </g>
            );
          })}
        </g>
      ))}
    </svg>
  );
}

const PACKETS = 9;
const PICTURES = 4;
/** The index of the lost packet. */
const LOST = 2;
const STEP = 33;
const ROW_HEIGHT = 68;
/** The index of the colour of a page's first picture. The colours before it belong to the page's HTML and its logo. */
const FIRST_COLOUR = 2;

const ROWS: readonly {readonly title: string; readonly waits: (k: number) => boolean}[] = [
  {title: 'One order for all data: 6 packets wait', waits: () => true},
  {title: 'A stream for each picture: 1 waits', waits: k => k % PICTURES === LOST % PICTURES},
];

const LABEL = `One of ${PACKETS} packets is lost. ${ROWS.map(({title}) => title).join('. ')}.`;

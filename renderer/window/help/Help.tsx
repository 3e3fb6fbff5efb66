import {useLayoutEffect, useState} from 'react';
import {useFeatures} from '../../features/feature.ts';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import {KEY_NAMES, shortcutsOf} from '../keyboard.ts';
import {numberPlaces, type PlacedCallout, placedCallouts} from './callouts.ts';
import './help.css';

/**
 * The help. Its first page is the window itself: each part of the window has a number, and a list says what the parts
 * are. In small windows there is only the list. The second page lists the keys, and the third one explains more.
 */
export function Help() {
  const isOpen = useSessionState(state => state.view.dialog === 'help');
  const session = useSession();
  const dialog = useModal(isOpen);
  const [page, setPage] = useState<Page>('window');
  const callouts = usePlacedCallouts(isOpen);
  return (
    <dialog ref={dialog} className="help" aria-label="Help" onClose={() => session.display.closeDialog('help')}>
      {isOpen && page === 'window' && <Numbers callouts={callouts} />}
      <div className="help-card" data-page={page}>
        <fieldset className="segments">
          {PAGES.map(([name, label]) => (
            <button key={name} type="button" aria-pressed={page === name} onClick={() => setPage(name)}>
              {label}
            </button>
          ))}
        </fieldset>
        <div className="help-page" data-page="window">
          <h2>What you see</h2>
          <ol className="callouts">
            {callouts.map(({name, text, area}, i) => (
              <li key={name}>
                <button
                  type="button"
                  className="quiet"
                  aria-label={`${i + 1}: show ${name}`}
                  onFocus={event => mark(event, area)}
                  onBlur={unmark}
                  onMouseEnter={event => mark(event, area)}
                  onMouseLeave={unmark}
                >
                  {i + 1}
                </button>
                <span>
                  <strong>{name}.</strong> {text}
                </span>
              </li>
            ))}
          </ol>
        </div>
        <div className="help-page" data-page="keys">
          <h2>Keys</h2>
          <Keys />
        </div>
        <div className="help-page" data-page="more">
          <h2>More</h2>
          <More />
        </div>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </div>
    </dialog>
  );
}

type Page = (typeof PAGES)[number][0];

const PAGES = [
  ['window', 'What you see'],
  ['keys', 'Keys'],
  ['more', 'More'],
] as const;

/** The parts of the window that are in sight, found again when the window changes its size. */
function usePlacedCallouts(isOpen: boolean): readonly PlacedCallout[] {
  const {player} = useSession();
  const [callouts, setCallouts] = useState<readonly PlacedCallout[]>([]);
  // before the dialog is painted, so that it never shows an empty list
  useLayoutEffect(() => {
    if (!isOpen) return;
    const find = () => setCallouts(placedCallouts(player.tNs));
    // the timeline draws itself again after the window has its new size
    const later = () => requestAnimationFrame(() => requestAnimationFrame(find));
    find();
    window.addEventListener('resize', later);
    return () => window.removeEventListener('resize', later);
  }, [isOpen, player]);
  return callouts;
}

/** The numbers over the parts of the window. The list beside them has the same numbers for screen readers. */
function Numbers({callouts}: {readonly callouts: readonly PlacedCallout[]}) {
  const places = numberPlaces(callouts);
  return (
    <div className="help-numbers" aria-hidden="true">
      {callouts.map(({name}, i) => (
        <span key={name} style={{left: places[i]?.x, top: places[i]?.y}}>
          {i + 1}
        </span>
      ))}
      <div className="help-mark" />
    </div>
  );
}

/** Frames the part of the window that an entry of the list is about. */
function mark({currentTarget}: {readonly currentTarget: Element}, {x, y, width, height}: PlacedCallout['area']): void {
  const frame = currentTarget.closest('dialog')?.querySelector<HTMLElement>('.help-mark');
  if (frame != null)
    frame.style.cssText = `display: block; left: ${x}px; top: ${y}px; width: ${width}px; height: ${height}px`;
}

function unmark({currentTarget}: {readonly currentTarget: Element}): void {
  const frame = currentTarget.closest('dialog')?.querySelector<HTMLElement>('.help-mark');
  if (frame != null) frame.style.cssText = '';
}

function Keys() {
  return (
    <dl className="keys">
      {shortcutsOf(useFeatures()).map(({key, text}) => (
        <div key={key}>
          <dt>
            <kbd>{KEY_NAMES[key] ?? key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The third page: what is explained neither by the numbers in the window nor by the list of keys. */
function More() {
  return (
    <>
      <p>
        The path loses packet k of a direction in every pane or in none, whatever it carries. If losses apply only to
        packets with data, k counts only the packets with data. Other packets can be lost in one pane alone: a queue or
        a policer drops packets in each pane for itself, and the user can drop a packet in a single pane. Point at a
        cross to highlight the objects that the loss delayed. A diamond is a packet that the queue marked (ECN); nothing
        was lost, and the sender reduces its rate. Click a packet to see its headers, chunks and options, and its fate.
      </p>
      <p>
        The RTT view shows each server’s SRTT and RTO (PTO for QUIC), or the browser’s in a live load, on a logarithmic
        scale, so that each doubling of the RTO is a step of the same height. A line marks each timer that fired: the
        line of a retransmission timeout ends in a block, the line of QUIC’s probe timeout ends in a frame, and the line
        of a tail loss probe is dashed. Lines of the server’s timers are red, lines of the browser’s timers are grey.
      </p>
      <p>
        If several panes share a graph, their lines have different dashes. In the percent view, three or more panes in
        one graph have one line each, for the whole page. The line of a single object appears while the pointer is on
        the object.
      </p>
      <p>
        The quality of an incomplete picture is its similarity (SSIM) to the complete picture. The percent view counts
        bytes, scans or visual progress. If it shows visual progress, the bold line is that of the whole page.
      </p>
      <p>
        The time t, the set-up time and ‘complete at’ are measured from navigation, so they include the handshake. The
        papers’ page time T and silent time are measured from the first request, so they do not include it. A scenario
        that loads the page as in the papers is compared by T, and every other one by the time of the whole page from
        navigation. An incomplete load has no page time, PPage or silent time. An image that the server does not have
        (404) is shown as broken in every pane, and is not counted.
      </p>
      {useFeatures().map(({name, help}) => help !== undefined && <p key={name}>{help}</p>)}
    </>
  );
}

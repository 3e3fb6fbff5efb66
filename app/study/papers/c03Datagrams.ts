import {ARRIVALS, CATP, CATP_TWICE, DATAGRAMS, MEASURES, PAGES, TCP, UDP} from './c03Grids.ts';
import {openRow, orderRow} from './claimRows.ts';
import type {Results} from './gridResults.ts';
import {inSeconds, type Measured, minus, scaled} from './measured.ts';
import {BETWEEN_ARRIVALS} from './measures.ts';
import {measuredText} from './numberText.ts';
import type {Claim} from './paper.ts';
import {leastOf} from './verdict.ts';

/** C03's claims about in-order UDP and CATP. */
export const DATAGRAM_CLAIMS: readonly Claim[] = [
  {
    text: 'CATP’s silent time stays nearly flat as loss grows (we take "nearly flat" as: from 1 to 10 % it grows by less than half of TCP’s growth)',
    source: 'C03, figures 11–13',
    rows: results => PAGES.flatMap(({page, text}) => BOTH.map(measures => flatRow(results, page, text, measures))),
    why: results => PAGES.map(({page, text}) => abstractText(results, page, text)),
  },
  {
    text: 'In-order UDP lies between TCP and CATP in silent time',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) => BOTH.flatMap(measures => betweenRows(results, page, text, measures))),
    why: results => [
      ...PAGES.map(({page, text}) => growthText(results, page, text)),
      ...PAGES.map(({page, text}) => matchingText(results, page, text)),
    ],
  },
  {
    text: 'TCP is slightly ahead at low loss, because CATP’s server throttles its rate',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) => {
        const cell = datagramsAt(results, page, 0);
        const [theirs] = BOTH;
        const behind = minus(silence(results, page, 0, CATP, theirs), silence(results, page, 0, TCP, theirs));
        return [
          orderRow(
            `${text}, no loss, ${theirs.name}`,
            'TCP ahead',
            behind,
            's',
            leastOf(silence(results, page, 0, TCP, theirs)),
          ),
          ...(['silentMs', 'pageTimeMs'] as const).map(metric => {
            const later = inSeconds(cell.difference(CATP, TCP, metric));
            const least = leastOf(inSeconds(cell.mean(TCP, metric)));
            return orderRow(`${text}, no loss, ${MEASURES[metric]}`, 'TCP ahead', later, 's', least);
          }),
        ];
      }),
    why: results => [firstText(results)],
  },
  {
    text: 'A long tag distance makes in-order UDP’s silent time longer (10 % loss)',
    source: 'C03, figure 14',
    rows: results =>
      BOTH.map(measures => {
        const [short, long] = PAGES.map(({page}) => silence(results, page, 0.1, UDP, measures));
        const where = `50 KB with tag distance 20 frames minus 10 KB with 5 frames, ${measures.name}`;
        if (short === undefined || long === undefined) return openRow(where, 'longer', 'no runs');
        return orderRow(where, 'longer', minus(long, short), 's');
      }),
    why: results => [tagText(results)],
  },
];

/**
 * The two ways to measure silent time. The first is C03's. For TCP and UDP, C03 measured how long data waits for
 * earlier data. CATP's data never waits for earlier data, so for CATP, C03 measured the time between two arrivals. The
 * second is the longest time without a change on the page, for TCP, UDP and CATP.
 */
const BOTH = [
  {
    name: 'C03’s measures',
    metrics: {[TCP]: 'longestWaitMs', [UDP]: 'longestWaitMs', [CATP]: BETWEEN_ARRIVALS},
  },
  {name: MEASURES.silentMs, metrics: {[TCP]: 'silentMs', [UDP]: 'silentMs', [CATP]: 'silentMs'}},
] as const;

interface Measures {
  readonly name: string;
  readonly metrics: {readonly [P in Side]: string};
}

type Side = typeof TCP | typeof UDP | typeof CATP;

/** A pane's silent time, s. */
function silence(results: Results, page: string, loss: number, pane: Side, {metrics}: Measures): Measured {
  const metric = metrics[pane];
  const at = {page, 'path.loss': loss};
  return inSeconds(
    metric === BETWEEN_ARRIVALS
      ? results.at(ARRIVALS.name, at).mean(1, metric)
      : results.at(DATAGRAMS.name, at).mean(pane, metric),
  );
}

function growth(results: Results, page: string, pane: Side, measures: Measures, from: number): Measured {
  return minus(silence(results, page, 0.1, pane, measures), silence(results, page, from, pane, measures));
}

/** Tests "nearly flat": from 1 to 10 % loss, CATP's silent time must grow by less than half of TCP's growth. */
function flatRow(results: Results, page: string, text: string, measures: Measures) {
  const [tcps, catps] = ([TCP, CATP] as const).map(pane => growth(results, page, pane, measures, 0.01));
  const where = `${text}, ${measures.name}: half of TCP’s growth from 1 to 10 %, minus CATP’s growth`;
  if (tcps === undefined || catps === undefined) return openRow(where, 'flat', 'no runs');
  const row = orderRow(where, 'above 0', minus(scaled(tcps, 0.5), catps), 's');
  return {...row, ours: `${row.ours} (TCP ${measuredText(tcps, 's')}, CATP ${measuredText(catps, 's')})`};
}

function betweenRows(results: Results, page: string, text: string, measures: Measures) {
  const cell = datagramsAt(results, page, 0.1);
  const lead = (slower: Side, faster: Side) => {
    const metric = measures.metrics[slower];
    return metric === measures.metrics[faster]
      ? inSeconds(cell.difference(slower, faster, metric))
      : minus(silence(results, page, 0.1, slower, measures), silence(results, page, 0.1, faster, measures));
  };
  return [
    orderRow(`${text}, 10 %, ${measures.name}: TCP minus UDP`, 'longer', lead(TCP, UDP), 's'),
    orderRow(`${text}, 10 %, ${measures.name}: UDP minus CATP`, 'longer', lead(UDP, CATP), 's'),
  ];
}

function datagramsAt(results: Results, page: string, loss: number) {
  return results.at('datagrams', {page, 'path.loss': loss});
}

/** A sentence about losses of the abstract frame, which describes the page. Without this frame no data is shown. */
function abstractText(results: Results, page: string, text: string): string {
  const cell = datagramsAt(results, page, 0.1);
  const [once, twice] = [CATP, CATP_TWICE].map(pane => measuredText(inSeconds(cell.mean(pane, 'silentMs')), 's'));
  return (
    `${text}, 10 %: over CATP the longest time without a change on the page is ${once}. If each packet of the ` +
    `abstract frame is sent twice, this time is ${twice}.`
  );
}

/**
 * A sentence about how the silent times grow. C03's two measures begin at different values: without loss, no data waits
 * for earlier data, but there is always a time between two arrivals.
 */
function growthText(results: Results, page: string, text: string): string {
  const [theirs] = BOTH;
  const idle = measuredText(silence(results, page, 0, CATP, theirs), 's');
  const [udp, catp] = ([UDP, CATP] as const).map(pane => measuredText(growth(results, page, pane, theirs, 0), 's'));
  return (
    `${text}: by C03’s measures UDP’s silent time begins at 0 without loss, and CATP’s at ${idle}, the time between ` +
    `two packets on the link. From 0 to 10 % UDP’s grows by ${udp} and CATP’s by ${catp}.`
  );
}

/**
 * Compares the silent times of UDP and TCP without loss. UDP shows a text when its end tag has arrived, and TCP shows
 * it earlier.
 */
function matchingText(results: Results, page: string, text: string): string {
  const cell = datagramsAt(results, page, 0);
  const [tcp, udp] = [TCP, UDP].map(pane => measuredText(inSeconds(cell.mean(pane, 'silentMs')), 's'));
  return (
    `${text}, no loss: over UDP, where text is shown when both of its tags have arrived, the longest time without a ` +
    `change is ${udp}. Over TCP it is ${tcp}, because today’s browsers also show text whose end tag has not arrived.`
  );
}

/** Explains the silent times without loss by the first packet that changes the page. */
function firstText(results: Results): string {
  const texts = PAGES.map(({page, text}) => {
    const cell = datagramsAt(results, page, 0);
    const [tcp, catp] = [TCP, CATP].map(pane => measuredText(inSeconds(cell.mean(pane, 'silentMs')), 's'));
    return `${tcp} and ${catp} (${text})`;
  });
  return (
    'Without loss the longest time without a change is the time until the first change. For TCP and CATP it is ' +
    `${texts.join('; ')}. TCP’s first change comes with a full packet. CATP’s comes with its abstract frame, which ` +
    'fills less than one packet on some pages and several packets on others.'
  );
}

function tagText(results: Results): string {
  const texts = PAGES.map(({page, text}) => {
    const ms = datagramsAt(results, page, 0).mean(UDP, 'silentMs');
    return `${measuredText(inSeconds(ms), 's')} (${text})`;
  });
  return `Even without loss in-order UDP shows nothing new for ${texts.join(' and ')}, until the first end tag arrives.`;
}

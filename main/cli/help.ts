import {pipelines} from '../../app/pipelines/index.ts';
import type {Pipeline} from '../../app/pipelines/pipeline.ts';
import {CONVERSION, type Setting} from '../../app/pipelines/setting.ts';
import {PLAIN_BROWSER} from '../../app/pipelines/settingTexts.ts';
import {DEFAULT_THRESHOLDS} from '../../app/run/quality/states.ts';
import {MOST_PANES} from '../../app/run/scenario/scenario.ts';
import {AXES, TIMELINE_NAMES} from '../../app/telling/movie/options.ts';
import {STORY_NAMES} from '../../app/telling/story/story.ts';
import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {GATEWAY_LIMITS} from '../pages/base/gatewayLimits.ts';
import {adviseHelp} from './adviseHelp.ts';
import {EXPERIMENT_TOPICS} from './experimentHelp.ts';
import {pathHelp} from './pathHelp.ts';
import {reproduceHelp} from './reproduceHelp.ts';
import {serveHelp} from './serveHelp.ts';
import {shimHelp} from './shimHelp.ts';

/** The help of a command; the overview if there is none. */
export function help(topic: string | undefined): string {
  // counts what each paper takes
  if (topic === 'reproduce') return reproduceHelp();
  return (topic === undefined ? undefined : TOPICS.get(topic)) ?? OVERVIEW;
}

const OVERVIEW = `interleave: one web page over pipelined TCP and over multistreamed SCTP, on the same lossy path

  interleave run        load a page and print what the papers measure
  interleave typical    which of many seeds is the typical one
  interleave advise     which protocol and streams suit a page and path, and what else would help
  interleave trace      load a page and save everything that happened
  interleave pcap       load a page and save its packets for Wireshark
  interleave qlog       load a page and save what one end of it saw, for qvis
  interleave har        load a page and save its requests, for a browser's DevTools
  interleave record     a movie of a load: the pages, the timeline, what happens
  interleave still      one moment of it as a picture
  interleave filmstrip  several moments in one picture
  interleave experiment every combination of settings and seeds, with statistics
  interleave merge      the parts of an experiment that ran on several machines
  interleave reproduce  the papers' runs again, our numbers beside theirs
  interleave fetch      a page of the web as a folder, which can be loaded like any other
  interleave gateway    fetches pages for other machines
  interleave serve      a page on real sockets, over TCP and SCTP
  interleave path       the emulated path in real time, between a live client and server
  interleave shim       programs that know only TCP, over the streams of SCTP
  interleave presets    the papers' paths and workloads, and some of today
  interleave pages      the pages that come with it
  interleave --version  which version and commit this is: every output says so, but CSV and lists in JSON, whose readers know no such line

A load is computed in virtual time: the same scenario and seed give the same result on every machine.

Start here:
  interleave run --scenario n07-movie                      the papers' demo, at 4.3 % loss
  interleave run --scenario n07-movie --set path.loss=0    and without loss
  interleave run --scenario n08-south-asia --seeds 1-50    fifty runs, with confidence intervals
  interleave run --set path.rttMs=600 --set path.loss.down=0.02 --set panes[1].streams=4

interleave help COMMAND explains one; interleave help scenario explains what --set can set.
`;

const TRUST_CHOICE = `  --ca FILE                certificates (PEM) that https servers may have beside those that the system trusts
  --insecure               any certificate will do: whoever is on the way can be the server
`;
const PRIVATE_CHOICE = `  --allow-private          a page's address may be one that is not public (private, loopback, link-local)
${TRUST_CHOICE}`;

const SCENARIO_CHOICE = `  --scenario FILE|PRESET   a scenario file (JSON), the trace file of a run of it (also packed), a link or a preset's
                           name; without it, every default
  --page PAGE              a page's name, an http(s) or sctp address, a folder, an .html, .har, .mhtml or .zip file, a
                           folder of pictures, or the hash of a page that is kept; as a scenario's page may be
${PRIVATE_CHOICE}  --set KEY=VALUE          change one setting, as often as you like: path.loss.down=0.03, panes[1].streams=4,
                           page=gallery-png, seed=7. The value is JSON or a word.
`;

const TOKEN_CHOICE = `  --token HOST:PORT=T      what that live server asks for, and no other is told; @FILE has such lines and is its owner's
                           alone. Or INTERLEAVE_TOKEN, which no other user of the machine sees
`;

const THRESHOLD_CHOICE = `  --recognisable ${DEFAULT_THRESHOLDS.recognisable}      likeness from which on a picture is recognisable, above 0 to 1
  --good ${DEFAULT_THRESHOLDS.good}              and good, up to 1
`;

const LOSS_CHOICE = `  --loss PANE:NUMBER       explain what this lost packet did: 2:14 is the 14th that pane 2 loses, as the window counts
`;

const [usualTimeline, ...otherTimelines] = TIMELINE_NAMES;
const [usualAxis, ...otherAxes] = AXES;
const TRACE_CHOICE = `  --trace FILE             in a scenario's place: a trace file, live or computed, as it happened; --trace again, and
                           their panes stand beside each other: all of up to 6, or else the first of each file
`;

const TITLE_CHOICE = `  --title TEXT             what the page is called on the picture; without it its name, of a path the last part
`;

const LOOK_CHOICE = `  --size 1280x720          640x360 to 3840x2160, even numbers
  --theme light|dark
  --timeline ${usualTimeline?.padEnd(14)}or ${otherTimelines.join(', ')}
  --axis ${usualAxis.padEnd(18)}or ${otherAxes.join(', ')}: what the percent view counts, visual being what is to be seen
${THRESHOLD_CHOICE}${LOSS_CHOICE}${TITLE_CHOICE}  --no-captions            nothing below the panes
  --reveal                 the timeline has nothing after t: it does not give the answer away
`;

const TOPICS: ReadonlyMap<string, string> = new Map([
  [
    'run',
    `interleave run: load a page in every pane and print what the papers measure

${SCENARIO_CHOICE}${TRACE_CHOICE}${TOKEN_CHOICE}  --seeds 1-50             one run per seed, over as many cores as are worth it; 1,2,7 and 1-3,9 work too
  --repeat 30              of a live load: so many loads one after the other, with the statistics of as many seeds
  --json | --csv           everything, for scripts; without either, a table to read
  --visual                 what the eye gets, too: it takes a Chromium or Chrome, and a few seconds the first time
${THRESHOLD_CHOICE}
Times are in ms. Set-up, request, first byte and complete count from the first packet; page time T and PPage
(every object at least P % rendered) from the first GET; PRen from the first GET of an embedded object; silent
is the longest time between the first GET and T in which nothing on the page changed; the longest wait, of a piece of
data behind lost data, is what C03 measured as TCP's. With several seeds: mean ± half-width of the 95 % confidence
interval, median, and each pane's page times against the first pane's, over the runs that are complete in both: the
mean difference run by run, and a Mann-Whitney test. With --repeat the panes of one number were loaded close to each
other, and each pane goes first in its turn; "seed" is the number.

Model T is page time T as the analytic model of L06 (Lee, Atiquzzaman, Sivagurunathan) has it for this path and page:
one connection that begins with one packet, losses of data alone and none without repair in 3/2 round trips, no HOL
blocking over SCTP. Where the scenario has what the model has not, the table says so. --json has it as "model".

A load is complete when every object arrived whole. One that is not has no T, PPage, PRen and silent time and is no
part of means, ratio and test; the table names it, its seed and why. An object that its server does not have (404),
or whose address makes a GET of more than 16384 B, is a broken image on every side: it counts nowhere.

With --visual the page is laid out on a screen of 1024 x 768, and what Chromium decodes of the first bytes of each
picture is compared with the whole one (SSIM, 0 to 1). From that come: when every picture of the page was recognisable
and good; visual progress, the mean over the first screen by area, where text counts when its HTML has come; when that
was 85 and 100 %; and Speed Index, the area above it in ms, as WebPageTest has it. All of them count from the first
packet, and are empty if it never came to that.

With --trace nothing is loaded again: the numbers are of what the files have. The page that a file names must be there
as it was. --json has "traces", and of panes of several runs "sources", each pane's file, scenario and page; "scenario"
is the first one's then, with every pane's settings.

  interleave run --scenario n07-hsdpa --set path.loss=0.1 --seeds 1-50
  interleave run --scenario n07-movie --visual --seeds 1-50
  interleave run --scenario mine.json --json > mine-result.json
  interleave run --trace live.trace --trace computed.trace
`,
  ],
  [
    'typical',
    `interleave typical: which of many seeds is the typical one, so that what is shown is neither lucky nor unlucky

${SCENARIO_CHOICE}  --seeds 1-200            the seeds to look at; 1,2,7 and 1-3,9 work too
  --visual                 Speed Index counts too, with the decoder of the Chromium that is installed
  --json                   {"seed": 37, ...}: the seed, its figures and their quartiles, for scripts

Of every pane page time T and 25, 50 and 75 %Page count, and Speed Index with --visual. The typical seed is the one nearest to the medians of them
all, by the sum of ((value − median) / (q3 − q1))², among the seeds that are complete in every pane and whose figures
are all inside of the quartiles; where no seed is inside of all, among those that are complete, and that is told. Of
two as near it is the smaller.

A scenario can say how its seed was found: typicalOf is the number of seeds, and goes as soon as another setting
changes.

  interleave typical --scenario n07-movie --seeds 1-200
  interleave typical --scenario mine.json --json > typical.json
`,
  ],
  ['advise', adviseHelp(SCENARIO_CHOICE, THRESHOLD_CHOICE)],
  [
    'trace',
    `interleave trace: load a page and save everything that happened

${SCENARIO_CHOICE}${TOKEN_CHOICE}  --out FILE               where to; compressed if it ends in .gz; - is standard output

The file holds the scenario, the page's hash, every object's bytes over time, every packet and its fate, and
what waited for what. The same scenario and seed give the same file, byte for byte. Of a live load that ends early,
also by Ctrl+C, it has what came until then, and the exit code is not 0.

  interleave trace --scenario n07-movie --set seed=7 --out movie.trace
`,
  ],
  [
    'pcap',
    `interleave pcap: load a page in one pane and save its packets (pcapng, nanosecond times)

${SCENARIO_CHOICE}  --pane N                 which pane, from 1 (the first)
  --out FILE               where to; - is standard output

Dropped packets are in the capture too, with a comment that says why they did not arrive: it is taken where they are
sent. Servers with TLS and QUIC's are at port 443. Nothing is encrypted: of TLS Wireshark shows the records, of QUIC the
packets' headers alone, as there are no keys that it could use; interleave qlog has QUIC's frames.

  interleave pcap --scenario n07-movie --pane 2 --out sctp.pcapng
`,
  ],
  [
    'qlog',
    `interleave qlog: load a page in one pane and save what one end of it saw (qlog, a JSON text sequence)

${SCENARIO_CHOICE}  --pane N                 which pane, from 1 (the first)
  --vantage server|client  which end
  --out FILE               where to, .sqlog for qvis; compressed if it ends in .gz; - is standard output

Packets sent and received, what the sender deems lost, and its congestion window, threshold, flight and SRTT, as
draft-ietf-quic-qlog-main-schema-14 has them, with what qvis (qvis.quictools.info) asks for. HTTP/3's are QUIC's own
packets with all their frames, and HTTP/3's frames. TCP and SCTP number no packets: each end's are counted from 0; where
qvis shows streams 0, 4, 8 …, these are SCTP's 0, 1, 2 … and HTTP/2's 1, 3, 5 …. Several connections are groups. What the
path dropped stands there as a marker of the simulation's.

  interleave qlog --scenario n07-movie --pane 2 --out sctp.sqlog
`,
  ],
  [
    'har',
    `interleave har: load a page in one pane and save its requests and their times (HAR 1.2)

${SCENARIO_CHOICE}  --pane N                 which pane, from 1 (the first)
  --content                with what came of each object
  --out FILE               where to, .har for DevTools; compressed if it ends in .gz; - is standard output

Virtual time has no date: the run begins with the year 2000. An object's time counts from when the client found it, and
the first one's from the first packet. A page of the web has its own addresses.

  interleave har --scenario n07-movie --pane 2 --out sctp.har
`,
  ],
  [
    'record',
    `interleave record: a movie of a load, frame by frame

${SCENARIO_CHOICE}${TRACE_CHOICE}  --out FILE               .mp4 (H.264; WebM where this browser cannot encode it), .webm (VP9), .gif or .webp
${LOOK_CHOICE}  --fps 30                 24 to 60; a GIF or WebP from 1 on
  --speed auto             run time per movie time: 0.25 is slow motion; auto: 10 s for a shorter run, a minute for
                           a longer one, and 1 between
  --from=-3s --to=30s      what of the run: t = 0 is its start. Before it stands the title, 1.5 s of the movie
                           after its end the results; without --from and --to the movie has all of it
  --no-title, --no-results
  --story FILE|NAME        a movie of a story, step after step, each with its text and a moment to read it: a file
                           (.story.json) or one that comes with it: ${STORY_NAMES.join(', ')}.
                           Its steps have scenario, timeline, axis, reveal, loss, speed, from and to
  --json                   frames, span and the SHA-256 of all frames, for scripts

Frame k shows t = from + k · speed / fps, painted by Chromium and taken when it is all there: the same scenario
gives the same frames on a fast machine and on a slow one. The movie lasts (to − from) / speed.

  interleave record --scenario n07-movie --out demo.mp4
  interleave record --scenario n07-movie --from 6s --to 12s --speed 0.5 --theme dark --out slow.webm
  interleave record --trace live.trace --trace computed.trace --out both.mp4
  interleave record --story ${STORY_NAMES[0]} --out lecture.mp4
`,
  ],
  [
    'still',
    `interleave still: one moment of a load as a picture

${SCENARIO_CHOICE}${TRACE_CHOICE}  --at 7s                  seconds or, as 700ms, milliseconds
  --out FILE               .png is everything, .svg the timeline with its cursor
  --scale 1                picture px per px of --size, 0.25 to 8
${LOOK_CHOICE}
  interleave still --scenario n07-movie --at 7s --scale 2 --out figure.png
`,
  ],
  [
    'filmstrip',
    `interleave filmstrip: the panes at several times in one picture (PNG), as the papers print them

${SCENARIO_CHOICE}${TRACE_CHOICE}  --at 4s,7s,12s           up to 20 times
  --out FILE               .png
  --scale 1                picture px per px of --size, 0.25 to 8
  --size 1280x720          its width is the picture's; the height is what the rows need
  --theme light|dark
${THRESHOLD_CHOICE}${LOSS_CHOICE}${TITLE_CHOICE}  --scroll                 a long page follows what is read of it; without it, all show the first screen

  interleave filmstrip --scenario n07-movie --at 6s,7s,12s --out figure-15.png
`,
  ],
  ...EXPERIMENT_TOPICS,
  ['presets', 'interleave presets [--json]: scenarios of the papers and of today, each with its source\n'],
  [
    'fetch',
    `interleave fetch URL --out FOLDER: a page of the web as a folder, which can be loaded like any other

  --progressive            JPEG and PNG become ones that can be shown before they are complete, as N07 proposes:
                           progressive JPEGs of their quality, PNGs of the same pixels in passes; never larger.
                           WebP has no such form and AVIF's layers are not made here: both stay
  --allow-private          addresses that are not public (private, loopback, link-local), too
${TRUST_CHOICE}  --gateway http://HOST:PORT  another machine's gateway fetches it (interleave help gateway); or INTERLEAVE_GATEWAY
  --token T                its token, 16 characters at least; or INTERLEAVE_GATEWAY_TOKEN, which no other user of the machine sees
  --json                   what bundle.json says

Fetches the HTML and the style sheets, fonts and pictures that it and they name, and nothing else: no script runs, and
frames, videos and plug-ins stay out. Their addresses become those of files in the folder, texts UTF-8. bundle.json
has every object's address, type, bytes and hash, and what was left out and why. Of srcset and picture it takes one:
the first source without a media condition that browsers show; the candidate for one pixel per CSS pixel, or the
narrowest that is as wide as the width attribute, or as 1024. At most ${GATEWAY_LIMITS.objects} objects, ${GATEWAY_LIMITS.objectBytes / 1e6} MB each and ${GATEWAY_LIMITS.pageBytes / 1e6} MB in all,
${GATEWAY_LIMITS.redirects} redirects, ${GATEWAY_LIMITS.pageMs / 1000} s, ${GATEWAY_LIMITS.memoryBytes / 1e6} MB of memory. As no script runs, what stands in noscript elements
counts, and lazy images load like others. sctp://HOST[:PORT]/PATH is HTTP over the streams of an association in UDP, of
interleave serve (without a token) or a shim's far end; port ${SCTP_UDP_PORT}. An address behind a redirect or a changed answer of the DNS is checked like
the first.

  interleave fetch https://example.org/ --out example
  interleave run --set page=./example --set path.rttMs=600
`,
  ],
  ['serve', serveHelp(PRIVATE_CHOICE)],
  ['path', pathHelp()],
  ['shim', shimHelp()],
  [
    'gateway',
    `interleave gateway --listen [ADDRESS:PORT] --token T: fetches pages for other machines

  --listen 127.0.0.1:8470  where: an IP address of this machine or localhost, a port, or both; without, loopback and a
                           port that is free
  --token T                who asks has to know it: 16 characters at least; or INTERLEAVE_GATEWAY_TOKEN, which no other user
                           of the machine sees
  --allow-private          whoever asks may have addresses that are not public as this machine sees them, too
${TRUST_CHOICE}  --json                   one JSON line for where it listens, then one for each page

Pages are fetched as interleave fetch does, at most four at once, each in a process of its own; nothing is kept. Token
and pages are not encrypted on their way: beyond a network that you trust put a tunnel or a proxy with TLS before it.

  interleave gateway --listen 192.0.2.1:8470 --token T
  interleave fetch https://example.org/ --out example --gateway http://192.0.2.1:8470 --token T
  INTERLEAVE_GATEWAY=http://192.0.2.1:8470 INTERLEAVE_GATEWAY_TOKEN=T npm start    the window, through it
`,
  ],
  ['pages', 'interleave pages [--json]: the pages that come with interleave\n'],
  [
    'scenario',
    `A scenario is one JSON document; every key has a default, and an unknown key is an error.

  page                    gallery | a page's name (interleave pages) | a path to a folder with an index.html | what
                          --page takes: it is opened, kept, and loaded as page.bundle
  page.bundle, page.name  a page from elsewhere that is kept: the hash of its files, and what people call it
  page.synthetic          {indexBytes 3000, objects 10, objectBytes 10000, headerBytes 250, requestBytes 200}
  path.rateBps            1000000   bits per second, whole IP packets
  path.rttMs              350       there and back
  path.loss               0         0 to 1, also {"rate": 0.03}; or bursts {"p", "r", "h", "k"} (Gilbert-Elliott);
                          or {"packets": [3, 17]}
  path.loss.applies       all | data: which packets draw a fate. all: packet k of a direction draws the same fate on
                          every side, whatever it carries. data: only packets with data do, so that the k-th of them
                          is lost on every side
  path.loss.at            entry | exit: where packets are lost. entry: before the queue, as dummynet does it, so that a
                          lost packet takes no rate. exit: behind the link, so that it waits in the queue and takes rate
  path.queuePackets       1000
                          rate, RTT, loss and queue can be {"down": …, "up": …}; down is server to client. The path's
                          RTT is then the mean of rttMs.down and rttMs.up: a direction delays by half of its own
  path.mtuBytes           1500      largest IP packet
  path.live               HOST:PORT of interleave serve: run and trace load from there, in real time; the path's other
                          settings, and those of panes' servers, are then what they are there
  path.tcp                kernel | udp: whose TCP a live pane has, the system's, or that of computed loads in UDP, with
                          the pane's profile
  path.fingerprint        of an h3 pane: SHA-256 of the server's certificate, which interleave serve prints
  panes                   a list of 1 to ${MOST_PANES}, each with a pipeline and its settings; a pane that gets another
                          pipeline keeps the settings that this one has, too
${pipelines().map(pipelineHelp).join('')}${helpRows([
  ['any pipeline', 'what every pane has'],
  ['  conversion', settingHelp(CONVERSION)],
])}  seed                    1
  typicalOf               null      of how many seeds this one is the typical one (interleave typical); changes nothing
                          in the run, and goes as soon as anything else is set
  discovery               streaming | complete: ask for objects as the HTML arrives, or when it is all there
  serverThinkMs           0         before each answer: one after the other, or of a server that writes
                                    several at once, about all at once
  timeLimitMs             3600000   a load that takes longer ends with a reason
  changes                 [{"atMs": 3200, "path": {"loss": {"down": 0.1}}}]: the path changes on the way; some of p, r,
                          h, k, applies, at of a loss keep its others, as in {"loss": {"r": 0.5}}
`,
  ],
]);

function pipelineHelp({name, about, stack, settings, leastMtuBytes, hasPriorities}: Pipeline): string {
  const browser = hasPriorities ? [['', `${PLAIN_BROWSER}; the scheduler says what comes when`] as const] : [];
  const rows = Object.entries(settings).map(([key, setting]) => [`  ${key}`, settingHelp(setting)] as const);
  const least = leastMtuBytes === undefined ? '' : `; path.mtuBytes at least ${leastMtuBytes}`;
  return helpRows([[`pipeline: ${name}`, `${about} (${stack})${least}`], ...browser, ...rows]);
}

function helpRows(rows: readonly (readonly [label: string, text: string])[]): string {
  return rows.map(([label, text]) => `    ${label.padEnd(22)}${text}\n`).join('');
}

/** Its values, the default first, and what they mean. */
function settingHelp(setting: Setting): string {
  const usual = String(setting.default).padEnd(10);
  switch (setting.kind) {
    case 'choice': {
      const others = setting.choices.map(([word]) => word).filter(word => word !== setting.default);
      return `${[setting.default, ...others].join(' | ')}: ${setting.help}`;
    }
    case 'number':
      return `${usual}${setting.least} to ${setting.most}: ${setting.help}`;
    case 'switch':
    case 'send-buffer':
      return `${usual}${setting.help}`;
  }
}

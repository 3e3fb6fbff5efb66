/** Of `advise`; what several commands take alike is given. */
export function adviseHelp(scenarioChoice: string, thresholdChoice: string): string {
  return `interleave advise [SCENARIO]: which protocol, how many streams suit a page and its path, and what else would help

${scenarioChoice}  --aim A,B                of recognisable, speedIndex, firstPicture, complete, pageTime; without it, all that are known
  --seeds 1-50             runs of each way to load the page
  --visual                 all pictures recognisable and Speed Index, too: it takes a Chromium or Chrome; asking for
                           one of them by --aim does it, too
${thresholdChoice}  --jobs N                 threads; as many as there are cores
  --json                   everything, for scripts

All that a browser could use is compared, with TLS: HTTP/1.1 on six connections, HTTP/2 and HTTP/3 with every scheduler
of a server, which browsers ask for all at once. SCTP is what no browser has; N07 (5.3.2) leaves open how to choose its
concurrency. Here every number of streams up to the page's objects is loaded with every scheduler and every seed, in the
first pane that has streams (else SCTP as it would be in place of the first), and the best of it is set beside the best
of what browsers have. There are five aims: all pictures recognisable, Speed Index, the first picture complete, the page
complete (all from the first packet, set-up included) and page time T (from the first GET: a shorter set-up does not show
in it). The best is the least mean; level with it is what these seeds do not tell from it: of all that are level one is
truly the best, with 95 %.

Then each pane is loaded with one thing changed, where it can be: progressive pictures, the best of what browsers have,
the best streams and scheduler (over SCTP where the pane has no streams), a newer stack (profile modern), a round trip
less (0-RTT on a second visit). What TLS costs is measured, too, but nobody's site can leave it out: the sentence tells
what a site could choose, and what no browser has apart from it. What is saved is measured on other seeds than the settings were chosen on, with its 95 % interval; what Wilcoxon's
signed-rank test with Holm's correction does not find is marked as what may be chance.

--json has scenario, page, seeds {chosen, measured}, pane, aims (streams: aim, text, best, now, candidates with meanMs,
medianMs, ci95Ms, behindMs, behindCi95Ms, isLevel, never), browsers (aim, text, best, candidates), rivals (aim, text, browser,
streams, behindMs, ci95Ms, p), absent, helps (pane, help, label, aim, isOption, savedMs, ci95Ms, ofMs, pHolm, settings),
cannot (pane, help, why) and methods, which says how each number comes about.

  interleave advise web-lte --aim speedIndex,complete
  interleave advise n07-movie --visual
  interleave advise --scenario n08-south-asia --set path.loss=0.05 --seeds 1-100 --json > advice.json
`;
}

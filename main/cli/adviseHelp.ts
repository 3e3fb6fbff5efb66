/** Of `advise`; what several commands take alike is given. */
export function adviseHelp(scenarioChoice: string, thresholdChoice: string): string {
  return `interleave advise [SCENARIO]: how many streams suit a page and its path, and what else would help

${scenarioChoice}  --seeds 1-50             runs of each setting
  --visual                 when all pictures are recognisable, too: it takes a Chromium or Chrome
${thresholdChoice}  --jobs N                 threads; as many as there are cores
  --json                   everything, for scripts

N07 (5.3.2) leaves open how to choose the concurrency. Here every number of streams up to the page's objects is loaded
with every scheduler and every seed, in the first pane that has streams (else the first with a scheduler, else SCTP as
it would be in place of none), for three aims: all pictures recognisable, the first picture complete (both from the
first packet) and page time T (from the first GET: a shorter set-up does not show in it). The best is the least mean;
level with it is what these seeds do not tell from it: of all that are level one is truly the best, with 95 %.

Then each pane is loaded with one thing changed, where it can be: progressive pictures, the best streams and scheduler
(over SCTP where the pane has no streams), a newer stack (profile modern), a round trip less (no TLS, or 0-RTT). What
is saved is measured on other seeds than the settings were chosen on, with its 95 % interval; what Wilcoxon's
signed-rank test with Holm's correction does not find is marked as what may be chance.

--json has scenario, page, seeds {chosen, measured}, pane, aims (aim, text, best, now, candidates with meanMs, ci95Ms,
behindMs, behindCi95Ms, isLevel, never), absent, helps (pane, help, label, aim, savedMs, ci95Ms, ofMs, pHolm,
settings), cannot (pane, help, why) and methods, which says how each number comes about.

  interleave advise n07-movie --visual
  interleave advise --scenario n08-south-asia --set path.loss=0.05 --seeds 1-100 --json > advice.json
`;
}

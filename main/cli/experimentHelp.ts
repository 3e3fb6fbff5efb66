import {MOST_SHARDS} from '../../app/study/experiment/shard.ts';

/** The help of experiments: what each command is called, and its text. */
export const EXPERIMENT_TOPICS: readonly (readonly [name: string, text: string])[] = [
  [
    'experiment',
    `interleave experiment FILE --out DIR: every combination of settings, with every seed

  --out DIR                where to: a new folder, or with --resume one that was begun
  --jobs N                 threads; as many as there are cores
  --resume                 go on with what is in DIR, if there is anything
  --dry-run                how many runs, and how long they take: measured in about two seconds
  --shard I/N              the I-th of N parts, N up to ${MOST_SHARDS}: for several machines
  --allow-private          a page's address may be one that is not public
  --ca FILE, --insecure    as in interleave run
  --visual                 what the eye gets, too, with --recognisable and --good as in interleave run
  --json                   what was done, for scripts

A grid's path may be live (path.live, or an axis of it): its runs go one after the other, alone, and a seed is the number
of a repeat, in which each pane is loaded, another one first each time. The token is INTERLEAVE_TOKEN.

FILE is a grid (JSON):

  {
    "base": "n08-south-asia",                                 a preset's name or a scenario
    "axes": {
      "path.loss": {"from": 0, "to": 0.1, "step": 0.01},      keys as for --set; a range,
      "panes.1.streams": [1, 4, 10],                          or a list of values,
      "path": [                                               or several keys that go together
        {"label": "near", "path.rttMs": 20, "path.rateBps": 10000000},
        {"label": "far", "path.rttMs": 600, "path.rateBps": 1000000}
      ]
    },
    "seeds": "1-50",                                          or a list
    "metrics": ["pageTimeMs", "p50PageMs"],                   without it, all
    "name": "loss and streams"                                for people
  }

Every cell, one combination of values, runs with every seed: at most 20000 cells and 10000000 runs. DIR gets

  results.csv              a row for each run and pane: axes, seed, outcome, metrics as in interleave run --csv
  summary.json             for each cell, pane and metric mean, median and quartiles with 95 % intervals; runs that are
                           not complete, and the mean restricted to the time limit; panes compared seed by seed,
                           and pipelines of an axis likewise (across)
  figures/                 means against the x axis (loss, or the longest axis of numbers), with a line for each pipeline
                           where an axis chooses them, PPage and PRen, boxes and distributions: SVG and PNG for paper
                           and (.screen) for a screen, and the data of each (.csv)
  report.html              the figures, tables and settings on one page that stands alone
  experiment.json          the grid, everything spelled out, and the hashes of its pages
  runs.ndjson              the runs as they are computed, which is all that --resume needs

The same grid gives the same files, byte for byte, on every machine, with any --jobs, whole or in parts, and however
often it was stopped or killed; only letters in PNGs are of the machine's fonts. DIR is for one program at a time.

  interleave experiment fixtures/experiments/n07.grid.json --dry-run
  interleave experiment fixtures/experiments/n07.grid.json --out n07
  interleave experiment fixtures/experiments/n07.grid.json --out n07 --resume

On several machines, each with interleave and the grid, and DIR on a disk that they share (or copied back afterwards):

  GNU parallel over ssh    parallel -j 1 -S alpha,beta --wd . npx interleave experiment n07.grid.json \\
                             --shard {}/8 --out parts/{} --resume ::: 1 2 3 4 5 6 7 8

  Slurm                    #SBATCH --array=1-8
                           #SBATCH --cpus-per-task=4
                           #SBATCH --requeue
                           srun npx interleave experiment n07.grid.json --shard $SLURM_ARRAY_TASK_ID/8 \\
                             --jobs $SLURM_CPUS_PER_TASK --out parts/$SLURM_ARRAY_TASK_ID --resume

  Kubernetes               spec: {completions: 8, parallelism: 8, completionMode: Indexed, template: {…
                           command: [sh, -c, "npx interleave experiment n07.grid.json --resume
                             --shard $((JOB_COMPLETION_INDEX + 1))/8 --out /parts/$JOB_COMPLETION_INDEX"]

  then                     interleave merge parts/* --out n07
`,
  ],
  [
    'merge',
    `interleave merge DIR … --out DIR: the parts of an experiment, joined

  --out DIR                where to: a new folder
  --json                   what was done, for scripts

The files are those that one machine would have written, byte for byte. What is missing, not done, there twice or of
another grid is named, and nothing is written.

  interleave merge parts/* --out n07
`,
  ],
];

import {describe, expect, test} from 'vitest';
import {r02} from './r02.ts';
import {TABLE_1} from './r02Files.ts';
import {NOTHING, rowsOf, type ToyMeans, verdictsOf} from './testing/toyResults.ts';

describe('R02', () => {
  test('has table 1 as printed', () => {
    const printed = [
      '679395 768656 3873273 3910344 3942401 4243416 4273269 4708352',
      '802931 888264 4468128 4507111 4607180 4834083 4878979 4887073',
      '4930718 5595977 29598318 31047085 31924275 33460332 34333089 38222168',
      '4299919 4775626 24132252 24536217 25106516 26678879 27143072 29628740',
      '5983277 6725730 35361679 37232434 38509110 40681890 42568811 45179090',
      '5506176 6098121 31539786 32164926 32692426 33117396 33981264 41551992',
    ];
    expect(TABLE_1.flatMap(({tcp, sctp}) => [tcp.join(' '), sctp.join(' ')])).toEqual(printed);
    expect(TABLE_1.map(({loss}) => loss)).toEqual([0, 0.01, 0.02]);
  });

  const printed = (swapped: boolean): ToyMeans => {
    return (grid, axes, pane, metric) => {
      if (grid !== 'files') return NOTHING;
      const row = TABLE_1.find(({loss}) => loss === axes['path.loss']);
      const file = Number(/\d/.exec(metric)?.[0]);
      const values = (pane === 1) === swapped ? row?.sctp : row?.tcp;
      const before = metric.includes('StepTo') ? (values?.[file - 2] ?? 0) : 0;
      return {mean: ((values?.[file - 1] ?? 0) - before) / 1000, half: 0};
    };
  };

  test.each(['own', 'first'])(
    'R02’s own table agrees with its claims if each file’s time begins at this request: %s',
    clock => {
      const ratios = `Table 1: each file’s time from ${clock === 'own' ? 'its own' : 'the first'} request,`;
      expect(new Set(verdictsOf(rowsOf(r02, ratios, printed(false))))).toEqual(new Set(['agrees']));
      // with TCP and SCTP exchanged all rows differ, except for the last file without loss, whose ratio is 1.04
      const turned = verdictsOf(rowsOf(r02, ratios, printed(true)));
      expect(turned.filter(verdict => verdict === 'differs').length).toBeGreaterThan(18);
      const order = `Table 1: each file’s time from ${clock === 'own' ? 'its own' : 'the first'} request is`;
      expect(new Set(verdictsOf(rowsOf(r02, order, printed(false))))).toEqual(new Set(['agrees']));
    },
  );

  test('if R02 prints two times within 1 % of each other, ours agree if they differ by 0.5 %, but not by 2 %', () => {
    const stepping = (share: number): ToyMeans => {
      return (grid, _, __, metric) =>
        grid === 'files' ? {mean: metric.includes('StepTo') ? 100 * share : 100, half: 0} : NOTHING;
    };
    const equal = (share: number) =>
      rowsOf(r02, 'Table 1: each file’s time from its own request is', stepping(share))
        .filter(({theirs}) => theirs === 'equal')
        .map(({where, verdict}) => [where, verdict]);
    const places = ['TCP: file 4 minus file 3', 'TCP: file 5 minus file 4', 'TCP: file 7 minus file 6'].concat([
      'SCTP: file 4 minus file 3',
      'SCTP: file 7 minus file 6',
      'SCTP: file 8 minus file 7',
    ]);
    expect(equal(0.005)).toEqual(places.map(place => [`0 %, ${place}`, 'agrees']));
    expect(equal(0.02)).toEqual(places.map(place => [`0 %, ${place}`, 'differs']));
  });

  test('without loss the order of two files is open if the second is later by less than 1 %', () => {
    const means: ToyMeans = (grid, _, __, metric) =>
      grid === 'files' ? {mean: metric.includes('StepTo') ? 0.5 : 100, half: 0} : NOTHING;
    const rows = rowsOf(r02, 'Table 1: each file’s time from its own request is', means);
    const ordered = rows.filter(({theirs}) => theirs === 'longer');
    expect(ordered.map(({where, verdict}) => verdict === (where.startsWith('0 %') ? 'open' : 'agrees'))).toEqual(
      Array(36).fill(true),
    );
  });

  test('if a file is sooner than the file before it, only the rows of this file differ', () => {
    const means: ToyMeans = (grid, axes, pane, metric) => {
      const isIt = metric === 'latencyStepTo5Ms' && pane === 2;
      return isIt ? {mean: -100, half: 1} : printed(false)(grid, axes, pane, metric);
    };
    const rows = rowsOf(r02, 'Table 1: each file’s time from its own request is', means);
    expect(rows).toHaveLength(3 * 2 * 7);
    expect(rows.filter(({verdict}) => verdict !== 'agrees').map(({where, verdict}) => [where, verdict])).toEqual(
      ['0 %', '1 %', '2 %'].map(loss => [`${loss}, SCTP: file 5 minus file 4`, 'differs']),
    );
  });

  test('the claim on single files is judged by SCTP with small messages, and not by SCTP with full packets', () => {
    const means: ToyMeans = (grid, _, pane) => {
      return grid === 'single-files' ? {mean: [100, 110, 90][pane - 1] ?? 0, half: 0} : NOTHING;
    };
    expect(new Set(verdictsOf(rowsOf(r02, 'Single files', means)))).toEqual(new Set(['agrees']));
  });

  test('the claim on the number of packets is judged by SCTP with small messages', () => {
    const packets = (small: number): ToyMeans => {
      return (grid, _, pane) => {
        return grid === 'single-files' ? {mean: [100, small, 100][pane - 1] ?? 0, half: 0} : NOTHING;
      };
    };
    const verdicts = (small: number) => verdictsOf(rowsOf(r02, 'With messages of 1024 B', packets(small)));
    expect([verdicts(180), verdicts(142)]).toEqual([
      ['agrees', 'agrees', 'agrees'],
      ['differs', 'differs', 'differs'],
    ]);
  });

  test('figure 7 compares SCTP with TCP without SACK at all loss rates except 0, 10 and 15 %', () => {
    const means: ToyMeans = (grid, axes, pane) => {
      const isAhead = pane === 2 && ![0, 0.1, 0.15].includes(Number(axes['path.loss']));
      return grid === 'page' ? {mean: isAhead ? 90 : ([100, 110, 80, 80][pane - 1] ?? 0), half: 0} : NOTHING;
    };
    expect(verdictsOf(rowsOf(r02, 'Figure 7', means))).toEqual(Array.from({length: 7}, () => 'agrees'));
  });
});

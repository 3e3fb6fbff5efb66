/** One of the tables II to IV of the paper L06 (l06.ts), as printed: mean response times, s. */
export interface L06Table {
  readonly number: 'II' | 'III' | 'IV';
  /** The name of the grid that repeats the table. */
  readonly grid: string;
  /** The scenario's key that the axis of the grid sets. */
  readonly key: 'path.loss' | 'path.rttMs' | 'path.rateBps';
  readonly values: readonly number[];
  readonly names: readonly string[];
  /** A number of `values`, multiplied by this factor, is the number on the figure's x axis. */
  readonly factor: number;
  readonly tcpModel: readonly number[];
  readonly tcpExperiment: readonly number[];
  readonly sctpModel: readonly number[];
  readonly sctpExperiment: readonly number[];
}

export const L06_TABLES: readonly L06Table[] = [
  {
    number: 'II',
    grid: 'table-2',
    key: 'path.loss',
    factor: 100,
    values: [0.004, 0.01, 0.02, 0.05],
    names: ['0.4 %', '1 %', '2 %', '5 %'],
    tcpModel: [21.27, 21.33, 21.77, 25.84],
    tcpExperiment: [18.7, 18.73, 19, 21.77],
    sctpModel: [20.76, 20.81, 21.26, 24.86],
    sctpExperiment: [18.62, 18.64, 18.85, 19.56],
  },
  {
    number: 'III',
    grid: 'table-3',
    key: 'path.rttMs',
    factor: 1,
    values: [55, 80, 256, 1000],
    names: ['55 ms', '80 ms', '256 ms', '1 s'],
    tcpModel: [14.89, 14.94, 18.73, 21.56],
    tcpExperiment: [13.82, 14.63, 21.84, 28.17],
    sctpModel: [14.83, 14.92, 18.64, 19.4],
    sctpExperiment: [13.71, 14.71, 21.33, 26.17],
  },
  {
    number: 'IV',
    grid: 'table-4',
    key: 'path.rateBps',
    factor: 1e-6,
    values: [40_000, 400_000, 3_000_000, 10_000_000],
    names: ['40 kbit/s', '400 kbit/s', '3 Mbit/s', '10 Mbit/s'],
    tcpModel: [18.73, 5.42, 4.2, 2.59],
    tcpExperiment: [21.84, 5.6, 4.5, 4.4],
    sctpModel: [18.64, 4.92, 3.79, 2.59],
    sctpExperiment: [21.33, 5.09, 3.99, 3.89],
  },
];

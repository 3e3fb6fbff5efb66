/**
 * How many bytes a server writes ahead if it always fills the send buffer of Linux. The buffer of a new connection
 * holds the data of 1.8 initial windows of ten packets besides the window in flight, and grows with the congestion
 * window (docs/servers.md).
 */
export const KERNEL_BUFFER = {aheadBytes: 26_000, aheadGrowsFromBytes: 0} as const;

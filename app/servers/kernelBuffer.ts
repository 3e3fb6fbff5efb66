/**
 * How many bytes a server writes ahead if it always fills the send buffer of Linux. On a new connection, the buffer
 * holds the window in flight and also unsent data of 1.8 initial windows of ten packets. The buffer grows with the
 * congestion window (docs/servers.md).
 */
export const KERNEL_BUFFER = {aheadBytes: 26_000, aheadGrowsFromBytes: 0} as const;

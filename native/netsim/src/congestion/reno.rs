use super::{Avoidance, Growth, Kind, LossBased};

/// The congestion control of RFC 5681.
pub const KIND: Kind = Kind { name: "reno", make: |opening| Box::new(LossBased::new(opening, Reno)) };

/// Reno between losses: the window grows by one segment in each round trip, and a loss halves it (RFC 5681 §3.1).
#[derive(Clone, Debug)]
struct Reno;

impl Avoidance for Reno {
    fn bytes_per_mss(&mut self, growth: &Growth) -> u64 {
        growth.cwnd
    }

    fn reduced(&mut self, _cwnd: u64, base: u64, _mss: u64) -> u64 {
        base / 2
    }
}

use super::{Avoidance, Growth, Kind, LossBased};

/// The congestion control of RFC 5681.
pub const KIND: Kind = Kind { name: "reno", make: |opening| Box::new(LossBased::new(opening, Reno { kept: 50 })) };

/// The Reno of quic-go, which keeps 70 % of the window after a loss (`renoBeta` in internal/congestion/cubic_sender.go).
pub const RENO_70: Kind =
    Kind { name: "reno-70", make: |opening| Box::new(LossBased::new(opening, Reno { kept: 70 })) };

/// Reno between losses: the window grows by one segment in each round trip (RFC 5681 §3.1).
#[derive(Clone, Debug)]
struct Reno {
    /// What a loss leaves of the window, in percent. RFC 5681 §3.1 halves the window.
    kept: u64,
}

impl Avoidance for Reno {
    fn bytes_per_mss(&mut self, growth: &Growth) -> u64 {
        growth.cwnd
    }

    fn reduced(&mut self, _cwnd: u64, base: u64, _mss: u64) -> u64 {
        base * self.kept / 100
    }
}

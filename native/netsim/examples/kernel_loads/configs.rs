use crate::cells::{self, Cell};

/// A configuration of the kernel, and the cells that are measured with it.
pub struct Config {
    pub name: &'static str,
    /// The congestion control of both ends.
    pub congestion: &'static str,
    /// Names of files below /proc/sys/net/ipv4, each with the value that is written to the file.
    pub settings: &'static [(&'static str, &'static str)],
    /// Attributes of the route to the other end, as `ip route` takes them.
    pub route: &'static [&'static str],
    pub cells: fn() -> Vec<Cell>,
}

/// The configurations of the kernel in fixtures/reference/README.md, except D, which was measured in real time.
pub const CONFIGS: [Config; 5] = [
    Config { name: "A", congestion: "reno", settings: &[], route: OLD_TIMES, cells: cells::narrow },
    Config { name: "B", congestion: "cubic", settings: &[], route: &[], cells: cells::narrow },
    Config { name: "C", congestion: "reno", settings: &WITHOUT_SACK, route: OLD_TIMES, cells: cells::narrow },
    Config { name: "cubic", congestion: "cubic", settings: &[], route: &[], cells: cells::wide },
    Config { name: "bbr", congestion: "bbr", settings: &[], route: &[], cells: cells::wide },
];

const OLD_TIMES: &[&str] = &["initcwnd", "3", "rto_min", "1s"];
const WITHOUT_SACK: [(&str, &str); 2] = [("tcp_sack", "0"), ("tcp_recovery", "0")];

impl Config {
    pub fn named(name: &str) -> Option<&'static Config> {
        CONFIGS.iter().find(|config| config.name == name)
    }
}

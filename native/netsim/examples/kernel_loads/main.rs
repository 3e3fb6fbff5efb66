//! Makes reference data: loads pages over the TCP of the kernel on which it runs, through an emulated path, and prints
//! one JSON object for each cell. fixtures/reference/README.md says how to run it in virtual time.
//!
//! - `--config NAME`: `A`, `B`, `C`, `cubic` or `bbr` (configs.rs), by default `cubic`
//! - `--runs N`: loads of each cell that has losses, by default 60. A cell without losses has a third as many
//! - `--cell TEXT`: only the cells whose names contain the text
//! - `--list`: prints the names of the cells, and loads nothing
//!
//! Root and /dev/net/tun are required. Client and server are sockets in two network namespaces, each with a TUN device.

#![cfg_attr(target_os = "linux", allow(clippy::disallowed_methods, reason = "the kernel has its own time"))]

#[cfg(target_os = "linux")]
mod cells;
#[cfg(target_os = "linux")]
mod configs;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
#[path = "../reference_page/jitter.rs"]
mod jitter;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "responses that arrive on streams of their own are not for TCP")]
#[path = "../reference_page/page.rs"]
mod page;
#[cfg(target_os = "linux")]
mod report;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kernel_loads: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("kernel_loads: this program needs the kernel of Linux");
}

#[cfg(target_os = "linux")]
fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = Arguments { config: "cubic".to_owned(), runs: 60, cell: String::new(), lists: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--config" => arguments.config = value()?,
            "--runs" => arguments.runs = value()?.parse()?,
            "--cell" => arguments.cell = value()?,
            "--list" => arguments.lists = true,
            _ => return Err(format!("unknown option {word}").into()),
        }
    }
    let config = configs::Config::named(&arguments.config);
    let config = config.ok_or_else(|| format!("unknown configuration {}", arguments.config))?;
    let cells: Vec<_> = (config.cells)().into_iter().filter(|cell| cell.name().contains(&arguments.cell)).collect();
    if arguments.lists {
        cells.iter().for_each(|cell| println!("{}", cell.name()));
        return Ok(());
    }
    let ends = host::Ends::open(config)?;
    for cell in cells {
        let runs = if cell.loss == 0.0 { arguments.runs.div_ceil(3) } else { arguments.runs };
        let loads = (0..runs).map(|run| load::load(&ends, &cell, run, runs)).collect::<Result<Vec<_>, _>>()?;
        println!("{}", report::cell(config.name, &cell, &loads));
    }
    Ok(())
}

#[cfg(target_os = "linux")]
struct Arguments {
    config: String,
    runs: u64,
    cell: String,
    lists: bool,
}

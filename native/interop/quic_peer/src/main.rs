//! One end of a QUIC connection with TLS 1.3, over UDP on loopback in real time. It is used in tests against other
//! stacks. It does not implement HTTP: it reads the data to send from standard input, and prints the received data on
//! standard output.
//!
//! `quic_peer client CERTIFICATE PORT DROP` or `quic_peer server CERTIFICATE KEY DROP`. CERTIFICATE and KEY are DER
//! files. Every DROPth datagram of each direction is dropped. If DROP is 0, none is dropped.
//!
//! - input: `write STREAM HEX`, `finish STREAM`, `close`. The end of the input has the same effect as `close`.
//! - output: `port N`, `connected`, `data STREAM HEX`, `finished STREAM`, `reset STREAM CODE`, `closed REASON`. The
//!   program ends after `closed`.

#![allow(clippy::disallowed_methods)] // the lint bans real time, which real sockets need

mod lines;
mod peer;
mod streams;
mod tls;

use std::process::ExitCode;

use peer::Peer;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match Peer::new(&words).and_then(Peer::run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quic_peer: {error}");
            ExitCode::FAILURE
        }
    }
}

/// An error that ends the program.
type Failure = Box<dyn std::error::Error>;

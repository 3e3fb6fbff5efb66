//! One end of a QUIC connection with TLS 1.3 over UDP on loopback in real time, for tests against stacks of others. It
//! knows nothing of HTTP: what is to be sent on streams comes as lines on standard input, what was received goes to
//! standard output.
//!
//! `quic_peer client CERTIFICATE PORT DROP` or `quic_peer server CERTIFICATE KEY DROP`, files in DER. Of the datagrams of
//! either way each DROPth is lost, none if it is 0.
//!
//! - in: `write STREAM HEX`, `finish STREAM`, `close`; its end closes, too
//! - out: `port N`, `connected`, `data STREAM HEX`, `finished STREAM`, `reset STREAM CODE`, `closed REASON`, after which
//!   it ends

#![allow(clippy::disallowed_methods)] // real sockets in real time: this is the edge

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

/// What ends the program.
type Failure = Box<dyn std::error::Error>;

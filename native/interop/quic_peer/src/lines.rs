//! Reads the requests on standard input, one per line, and converts bytes to and from hexadecimal digits.

use std::sync::mpsc::{Receiver, channel};

/// A request on standard input.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    Write { stream: u64, bytes: Vec<u8> },
    Finish { stream: u64 },
    Close,
}

/// Starts a thread that reads requests from standard input. An invalid line, or the end of the input, counts as
/// [`Request::Close`].
pub fn requests() -> Receiver<Request> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            let request = line.ok().and_then(|line| parse(&line)).unwrap_or(Request::Close);
            if sender.send(request).is_err() {
                return;
            }
        }
        let _ = sender.send(Request::Close);
    });
    receiver
}

fn parse(line: &str) -> Option<Request> {
    let mut words = line.split(' ');
    match (words.next()?, words.next(), words.next()) {
        ("write", Some(stream), Some(hex)) => {
            Some(Request::Write { stream: stream.parse().ok()?, bytes: from_hex(hex)? })
        }
        ("finish", Some(stream), None) => Some(Request::Finish { stream: stream.parse().ok()? }),
        ("close", None, None) => Some(Request::Close),
        _ => None,
    }
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    Some(digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

/// Returns bytes as hexadecimal digits in lower case.
pub fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('?');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

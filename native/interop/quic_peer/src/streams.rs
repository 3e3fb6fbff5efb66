//! Writes data to the streams of a connection, and prints the data that arrived on them.

use std::collections::{BTreeMap, VecDeque};

use quinn_proto::{Connection, Dir, ReadError, Side, StreamId, VarInt};

use crate::lines::to_hex;

/// The streams of one end, by their ids.
pub struct Streams {
    side: Side,
    /// How many streams this end has opened: bidirectional and unidirectional.
    opened: [u64; 2],
    unwritten: BTreeMap<u64, Unwritten>,
}

/// The part of a stream that the connection has not accepted yet.
#[derive(Default)]
struct Unwritten {
    bytes: VecDeque<u8>,
    is_finished: bool,
}

impl Streams {
    pub fn new(side: Side) -> Self {
        Streams { side, opened: [0; 2], unwritten: BTreeMap::new() }
    }

    pub fn write(&mut self, stream: u64, bytes: Vec<u8>) {
        self.unwritten.entry(stream).or_default().bytes.extend(bytes);
    }

    pub fn finish(&mut self, stream: u64) {
        self.unwritten.entry(stream).or_default().is_finished = true;
    }

    /// Writes as many bytes as the connection accepts.
    pub fn flush(&mut self, connection: &mut Connection) {
        let side = self.side;
        let opened = &mut self.opened;
        self.unwritten.retain(|stream, unwritten| {
            let id = id(*stream);
            if id.initiator() == side && !open(opened, connection, id) {
                return true;
            }
            while !unwritten.bytes.is_empty() {
                match connection.send_stream(id).write(unwritten.bytes.make_contiguous()) {
                    Ok(taken) => drop(unwritten.bytes.drain(..taken)),
                    Err(quinn_proto::WriteError::Blocked) => return true,
                    // the peer has refused the rest of this stream
                    Err(_) => return false,
                }
            }
            if unwritten.is_finished {
                let _ = connection.send_stream(id).finish();
            }
            false
        });
    }

    /// Prints the data that arrived on a stream.
    pub fn receive(&mut self, connection: &mut Connection, id: StreamId) {
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => println!("data {} {}", u64::from(id), to_hex(&chunk.bytes)),
                Ok(None) => {
                    println!("finished {}", u64::from(id));
                    break;
                }
                Err(ReadError::Reset(code)) => {
                    println!("reset {} {code}", u64::from(id));
                    break;
                }
                Err(ReadError::Blocked) => break,
            }
        }
        let _ = chunks.finalize();
    }
}

/// Opens the streams of this end up to `id`. Returns false if the peer does not allow that many streams yet.
fn open(opened: &mut [u64; 2], connection: &mut Connection, id: StreamId) -> bool {
    let opened = &mut opened[usize::from(id.dir() == Dir::Uni)];
    while *opened <= id.index() {
        if connection.streams().open(id.dir()).is_none() {
            return false;
        }
        *opened += 1;
    }
    true
}

fn id(stream: u64) -> StreamId {
    StreamId::from(VarInt::from_u64(stream).unwrap_or(VarInt::MAX))
}

//! netsim as a WebAssembly module. `index.js` makes the class `Simulation` of `addon/index.d.ts` from these functions.
//!
//! Numbers are passed as arguments and results. Everything else passes through two buffers of the module: the caller
//! writes text or bytes to the buffer that `input` returns, and reads results from the buffer that `output` returns. A
//! function returns a negative number after an error; `output` then has the error's code, a line break and its message.
//!
//! The module imports nothing. After a panic, which traps, the caller must not use the instance of the module again.

#![allow(unsafe_code, reason = "an exported function needs the attribute no_mangle; there is no other unsafe code")]

mod buffers;
mod module;
mod simulation;

use std::panic;

use binding::columns::{blocked_of, chunks, packets, samples, traffic};
use binding::{
    MAX_SAFE_INTEGER, Opening, RawDrops, RawEnds, RawLink, RawPath, RawQuic, RawSctp, RawSimulation, RawTcp, direction,
    invalid, invalid_state, link, open, parse_json, whole,
};
use netsim::time::SimTime;
use netsim::{quic, sctp, tcp, trace, udp};

use crate::buffers::ColumnWriter;
use crate::module::{Module, call};
use crate::simulation::Simulation;

/// Returns the address of the input buffer, with room for `bytes` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    Module::with(|module| module.input.room_for(bytes))
}

#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    Module::with(|module| module.output.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn output_bytes() -> usize {
    Module::with(|module| module.output.len())
}

/// Makes the module keep the message of a panic for [`panic_message`]. Call it once, before all other functions.
#[unsafe(no_mangle)]
pub extern "C" fn report_panics() {
    panic::set_hook(Box::new(|info| module::keep_panic(&info.to_string())));
}

#[unsafe(no_mangle)]
pub extern "C" fn panic_message() -> *const u8 {
    module::panic_message().0
}

#[unsafe(no_mangle)]
pub extern "C" fn panic_message_bytes() -> usize {
    module::panic_message().1
}

/// Makes a simulation, and returns its number. The input is the options in JSON.
#[unsafe(no_mangle)]
pub extern "C" fn simulation() -> f64 {
    call(|module| {
        let run = parse_json::<RawSimulation>(module.input.text()?, "options")?.open()?;
        Ok(f64::from(module.add(Simulation::new(run))))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn free(simulation: f64) -> f64 {
    call(|module| module.free(simulation))
}

#[unsafe(no_mangle)]
pub extern "C" fn now_ns(simulation: f64) -> f64 {
    call(|module| Ok(module.parts(simulation)?.0.run.now().as_ns() as f64))
}

#[unsafe(no_mangle)]
pub extern "C" fn add_path(simulation: f64) -> f64 {
    call(|module| {
        let (simulation, input, _) = module.parts(simulation)?;
        let params = parse_json::<RawPath>(input.text()?, "path")?.read()?;
        Ok(f64::from(simulation.run.add_path(params).map_err(link)?.0))
    })
}

/// Adds a page load that shares the simulation's paths with the other page loads, and returns its number.
#[unsafe(no_mangle)]
pub extern "C" fn add_page(simulation: f64) -> f64 {
    call(|module| Ok(f64::from(module.parts(simulation)?.0.run.add_page())))
}

#[unsafe(no_mangle)]
pub extern "C" fn open_tcp(simulation: f64) -> f64 {
    call(|module| {
        let (simulation, input, output) = module.parts(simulation)?;
        let RawEnds { client, server, path, page, port, host, free_set_up } =
            parse_json::<RawEnds<RawTcp>>(input.text()?, "options")?;
        let (client, server) = (client.read("client")?, server.read("server")?);
        simulation.open(Opening { path, page, free_set_up }, output, |place| {
            let place = port.map_or(place, |port| place.at_port(port.get())).at_host(host);
            tcp::open(place, client, server).map_err(invalid)
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn open_sctp(simulation: f64) -> f64 {
    call(|module| {
        let (simulation, input, output) = module.parts(simulation)?;
        let RawEnds { client, server, path, page, host, free_set_up, .. } =
            parse_json::<RawEnds<RawSctp>>(input.text()?, "options")?;
        let (client, server) = (client.read("client")?, server.read("server")?);
        simulation.open(Opening { path, page, free_set_up }, output, |place| {
            sctp::open(place.at_host(host), client, server).map_err(invalid)
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn open_udp(simulation: f64, page: f64) -> f64 {
    call(|module| {
        let (simulation, _, output) = module.parts(simulation)?;
        let page = simulation.page(page)?;
        let opening = Opening { path: 0, page: page.into(), free_set_up: false };
        simulation.open(opening, output, |place| Ok(udp::open(place)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn open_quic(simulation: f64) -> f64 {
    call(|module| {
        let (simulation, input, output) = module.parts(simulation)?;
        let RawEnds { client, server, path, page, host, free_set_up, .. } =
            parse_json::<RawEnds<RawQuic>>(input.text()?, "options")?;
        let (client, server) = (client.read("client")?, server.read("server")?);
        simulation.open(Opening { path, page, free_set_up }, output, |place| {
            quic::open(place.at_host(host), client, server).map_err(invalid)
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn connect(simulation: f64, endpoint: f64) -> f64 {
    call(|module| {
        module.parts(simulation)?.0.transport(endpoint)?.connect()?;
        Ok(0.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn write(simulation: f64, endpoint: f64, stream: f64) -> f64 {
    call(|module| {
        let (simulation, input, _) = module.parts(simulation)?;
        let stream = stream_number(stream)?;
        Ok(simulation.transport(endpoint)?.write(stream, input.bytes())? as f64)
    })
}

/// The input is `words` numbers, which describe the parts ([`binding::Parts`]), followed by the bytes of the parts.
#[unsafe(no_mangle)]
pub extern "C" fn write_parts(simulation: f64, endpoint: f64, words: usize) -> f64 {
    call(|module| {
        let (simulation, input, _) = module.parts(simulation)?;
        let (numbers, bytes) = input.words_and_bytes(words);
        let parts = binding::Parts::new(&numbers, bytes)?;
        Ok(parts.write(simulation.transport(endpoint)?)? as f64)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn read(simulation: f64, endpoint: f64, stream: f64) -> f64 {
    call(|module| {
        let (simulation, _, output) = module.parts(simulation)?;
        let stream = stream_number(stream)?;
        let bytes = simulation.transport(endpoint)?.read(stream)?;
        output.clear();
        output.extend_from_slice(&bytes);
        Ok(0.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn finish(simulation: f64, endpoint: f64, stream: f64) -> f64 {
    call(|module| {
        let stream = stream_number(stream)?;
        module.parts(simulation)?.0.transport(endpoint)?.finish(stream)?;
        Ok(0.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn reset(simulation: f64, endpoint: f64, stream: f64, code: f64) -> f64 {
    call(|module| {
        let (stream, code) = (stream_number(stream)?, whole(code, "code", 0.0, f64::from(u32::MAX))? as u32);
        module.parts(simulation)?.0.transport(endpoint)?.reset(stream, code)?;
        Ok(0.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn set_priority(simulation: f64, endpoint: f64, stream: f64, priority: f64) -> f64 {
    call(|module| {
        let stream = stream_number(stream)?;
        let priority = whole(priority, "priority", f64::from(i32::MIN), f64::from(i32::MAX))? as i32;
        module.parts(simulation)?.0.transport(endpoint)?.set_priority(stream, priority)?;
        Ok(0.0)
    })
}

/// Returns 1 if the message was accepted, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn send(simulation: f64, endpoint: f64, stream: f64) -> f64 {
    call(|module| {
        let (simulation, input, _) = module.parts(simulation)?;
        let stream = stream_number(stream)?;
        let is_accepted = simulation.transport(endpoint)?.send(stream, input.bytes())?;
        Ok(f64::from(u8::from(is_accepted)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn renew(simulation: f64, endpoint: f64, stream: f64) -> f64 {
    call(|module| {
        let stream = stream_number(stream)?;
        module.parts(simulation)?.0.transport(endpoint)?.renew(stream)?;
        Ok(0.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn buffered_bytes(simulation: f64, endpoint: f64) -> f64 {
    call(|module| Ok(module.parts(simulation)?.0.transport(endpoint)?.buffered_bytes() as f64))
}

#[unsafe(no_mangle)]
pub extern "C" fn cwnd_bytes(simulation: f64, endpoint: f64) -> f64 {
    call(|module| {
        let id = simulation::endpoint_id(endpoint)?;
        let sample = module.parts(simulation)?.0.run.endpoint(id).map_err(open)?.sample();
        Ok(sample.map_or(0, |sample| sample.cwnd_bytes) as f64)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn max_message_in_packet_bytes(simulation: f64, endpoint: f64) -> f64 {
    call(|module| {
        let transport = module.parts(simulation)?.0.transport(endpoint)?;
        Ok(transport.max_message_in_packet_bytes()? as f64)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn can_change_address(simulation: f64, endpoint: f64) -> f64 {
    call(|module| Ok(f64::from(module.parts(simulation)?.0.transport(endpoint)?.can_change_address())))
}

#[unsafe(no_mangle)]
pub extern "C" fn close(simulation: f64, endpoint: f64) -> f64 {
    call(|module| {
        module.parts(simulation)?.0.transport(endpoint)?.close();
        Ok(0.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn abort(simulation: f64, endpoint: f64) -> f64 {
    call(|module| {
        module.parts(simulation)?.0.transport(endpoint)?.abort();
        Ok(0.0)
    })
}

/// `way` is 0 for down and 1 for up; other numbers are errors. The input is the link's parameters in JSON.
#[unsafe(no_mangle)]
pub extern "C" fn change_link(simulation: f64, at_ns: f64, way: u32) -> f64 {
    call(|module| {
        let at = time(at_ns, "atNs")?;
        let way = direction(["down", "up"].get(way as usize).copied())?;
        let (simulation, input, _) = module.parts(simulation)?;
        let params = parse_json::<RawLink>(input.text()?, "params")?.read("params")?;
        simulation.run.change_link(at, way, params).map_err(link)?;
        Ok(0.0)
    })
}

/// The input has the parameters of the link down in JSON, which are `down_bytes` long, and then those of the link up.
#[unsafe(no_mangle)]
pub extern "C" fn hand_over(simulation: f64, down_bytes: usize) -> f64 {
    call(|module| {
        let (simulation, input, _) = module.parts(simulation)?;
        let (down, up) =
            input.text()?.split_at_checked(down_bytes).ok_or_else(|| invalid("downBytes is not within the text"))?;
        let down = parse_json::<RawLink>(down, "down")?.read("down")?;
        let up = parse_json::<RawLink>(up, "up")?.read("up")?;
        simulation.run.hand_over(down, up).map_err(link)?;
        Ok(0.0)
    })
}

/// Makes a page load lose packets. `way` is 0 for down and 1 for up; other numbers are errors. The input says which
/// packets are lost ([`RawDrops`]), in JSON.
#[unsafe(no_mangle)]
pub extern "C" fn set_drops(simulation: f64, way: u32, page: f64) -> f64 {
    call(|module| {
        let way = direction(["down", "up"].get(way as usize).copied())?;
        let (simulation, input, _) = module.parts(simulation)?;
        let drops = parse_json::<RawDrops>(input.text()?, "drops")?.read("drops")?;
        let page = simulation.page(page)?;
        simulation.run.set_drops(page, way, drops);
        Ok(0.0)
    })
}

/// Advances to the next events or to `until_ns`, or without limit if `until_ns` is infinite. The output is these events
/// in the layout that `Simulation.advanceInto` documents, but no stream is read.
#[unsafe(no_mangle)]
pub extern "C" fn advance(simulation: f64, until_ns: f64) -> f64 {
    call(|module| {
        let until = if until_ns == f64::INFINITY { SimTime::MAX } else { time(until_ns, "untilNs")? };
        let (simulation, _, output) = module.parts(simulation)?;
        simulation.advance(until, output)
    })
}

/// Advances to the next events or to `until_ns`, and reads the streams that have bytes to read. Returns the size of the
/// batch, which is the events and these bytes. The output is the batch if it is not larger than `room` bytes. Otherwise
/// the output is empty, and the next call gives the same batch.
#[unsafe(no_mangle)]
pub extern "C" fn advance_into(simulation: f64, until_ns: f64, room: usize) -> f64 {
    call(|module| {
        let until = time(until_ns, "untilNs")?;
        let (simulation, _, output) = module.parts(simulation)?;
        simulation.advance_into(until, room, output)
    })
}

/// The output is the columns of one part of the trace, as [`ColumnWriter`] writes them.
#[unsafe(no_mangle)]
pub extern "C" fn columns(simulation: f64, which: u32, page: f64) -> f64 {
    call(|module| {
        let (simulation, _, output) = module.parts(simulation)?;
        let page = simulation.page(page)?;
        let run = &simulation.run;
        let writer = ColumnWriter::new(output);
        let Ok(_) = match which {
            0 => packets(writer, run.trace_of(page)),
            1 => chunks(writer, run.trace_of(page)),
            2 => samples(writer, run.trace_of(page)),
            3 => blocked_of(writer, run, page),
            _ => traffic(writer, run.traffic(), run.trace().start),
        };
        Ok(0.0)
    })
}

/// The input is the name of the program that writes the file.
#[unsafe(no_mangle)]
pub extern "C" fn pcapng(simulation: f64, page: f64) -> f64 {
    call(|module| {
        let (simulation, input, output) = module.parts(simulation)?;
        let trace = simulation.run.trace_of(simulation.page(page)?);
        *output = trace::write_pcapng(trace, input.text()?, Vec::new()).map_err(invalid_state)?;
        Ok(0.0)
    })
}

fn stream_number(value: f64) -> binding::Result<u32> {
    Ok(whole(value, "stream", 0.0, f64::from(u32::MAX))? as u32)
}

fn time(value: f64, name: &str) -> binding::Result<SimTime> {
    Ok(SimTime::from_ns(whole(value, name, 0.0, MAX_SAFE_INTEGER)? as u64))
}

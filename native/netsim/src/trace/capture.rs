use std::borrow::Cow;
use std::io;
use std::time::Duration;

use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};

use super::PacketLog;

/// Writes the recorded packets as pcapng, raw IPv4 with nanosecond times, one interface per direction.
///
/// A packet is captured where it is sent, so lost ones are there as well. Empty unless the run recorded
/// bytes ([`super::Recording`]).
///
/// # Errors
/// Those of `out`.
pub fn write_pcapng<W: io::Write>(log: &PacketLog, out: W) -> io::Result<W> {
    let to_io = |error: pcap_file::PcapError| io::Error::other(error.to_string());
    let mut writer = PcapNgWriter::new(out).map_err(to_io)?;
    for name in ["down (server to client)", "up (client to server)"] {
        let options = vec![
            InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
            // if_tsresol: 10^-9 s
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        let interface = InterfaceDescriptionBlock { linktype: DataLink::IPV4, snaplen: 0, options };
        writer.write_pcapng_block(interface).map_err(to_io)?;
    }
    for (row, bytes) in log.bytes.iter().enumerate() {
        let packet = EnhancedPacketBlock {
            interface_id: u32::from(log.packets.direction[row]),
            timestamp: Duration::from_nanos(log.packets.sent_ns[row]),
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(bytes),
            options: Vec::new(),
        };
        writer.write_pcapng_block(packet).map_err(to_io)?;
    }
    Ok(writer.into_inner())
}

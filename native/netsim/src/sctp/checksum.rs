//! CRC32c of SCTP packets (RFC 9260 §6.8 and appendix A).

use super::chunk::COMMON_HEADER_BYTES;

/// Computes the checksum of a packet, with zeros instead of the bytes of its checksum field. Returns 0 if the packet is
/// shorter than the common header.
pub fn packet_checksum(packet: &[u8]) -> u32 {
    let Some((header, rest)) = packet.split_first_chunk::<COMMON_HEADER_BYTES>() else { return 0 };
    let mut header = *header;
    header[CHECKSUM_AT..].fill(0);
    crc32c::crc32c_append(crc32c::crc32c(&header), rest)
}

/// Writes the checksum of `packet`, which must have at least a common header.
pub fn write_checksum(packet: &mut [u8]) {
    let checksum = packet_checksum(packet).to_le_bytes();
    if let Some(field) = packet.get_mut(CHECKSUM_AT..CHECKSUM_AT + 4) {
        field.copy_from_slice(&checksum);
    }
}

/// Whether the packet's checksum is correct.
pub fn is_intact(packet: &[u8]) -> bool {
    packet.get(CHECKSUM_AT..CHECKSUM_AT + 4) == Some(&packet_checksum(packet).to_le_bytes())
}

/// The checksum is the last field of the common header (RFC 9260 §3.1).
const CHECKSUM_AT: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_check_values_of_rfc_3720() {
        // RFC 3720 §B.4: 32 bytes of zeros have the checksum 8a9136aa. Four of these bytes are the checksum field.
        assert_eq!(packet_checksum(&[0; 32]), 0x8a91_36aa);
    }

    #[test]
    fn a_changed_byte_is_detected() {
        let mut packet = [7; 20];
        write_checksum(&mut packet);
        assert!(is_intact(&packet));
        packet[15] ^= 1;
        assert!(!is_intact(&packet));
        assert!(!is_intact(&[0; 11]));
    }
}
